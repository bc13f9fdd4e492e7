import type { Event } from '../../domain/events.ts'
import type { Feed, Format } from './feed.ts'

/** Comma-separated values: RFC 4180, with a heading. Columns have the names of the fields of the REST interface. */
export const csv: Format = { type: 'text/csv; charset=utf-8; header=present', period: 'all', write }

type Cell = string | number | null | undefined

type Column = readonly [name: string, value: (event: Event, feed: Feed) => Cell]

const flag = (value: number) => (value === 1 ? 'true' : 'false')
const names = (list: readonly { name: string }[]) => list.map(({ name }) => listItem(name)).join(', ')

const VENUE = ['address', 'city', 'stateprovince', 'state', 'province', 'zip', 'country', 'phone', 'website'] as const
const PLACE = ['geo_lat', 'geo_lng'] as const
const ORGANIZER = ['email', 'phone', 'website'] as const

const COLUMNS: readonly Column[] = [
  ['id', ({ row }) => row.id],
  ['title', ({ row }) => row.title],
  ['start_date', ({ row }) => row.start_local],
  ['end_date', ({ row }) => row.end_local],
  ['timezone', ({ row }) => row.timezone],
  ['all_day', ({ row }) => flag(row.all_day)],
  ['status', ({ row }) => row.status],
  ['slug', ({ row }) => row.slug],
  ['url', ({ row }, { addresses }) => `${addresses.home}/event/${row.slug}/`],
  ['description', ({ row }) => row.description],
  ['excerpt', ({ row }) => row.excerpt],
  ['cost', ({ row }) => row.cost],
  ['website', ({ row }) => row.website],
  ['image', ({ image }, { addresses }) => image && `${addresses.home}/images/${image.file}`],
  ['categories', ({ categories }) => names(categories)],
  ['tags', ({ tags }) => names(tags)],
  ['featured', ({ row }) => flag(row.featured)],
  ['sticky', ({ row }) => flag(row.sticky)],
  ['hide_from_listings', ({ row }) => flag(row.hide_from_listings)],
  ['show_map', ({ row }) => flag(row.show_map)],
  ['show_map_link', ({ row }) => flag(row.show_map_link)],
  ['venue', ({ venues }) => venues[0]?.row.venue],
  ...[...VENUE, ...PLACE].map((name): Column => [`venue_${name}`, ({ venues }) => venues[0]?.row[name]]),
  ['organizer', ({ organizers }) => organizers[0]?.row.organizer],
  ...ORGANIZER.map((name): Column => [`organizer_${name}`, ({ organizers }) => organizers[0]?.row[name]]),
]

async function* write(feed: Feed): AsyncGenerator<string> {
  yield line(COLUMNS.map(([name]) => name))
  for await (const batch of feed.events.batches()) {
    yield batch.map((event) => line(COLUMNS.map(([, value]) => value(event, feed)))).join('')
  }
}

function line(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * A cell; an apostrophe before what looks like a formula keeps a spreadsheet from running what a stranger wrote. An
 * apostrophe that could be taken for that one gets another, so that reading takes exactly one away.
 */
function cell(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value.replace(/^'+/, '')) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A name in a list that commas part. */
function listItem(name: string): string {
  return name.includes(',') || name.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name
}
