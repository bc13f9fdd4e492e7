import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { CATEGORIES, ORGANIZERS, TAGS, VENUES } from '../../bench/rows.ts'
import { rareWord } from '../../bench/words.ts'
import { feeds } from '../../src/feeds/views.ts'
import { NAMESPACE } from '../../src/http/endpoint.ts'
import { pages } from '../../src/pages/views.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import type { Field, Fields } from '../../src/schema/field.ts'
import * as references from '../../src/schema/references.ts'
import * as types from '../../src/schema/value-types.ts'
import { HOSTILE_CALENDARS } from '../support/hostile-calendars.ts'
import type { Attack } from './attack.ts'
import { assistants, histories } from './histories.ts'
import { quickChoices, wordSearches } from './reader-attacks.ts'
import { screens, staffForms, suggestions } from './staff-attacks.ts'

const API = `/${NAMESPACE}`
const EVERYTHING = 'start_date=0001-01-01&end_date=9999-12-31'
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const CALENDAR_TYPE = { 'content-type': 'text/calendar' }

/** Whether every value of a parameter of pages and feeds is tried, or the first one or two. */
const IS_THOROUGH = process.env.KALENDS_COST_THOROUGH === 'yes'
const some = <T>(values: readonly T[], few: number) => (IS_THOROUGH ? values : values.slice(0, few))

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, n) => from + n)
const words = (count: number) => numbers(count).map((n) => `w${n.toString(36)}`)

/** The worst texts to search for, at most 2000 characters each. */
const SEARCHES = [
  'e',
  'an',
  'the',
  'the '.repeat(499).trim(),
  words(400).join(' ').slice(0, 2000),
  'in '.repeat(600),
  '%'.repeat(2000),
  '"'.repeat(2000),
  'ß'.repeat(600),
  'é́'.repeat(300),
]

/** The worst values of a query parameter. */
function worstValues({ kind }: Field): string[] {
  const { enum: allowed } = kind.schema as { enum?: readonly unknown[] }
  if (kind === types.exact) return SEARCHES
  if (kind === types.date)
    return ['0001-01-01', '9999-12-31', 'tomorrow', 'next '.repeat(400), '1'.repeat(2000), '+1 day '.repeat(280)]
  if (kind === types.ids) return [numbers(500).join(), numbers(2500).join(), '1,'.repeat(5000)]
  if (kind === references.terms) return [numbers(20).join(), numbers(100).join(), words(100).join(), words(2000).join()]
  if (kind === types.flag) return ['true', 'false']
  if (kind.type === 'integer') return ['1', '50', '999999999', '9'.repeat(2000)]
  if (kind.type === 'number') return ['0', '90', '-0.000001', '9'.repeat(2000)]
  if (Array.isArray(allowed)) return allowed.map(String)
  return ['publish', 'publish,draft,private,trash,pending,future', 'x'.repeat(2000)]
}

/** Every read of the REST interface with the worst that each parameter allows, alone and over all dates. */
function* reads(): Generator<Attack> {
  for (const { name, methods, path, parameters } of endpoints) {
    if (!methods.includes('GET')) continue
    const base = `${API}${path.replace(':id', '200').replace(':slug', 'venue-7')}`
    yield { name: `${name}`, method: 'GET', path: base }
    const isList = 'per_page' in parameters
    for (const [parameter, field] of Object.entries(parameters)) {
      for (const value of worstValues(field)) {
        const query = `${parameter}=${encodeURIComponent(value)}`
        const label = `${name} ${query.slice(0, 60)} (${value.length})`
        yield { name: label, method: 'GET', path: `${base}?${query}${isList ? '&per_page=50' : ''}` }
        if (name === 'events.list' && !/date|starts|ends/.test(parameter))
          yield { name: `${label}, all dates`, method: 'GET', path: `${base}?${query}&${EVERYTHING}` }
      }
    }
    yield { name: `${name} _fields`, method: 'GET', path: `${base}?_fields=${words(1500).join()}` }
    yield { name: `${name} deep _fields`, method: 'GET', path: `${base}?_fields=${'a.'.repeat(4000)}` }
  }
  const near = 'geoloc_lat=48.85&geoloc_lng=2.35'
  yield { name: 'everywhere', method: 'GET', path: `${API}/events?${near}&geoloc_radius=20000&${EVERYTHING}` }
  yield { name: 'near', method: 'GET', path: `${API}/events?${near}&geoloc_radius=1` }
  yield { name: 'strict', method: 'GET', path: `${API}/events?${EVERYTHING}&strict_dates=true&featured=false` }
  yield* textSearches()
  for (const page of [1000, 10_000, 1_000_000])
    yield { name: `page ${page}`, method: 'GET', path: `${API}/events?${EVERYTHING}&page=${page}&per_page=1` }
  yield {
    name: 'many fields',
    method: 'GET',
    path: `${API}/events?${numbers(3000)
      .map((n) => `a${n}=`)
      .join('&')}`,
  }
  yield {
    name: 'indexes',
    method: 'GET',
    path: `${API}/events?${numbers(1000)
      .map((n) => `tags[${n}]=1`)
      .join('&')}`,
  }
}

