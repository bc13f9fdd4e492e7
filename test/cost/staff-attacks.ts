import { LACKS, TABLE_ORDERS } from '../../src/domain/event-table.ts'
import { manageViews } from '../../src/manage/views.ts'
import { STATUSES } from '../../src/schema/record.ts'
import type { Attack } from './attack.ts'

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

/** The worst values of the parameters of screens. Others are tried with a long text. */
const VALUES: Record<string, readonly string[]> = {
  search: ['e', 'the', 'harbour concert summer night', 'x'.repeat(2000)],
  status: STATUSES,
  category: ['3'],
  tag: ['25'],
  venue: ['7'],
  organizer: ['57'],
  series: ['200'],
  author: ['1', '999999999'],
  mine: ['1'],
  lacks: LACKS,
  start_date: ['0001-01-01', '2030-01-01'],
  end_date: ['0001-01-01', '9999-12-31'],
  orderby: [...Object.keys(TABLE_ORDERS), 'name', 'events'],
  order: ['asc', 'desc'],
  page: ['1', '1000', '999999999'],
  merge: ['e', 'venue', 'x'.repeat(2000)],
}

/** Every screen with the worst that each parameter allows, and each order with each filter of the table of events. */
export function* screens(): Generator<Attack> {
  const get = (path: string): Attack => ({ name: path.slice(0, 80), method: 'GET', path, staff: true })
  for (const { path, parameters = [] } of manageViews) {
    if (!path.startsWith('/manage')) continue
    const base = path.replace(/:id\([^)]*\)/, idOf(path))
    yield get(base)
    for (const name of parameters)
      for (const value of VALUES[name] ?? ['1', 'x'.repeat(2000)])
        yield get(`${base}?${name}=${encodeURIComponent(value)}`)
  }
  const filters = ['status=publish', 'lacks=image', 'mine=1', 'category=3', 'venue=7', 'search=concert', 'page=1000']
  for (const orderby of Object.keys(TABLE_ORDERS))
    for (const order of ['asc', 'desc'])
      for (const filter of filters) yield get(`/manage/events?orderby=${orderby}&order=${order}&${filter}`)
}

/** An id that is there, for the screens of one record. */
function idOf(path: string): string {
  if (path.includes('venues')) return '7'
  if (path.includes('organizers')) return '57'
  if (path.includes('categories')) return '3'
  if (path.includes('tags')) return '26'
  return path.includes('users') ? '1' : '300'
}

/** Forms that touch many rows: they leave less behind. */
export function* staffForms(): Generator<Attack> {
  const post = (path: string, fields: Record<string, string>): Attack => ({
    name: `${path} ${fields.do}`,
    method: 'POST',
    path,
    headers: FORM_TYPE,
    body: new URLSearchParams(fields).toString(),
    staff: true,
  })
  const ids = Array.from({ length: 500 }, (_, n) => ['ids[]', String(400 + n)])
  for (const action of ['trash', 'publish']) {
    const body = new URLSearchParams([['do', action], ...ids] as [string, string][]).toString()
    yield { ...post('/manage/events', { do: action }), body }
  }
  yield post('/manage/settings', { do: 'save', site_name: 'x'.repeat(50_000) })
  yield post('/manage/tags/28', { do: 'merge', into: '29' })
  yield post('/manage/categories/8', { do: 'merge', into: '9' })
  yield post('/manage/venues/8', { do: 'merge', into: '9' })
  yield post('/manage/organizers/58', { do: 'merge', into: '59' })
}

/** The form that strangers send. */
export function* suggestions(): Generator<Attack> {
  yield { name: '/suggest', method: 'GET', path: '/suggest' }
  for (const [name, text] of Object.entries({
    long: 'x'.repeat(90_000),
    tags: '<b><i>'.repeat(15_000),
    marks: '&'.repeat(90_000),
  })) {
    const fields = { title: text, description: text, venue: text, organizer: text, name: text, email: text, cost: text }
    const body = new URLSearchParams({ ...fields, start_date: text, end_date: text }).toString()
    yield { name: `/suggest with ${name}`, method: 'POST', path: '/suggest', headers: FORM_TYPE, body }
  }
  const percent = `title=${'%26'.repeat(3_000_000)}`
  yield { name: '/suggest of percent signs', method: 'POST', path: '/suggest', headers: FORM_TYPE, body: percent }
  const signing = new URLSearchParams({ user: '&'.repeat(100_000), password: 'x', next: '&'.repeat(200_000) })
  yield { name: '/sign-in', method: 'POST', path: '/sign-in', headers: FORM_TYPE, body: signing.toString() }
}
