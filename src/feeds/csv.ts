import { type Instant, toInstant, toIso, toWallClock, type WallClock, type Zone } from '../calendar/zone.ts'
import type { Event } from '../domain/events.ts'
import type { Linked, LinkedKind } from '../domain/linked-records.ts'
import { joinNames, protectText, quoteCell } from '../lib/table-cells.ts'
import { eventFields, type NOT_IN_TABLES, type PlainEventField, plainEventFields } from '../schema/event.ts'
import { byLinkedKind } from '../schema/linked.ts'
import { type Feed, type Format, inPieces } from './feed.ts'
import { recurrenceCell } from './recurrence-cell.ts'
import { importStatus } from './stored-fields.ts'

/** Comma-separated values: RFC 4180, with a heading. Columns have the names of the fields of the REST interface. */
export const csv: Format = {
  extension: 'csv',
  label: 'CSV',
  type: 'text/csv; charset=utf-8; header=present',
  feedsOf: [],
  isExport: true,
  period: 'all',
  write,
}

type Cell = string | number | null

type Write = (event: Event, feed: Feed, toldSeries: Set<number>) => Cell

const flag = (value: unknown) => (value === 1 ? 'true' : 'false')
/** Local time of the event. The second of two equal local times has its offset. */
const when = (instant: Instant, wall: WallClock, zone: Zone) =>
  toInstant(wall, zone) === instant ? wall : toIso(instant, zone)
const names = (list: readonly { name: string }[]) =>
  joinNames(
    list.map(({ name }) => name),
    ',',
  )
const linked = (kind: LinkedKind, list: readonly Linked[]) =>
  joinNames(
    list.map(({ row }) => String(row[kind])),
    '|',
  )

const plain = (name: PlainEventField): Write =>
  eventFields[name].kind.type === 'boolean' ? ({ row }) => flag(row[name]) : ({ row }) => row[name]

/** Fields with a rule of their own; `date` says the same as `date_utc`. */
type OwnColumn = Exclude<
  keyof typeof eventFields,
  PlainEventField | LinkedKind | (typeof NOT_IN_TABLES)[number] | 'date'
>

/** All columns, in order. Plain fields that are not listed here come last. */
const NAMED: Record<'id' | OwnColumn, Write> & Partial<Record<PlainEventField, Write>> = {
  id: ({ row }) => row.id,
  title: ({ row }) => row.title,
  start_date: ({ row }) => when(row.start_utc, row.start_local, row.timezone),
  end_date: ({ row }) => when(row.end_utc, row.end_local, row.timezone),
  timezone: ({ row }) => row.timezone,
  all_day: ({ row }) => flag(row.all_day),
  status: ({ row }) => importStatus(row),
  slug: ({ row }) => row.slug,
  date_utc: ({ row }) => toWallClock(row.date_utc, 'UTC'),
  description: ({ row }) => row.description,
  excerpt: ({ row }) => row.excerpt,
  cost: ({ row }) => row.cost,
  website: ({ row }) => row.website,
  recurrence: (event, _, told) => recurrenceCell(event, told),
  image: ({ image }, { addresses }) => image && `${addresses.home}/images/${image.file}`,
  categories: ({ categories }) => names(categories),
  tags: ({ tags }) => names(tags),
  featured: plain('featured'),
  sticky: plain('sticky'),
  hide_from_listings: plain('hide_from_listings'),
  show_map: plain('show_map'),
  show_map_link: plain('show_map_link'),
  ...byLinkedKind(
    (kind): Write =>
      (event) =>
        linked(kind, event[`${kind}s`]),
  ),
}
const COLUMNS = Object.entries({
  ...NAMED,
  ...Object.fromEntries(plainEventFields.map(([name]) => [name, NAMED[name] ?? plain(name)])),
})

async function* write(feed: Feed): AsyncGenerator<string> {
  yield line(COLUMNS.map(([name]) => name))
  const told = new Set<number>()
  yield* inPieces(feed.events, (event) => line(COLUMNS.map(([, value]) => value(event, feed, told))))
}

function line(cells: readonly Cell[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

function cell(value: Cell): string {
  return typeof value === 'string' ? quoteCell(protectText(value)) : String(value ?? '')
}