/** Searches for words of many and of five events, with filters that name very many more. */
function* textSearches(): Generator<Attack> {
  const links = {
    categories: numbers(CATEGORIES),
    tags: numbers(TAGS, CATEGORIES + 1),
    venue: numbers(VENUES),
    organizer: numbers(ORGANIZERS, VENUES + 1),
  }
  const filters = Object.entries(links).map(([name, values]) => `${name}=${values}`)
  const all = ['', 'geoloc=true', 'geoloc=false', 'free=true', ...filters, filters.join('&')]
  for (const word of ['music', 'mus', rareWord(1), rareWord(2).slice(0, 5)])
    for (const filter of all)
      yield {
        name: `text ${word} ${filter.slice(0, 30)}`,
        method: 'GET',
        path: `${API}/events?search=${word}&${EVERYTHING}&${filter}`,
      }
}

/** Every page and feed with the worst that each parameter allows. */
function* viewReads(): Generator<Attack> {
  const slugs = [
    '2030-01',
    '2030-01-15',
    'venue-7',
    'organizer-7',
    'tag-7',
    'events-0.xml',
    'venue-7.ics',
    'tag-3.json',
  ]
  for (const { path, parameters = [] } of [...feeds, ...pages]) {
    const slug = slugs.find((one) => one.length > 0 && fits(path, one)) ?? 'venue-7'
    const base = path.replace(/:slug.*/, slug).replace('*', 'category-3')
    yield { name: path, method: 'GET', path: base }
    yield { name: `${path} unknown`, method: 'GET', path: `${base}?x=${randomBytes(8).toString('hex')}` }
    for (const name of parameters) {
      const values = name === 'search' ? SEARCHES : VIEW_VALUES[name]
      for (const value of some(values ?? ['1', 'x'.repeat(2000)], parameters.length > 12 ? 1 : 2)) {
        const query = `${name}=${encodeURIComponent(value)}`
        yield { name: `${path} ${query.slice(0, 60)} (${value.length})`, method: 'GET', path: `${base}?${query}` }
      }
    }
  }
  for (const path of ['/docs', '/embed.js', '/assets/docs.js', '/assets/pages.css'])
    yield { name: path, method: 'GET', path, headers: { 'accept-encoding': 'br' } }
}

const VIEW_VALUES: Record<string, readonly string[]> = {
  category: ['category-3', 'x'.repeat(2000)],
  tag: ['tag-3', 'é'.repeat(600)],
  venue: ['venue-7', '7', numbers(500).join()],
  organizer: ['organizer-7', numbers(500).join()],
  featured: ['1', 'true'],
  start_date: ['0001-01-01', '9999-12-31', '2030-01-01'],
  end_date: ['0001-01-01', '9999-12-31'],
  page: ['1', '1000', '999999999'],
  when: ['weekend', 'tonight'],
  month: ['2030-01', '9999-12'],
}

function fits(path: string, slug: string): boolean {
  if (path.includes('month')) return /^\d{4}-\d{2}$/.test(slug)
  if (/week|day/.test(path)) return /^\d{4}-\d{2}-\d{2}$/.test(slug)
  if (path.includes('sitemap')) return slug.endsWith('.xml')
  if (path.includes('(')) return /\.(ics|json)$/.test(slug) && path.includes(`/${slug.split('-')[0]}/`)
  return path.includes(`/${slug.split('-')[0]}/`) && !slug.includes('.')
}

