import { NAMESPACE } from '../../src/http/endpoint.ts'
import type { Attack } from './attack.ts'
import { COMMON_NAMES } from './venues.ts'

/** Searches for words that most events have. */
const SEARCHES = [
  COMMON_NAMES.join(' '),
  COMMON_NAMES.map((word) => word.slice(0, 2)).join(' '),
  'venue organizer paris tag category',
  'v o p t c m e',
  '1 2 3 4 5 6 7 8 9',
  'harbour concrt paris venua',
  'x'.repeat(2000),
  Array.from({ length: 400 }, (_, n) => `w${n.toString(36)}`).join(' '),
]

const EVERYTHING = 'start_date=0001-01-01&end_date=9999-12-31'

/** Searches by words, in the REST interface, on pages, in feeds and in orders of their own. */
export function* wordSearches(): Generator<Attack> {
  for (const [n, text] of SEARCHES.entries()) {
    const search = `search=${encodeURIComponent(text)}&search_mode=words`
    const rest = `/${NAMESPACE}/events?${search}`
    const paths = [
      rest,
      `${rest}&${EVERYTHING}&per_page=50`,
      `${rest}&orderby=title&${EVERYTHING}`,
      `${rest}&geoloc_lat=48.85&geoloc_lng=2.35&geoloc_radius=20000`,
      `/events/?${search}`,
      `/events/month/?${search}`,
      `/events/map/?${search}`,
      `/events.ics?${search}`,
    ]
    for (const path of paths) yield { name: `words ${n}: ${path.replace(/search=[^&]*&/, '')}`, method: 'GET', path }
  }
}

/** Quick choices, alone and together, on each view. */
export function* quickChoices(): Generator<Attack> {
  const near = 'geoloc_lat=48.85&geoloc_lng=2.35'
  const choices = ['when=tonight', 'when=weekend', 'free=1', 'family=1', near, `when=weekend&free=1&family=1&${near}`]
  const views = [
    '/',
    '/events/',
    '/events/month/',
    '/events/week/',
    '/events/day/',
    '/events/map/',
    '/category/category-3/',
  ]
  for (const choice of choices)
    for (const path of views) yield { name: `${path}?${choice}`, method: 'GET', path: `${path}?${choice}` }
  for (const choice of ['when=weekend', 'free=true', 'free=false', 'family=true'])
    yield { name: `REST ${choice}`, method: 'GET', path: `/${NAMESPACE}/events?${choice}&per_page=50` }
}