/** Texts that are hard to read as HTML, as long as a description may be. */
export const HARD_TEXTS: Record<string, string> = Object.fromEntries(
  [
    '<dl></dt>',
    '&',
    '<',
    '<a ',
    '<p>',
    '</p>',
    '<b><i>',
    '<!--',
    '&#x41;',
    '<img src=x ',
    'a\n\n',
    '"',
    "<a href='",
    '<table>',
    'x',
    '<x y="',
    '< ',
  ].map((part) => [part, part.repeat(Math.floor(99_000 / part.length))]),
)

/** Every write with the worst that each field allows. */
function* writes(): Generator<Attack> {
  for (const { name, methods, path, parameters, upload } of endpoints) {
    if (!methods.includes('POST') || path.includes(':') || upload) continue
    const send = (label: string, fields: Record<string, unknown>): Attack => ({
      name: `${name} ${label}`,
      method: 'POST',
      path: `${API}${path}`,
      headers: JSON_TYPE,
      body: JSON.stringify({ ...required(name), ...fields }),
    })
    const rich = Object.keys(parameters).filter((field) => isRich(parameters, field))
    for (const [label, text] of Object.entries(HARD_TEXTS))
      yield send(`with ${label}`, Object.fromEntries(rich.map((field) => [field, text])))
    const short = Object.keys(parameters).filter((field) => parameters[field]?.kind === types.text)
    for (const label of ['<', '&lt;', '<a ', '&amp;'])
      yield send(`short ${label}`, Object.fromEntries(short.map((field) => [field, label.repeat(1900 / label.length)])))
  }
  yield* eventWrites()
}

function isRich(parameters: Fields, field: string): boolean {
  const kind = parameters[field]?.kind
  return kind === types.richHtml || kind === types.safeHtml
}

let made = 0

function required(name: string): Record<string, unknown> {
  const title = `Made ${made++}`
  if (name.startsWith('events')) return { title, start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
  return { venue: title, organizer: title, name: title }
}

function* eventWrites(): Generator<Attack> {
  const post = (label: string, fields: object): Attack => ({
    name: `event ${label}`,
    method: 'POST',
    path: `${API}/events`,
    headers: JSON_TYPE,
    body: JSON.stringify({ ...required('events'), ...fields }),
  })
  const text = HARD_TEXTS['<b><i>'] ?? ''
  const inline = numbers(4).map((n) => ({ venue: `Place ${n}`, description: text, address: '<'.repeat(1900) }))
  yield { ...post('plain', {}), normal: true }
  yield post('with hard venues', { venue: inline })
  yield post('with new terms', {
    tags: words(100).map((w) => `${w}${made}`),
    categories: words(100).map((w) => w + made),
  })
  yield post('with new places', {
    venue: words(50).map((venue) => ({ venue })),
    organizer: words(50).map((organizer) => ({ organizer })),
  })
  yield post('with tickets', { tickets: numbers(50).map((n) => ({ name: `T ${n}`, price: '1.00' })) })
  yield post('with a hard cost', { cost: '1 - '.repeat(49) })
  yield post('with a hard date', { start_date: 'next '.repeat(400) })
  const body = (label: string, path: string, headers: Record<string, string>, sent: Buffer | string): Attack => ({
    name: label,
    method: 'POST',
    path,
    headers,
    body: sent,
  })
  const indexes = numbers(5000)
    .map((n) => `a[${5000 - n}]=1`)
    .join('&')
  yield body('a form of indexes to a page', '/event/none/', FORM_TYPE, indexes)
  yield body('a form of indexes', `${API}/events`, FORM_TYPE, indexes)
  yield body('a form of one name', `${API}/events`, FORM_TYPE, 'a=1&'.repeat(4999))
  yield body('a form of lists', `${API}/events`, FORM_TYPE, 'a[]=1&'.repeat(4999))
  yield body('a form of depth', `${API}/events`, FORM_TYPE, `a${'[b]'.repeat(300_000)}=1`)
  yield body('a form of many fields', `${API}/events`, FORM_TYPE, 'a=1&'.repeat(250_000))
  yield body('a form of percent signs', `${API}/events`, FORM_TYPE, `a=${'%41'.repeat(340_000)}`)
  yield body('deep JSON', `${API}/events`, JSON_TYPE, `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`)
  yield body(
    'wide JSON',
    `${API}/events`,
    JSON_TYPE,
    `{${numbers(80_000)
      .map((n) => `"k${n}":1`)
      .join()}}`,
  )
  yield body(
    'long lists',
    `${API}/events`,
    JSON_TYPE,
    JSON.stringify({ ...required('events'), tags: numbers(140_000) }),
  )
  yield multipart(`${API}/events`, 20_000)
  yield multipart(`${API}/images`, 180_000)
}

function multipart(path: string, parts: number): Attack {
  const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return { name: `${parts} parts to ${path}`, method: 'POST', path, headers, body: `${part.repeat(parts)}--b--\r\n` }
}

/** Calendars that are hard to read, as large as an upload may be. */
function* imports(): Generator<Attack> {
  const send = (name: string, lines: string): Attack => {
    const body = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n${lines}END:VCALENDAR\r\n`
    return { name: `import ${name}`, method: 'POST', path: `${API}/import?dry_run=true`, headers: CALENDAR_TYPE, body }
  }
  const event = (n: number, more = '') =>
    `BEGIN:VEVENT\r\nUID:cost-${n}\r\nDTSTART:20310610T190000Z\r\nDTEND:20310610T200000Z\r\nSUMMARY:Event ${n}\r\n${more}END:VEVENT\r\n`
  yield send(
    'many events',
    numbers(2000)
      .map((n) => event(n))
      .join(''),
  )
  yield send('one long line', event(1, `DESCRIPTION:${'x'.repeat(5_000_000)}\r\n`))
  yield send('a folded line', event(1, `DESCRIPTION:${'x\r\n '.repeat(1_000_000)}\r\n`))
  yield send('many lines', event(1, 'X-A:b\r\n'.repeat(500_000)))
  yield send('many parameters', event(1, `X-A;${'B=c;'.repeat(200_000)}D=e:f\r\n`))
  yield send('hard HTML', event(1, `DESCRIPTION:${HARD_TEXTS['<dl></dt>']}\r\n`))
  yield send(
    'long series',
    numbers(20)
      .map((n) => event(n, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30\r\n'))
      .join(''),
  )
  yield send(
    'endless series',
    numbers(20)
      .map((n) => event(n, 'RRULE:FREQ=YEARLY;BYYEARDAY=366;BYDAY=MO\r\n'))
      .join(''),
  )
  yield send('nested', 'BEGIN:VEVENT\r\n'.repeat(200_000))
  for (const [name, make] of some(Object.entries(HOSTILE_CALENDARS), 3))
    yield { ...send(name, ''), body: make(IS_THOROUGH ? 9_000_000 : 1_000_000) }
}

/** Pictures that are hard to decode. */
function* pictures(): Generator<Attack> {
  const send = (name: string, body: Buffer): Attack => ({
    name: `picture ${name}`,
    method: 'POST',
    path: `${API}/images`,
    headers: { 'content-type': 'application/octet-stream' },
    body,
  })
  yield send('of noise', randomBytes(9_000_000))
  yield send('of many frames', gif(600_000))
  yield send('of many pixels', png(30_000))
}

/** A GIF of one pixel with so many frames. */
function gif(frames: number): Buffer {
  const head = Buffer.from('4749463839610100010080000000000000ffffff', 'hex')
  const frame = Buffer.from('2c0000000001000100000202440100', 'hex')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

/** A black PNG of so many pixels on each side. */
function png(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const typed = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length)
    return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const data = deflateSync(Buffer.alloc(1_000_000))
  const parts = [chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts])
}

/** What known clients send all the time, before and after a write. */
function* normalReads(): Generator<Attack> {
  const get = (path: string): Attack => ({ name: `normal ${path}`, method: 'GET', path: `${API}${path}`, normal: true })
  yield get('/events')
  yield get('/events/200')
  yield get('/venues/7')
  yield get('/events?search=concert')
}

/** Writes that touch many rows, last: they leave less behind. */
function* removals(): Generator<Attack> {
  for (const path of ['/tags/25', '/categories/3', '/venues/7?force=true', '/organizers/57?force=true'])
    yield { name: `remove ${path}`, method: 'DELETE', path: `${API}${path}` }
}

/** Every attack, by group. */
export const ATTACKS: Record<string, () => Generator<Attack>> = {
  'normal requests': normalReads,
  'reads of the REST interface': reads,
  'pages and feeds': viewReads,
  'searches by words': wordSearches,
  'quick choices': quickChoices,
  'screens of the staff': screens,
  'histories and batches': histories,
  assistants,
  suggestions,
  'writes of the REST interface': writes,
  imports,
  pictures,
  'forms of the staff': staffForms,
  removals,
}
