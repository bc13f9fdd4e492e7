import { escapeText, joinTexts, writeLine } from '../calendar/content-lines.ts'
import { basic, describing, type ZoneDescription } from '../calendar/vtimezone.ts'
import {
  type Instant,
  isManual,
  offsetSeconds,
  plainSpan,
  toWallClock,
  type WallClock,
  type Zone,
} from '../calendar/zone.ts'
import type { StreamedEvent, StreamedSeries } from '../domain/event-stream.ts'
import type { Event, EventRow, SeriesRow } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import type { Addresses } from '../http/addresses.ts'
import { plainLines } from '../lib/plain-lines.ts'
import { runInSlices } from '../lib/time-slices.ts'
import { eventFields } from '../schema/event.ts'
import { LINKED_FIELDS, LINKED_KINDS } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import { whereText } from './event-text.ts'
import { type Feed, type Format, inPieces } from './feed.ts'
import { firstRow, isAllDay, ownLines, recurrenceId, recurrenceLines, seriesTimes } from './icalendar-series.ts'
import { importStatus, linkedFields, storedFields, ticketFields } from './stored-fields.ts'
import { TermLines } from './term-lines.ts'

/** iCalendar: RFC 5545, with what RFC 7986 adds for calendars that are subscribed to. */
export const icalendar: Format = {
  extension: 'ics',
  label: 'iCalendar',
  type: 'text/calendar; charset=utf-8',
  feedsOf: ['lists', 'events'],
  isExport: true,
  isAttachment: true,
  joinsSeries: true,
  period: 'all',
  write,
}

/** Refresh interval for subscribers. */
const REFRESH = 'PT1H'

/** Epoch of SEQUENCE, so that it fits the integers of RFC 5545 §3.3.8 until 2088. */
const SEQUENCE_FROM = Date.UTC(2020, 0) / 1000
const MAX_SEQUENCE = 2 ** 31 - 1

/** Described zones, each with the unambiguous time span around its last event. */
type Zones = ReadonlyMap<Zone, ZoneDescription & { plain: ReturnType<typeof plainSpan> }>

async function* write(feed: Feed): AsyncGenerator<string> {
  const { events, site, now, addresses, self } = feed
  yield head(feed)
  const zones = new Map<Zone, ZoneDescription & { plain: ReturnType<typeof plainSpan> }>()
  for (const { timezone, first, last } of events.zones) {
    if (timezone === 'UTC' || isManual(timezone)) continue
    const zone = await runInSlices(describing(timezone, first, last))
    zones.set(timezone, { ...zone, plain: plainSpan(first, timezone) })
    yield zone.text
  }
  const terms = self === null ? new TermLines() : null
  let isEmpty = zones.size === 0
  const entries = entriesOf({ addresses, zones, terms })
  for await (const piece of inPieces(events, entries)) {
    isEmpty = false
    yield piece
  }
  // A calendar must hold something (RFC 5545 §3.6): without events, the zone of the site.
  if (isEmpty) {
    const zone = isManual(site.timezone) ? 'UTC' : site.timezone
    yield (await runInSlices(describing(zone, now(), now()))).text
  }
  yield writeLine('END', 'VCALENDAR')
}

function head({ title, self, page, site, events }: Feed): string {
  return lines([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//Kalends//Kalends//EN'],
    ['CALSCALE', 'GREGORIAN'],
    ['NAME', escapeText(title)],
    ['X-WR-CALNAME', escapeText(title)],
    !isManual(site.timezone) && ['X-WR-TIMEZONE', escapeText(site.timezone)],
    self !== null && ['UID', escapeText(self)],
    events.modified !== null && ['LAST-MODIFIED', utc(events.modified)],
    ['URL', page],
    self !== null && ['SOURCE', self, { VALUE: 'URI' }],
    ['REFRESH-INTERVAL', REFRESH, { VALUE: 'DURATION' }],
    ['X-PUBLISHED-TTL', REFRESH],
  ])
}

/** STATUS: only unpublished events of an export are not CONFIRMED. */
const STATUS: Partial<Record<Status, string>> = { draft: 'TENTATIVE', pending: 'TENTATIVE', trash: 'CANCELLED' }

/** What the entries of a calendar are written with. */
interface Context {
  readonly addresses: Addresses
  readonly zones: Zones
  /** Null but for exports. */
  readonly terms: TermLines | null
}

/** What an entry says as part of a series. */
interface InSeries {
  readonly series: SeriesRow
  /** The series itself; null for one of its events. */
  readonly whole: StreamedSeries | null
}

/** Writes events. Those of a series are one entry, and one for each that was changed. */
function entriesOf(context: Context): (event: StreamedEvent) => string {
  const joined = new Set<number>()
  return (event) => {
    const { row, series, begins } = event
    if (series === null) return vevent(event, context)
    if (begins !== null && isDescribed(series, context.zones)) joined.add(series.id)
    const own = () => vevent(event, context, { series, whole: null })
    if (!joined.has(series.id)) return own()
    const whole = begins === null ? '' : seriesEntry(begins, event.moves, context)
    return row.own_fields === null ? whole : whole + own()
  }
}

/** Whether the times of a series can be written by the clock of its zone. */
function isDescribed({ timezone, template }: SeriesRow, zones: Zones): boolean {
  return timezone === 'UTC' || isManual(timezone) || zones.has(timezone) || isAllDay({ template })
}

/** The entry of a series: the first event as the series says, and the rule. */
function seriesEntry(whole: StreamedSeries, moves: number, context: Context): string {
  const event = { ...whole.content, row: firstRow(whole), moves, begins: null }
  return vevent(event, context, { series: whole.series, whole })
}

function vevent(event: StreamedEvent, { addresses, zones, terms }: Context, within: InSeries | null = null): string {
  const { row, venues, organizers, categories, tags, image, parent } = event
  const linked = LINKED_KINDS.flatMap((kind) => event[`${kind}s`])
  const picture = image && `${addresses.home}/images/${image.file}`
  const [first, ...others] = organizers
  const place = venues.find((venue) => venue.row.geo_lat !== null)?.row
  const whole = within?.whole ?? null
  const written = whole?.series ?? row
  const changed = Math.max(written.modified_utc, ...linked.map((one) => one.row.modified_utc))
  const names = (list: readonly { name: string }[]) => joinTexts(list.map(({ name }) => name))
  return lines([
    ['BEGIN', 'VEVENT'],
    ['UID', escapeText(uid(within?.series.id ?? row.id, addresses))],
    // Without a METHOD this is the time of the last change (RFC 5545 §3.8.7.2), and so the same each time it is asked for.
    ['DTSTAMP', utc(changed)],
    within !== null && whole === null && recurrenceId(row, within.series),
    ...(whole === null ? times(row, zones) : [...seriesTimes(whole, row), ...recurrenceLines(whole)]),
    ['CREATED', utc(row.date_utc)],
    ['LAST-MODIFIED', utc(changed)],
    ['SEQUENCE', String(sequence(written, event.moves))],
    ['STATUS', STATUS[row.status] ?? 'CONFIRMED'],
    (row.status === 'private' || row.password_hash !== null) && ['CLASS', 'PRIVATE'],
    ['TRANSP', row.all_day === 1 ? 'TRANSPARENT' : 'OPAQUE'],
    ['SUMMARY', escapeText(row.title)],
    ...descriptions(row),
    venues.length > 0 && ['LOCATION', escapeText(whereText(event))],
    place !== undefined && ['GEO', `${place.geo_lat};${place.geo_lng}`],
    ['URL', `${addresses.home}/event/${row.slug}/`],
    first !== undefined && ['ORGANIZER', organizerAddress(first, addresses), { CN: String(first.row.organizer) }],
    ...others.map((other): Line => ['CONTACT', escapeText(contactText(other))]),
    categories.length > 0 && ['CATEGORIES', names(categories)],
    tags.length > 0 && ['CATEGORIES', names(tags), { 'X-KALENDS-KIND': 'TAG' }],
    picture !== null && ['IMAGE', picture, { VALUE: 'URI', DISPLAY: 'BADGE', FMTTYPE: image?.mime ?? '' }],
    picture !== null && ['ATTACH', picture, { FMTTYPE: image?.mime ?? '' }],
    parent !== null &&
      parent !== row.series && ['RELATED-TO', escapeText(uid(parent, addresses)), { RELTYPE: 'PARENT' }],
    ...(terms?.of(event) ?? []).map((term): Line => ['X-KALENDS-TERM', escapeText(term), { VALUE: 'TEXT' }]),
    ...(terms !== null && whole !== null ? ownLines(whole) : []),
    terms !== null && ['X-KALENDS-FIELDS', escapeText(JSON.stringify(fields(event, whole))), { VALUE: 'TEXT' }],
    ['END', 'VEVENT'],
  ])
}

/** Globally unique and permanent UID of an event. */
function uid(id: number, { host }: Addresses): string {
  return `event-${id}@${host}`
}

/**
 * Grows with every change, see migration 0013. Until the first one it is the time at which the event was written. Changes
 * of its place are significant too (RFC 5545 §3.8.7.4), and are counted by its venues: see migration 0016.
 */
function sequence({ sequence, modified_utc }: Pick<EventRow, 'sequence' | 'modified_utc'>, moves: number): number {
  return Math.min(Math.max(sequence, modified_utc - SEQUENCE_FROM, 0) + moves, MAX_SEQUENCE)
}

function times(row: EventRow, zones: Zones): Line[] {
  if (row.all_day === 1) return days(row)
  const start = dateLine('DTSTART', row.start_utc, row.start_local, row.timezone, zones)
  // An end must be later than the start (RFC 5545 §3.6.1): what takes no time has none.
  return row.end_utc > row.start_utc
    ? [start, dateLine('DTEND', row.end_utc, row.end_local, row.timezone, zones)]
    : [start]
}

/**
 * Local time with TZID, if the VTIMEZONE maps it to the same instant; else UTC. A manual offset has no VTIMEZONE: many
 * programs know zones by their names only, and take `UTC+2` for UTC.
 */
function dateLine(name: string, instant: Instant, wall: WallClock, zone: Zone, zones: Zones): Line {
  const known = zones.get(zone)
  if (known === undefined || instant < known.from || instant >= known.until) return [name, utc(instant)]
  // Events come in order, so the span of the last one is nearly always that of the next.
  if (instant < known.plain.from || instant >= known.plain.until) known.plain = plainSpan(instant, zone)
  // The first instant after a repeated hour is what the clock showed when it was put back: some read it as that.
  const isPlain = instant > known.plain.from && instant < known.plain.until
  // Many programs drop the seconds of old local mean times.
  const isWhole = isPlain && (instant > MODERN || offsetSeconds(instant, zone) % 60 === 0)
  return isWhole ? [name, basic(wall), { TZID: zone }] : [name, utc(instant)]
}

/** All later offsets are whole minutes. */
const MODERN = Date.UTC(1973, 0) / 1000

/** All-day dates. DTEND is the day after the last. */
function days({ start_local, end_local }: EventRow): Line[] {
  const first = Temporal.PlainDate.from(start_local.slice(0, 10))
  const end = Temporal.PlainDate.from(end_local.slice(0, 10)).add({ days: 1 })
  const date = (day: Temporal.PlainDate) => day.toString().replaceAll('-', '')
  return [
    ['DTSTART', date(first), { VALUE: 'DATE' }],
    // The day after the last that can be written cannot be.
    end.year > 9999
      ? ['DURATION', `P${first.until(end, { largestUnit: 'days' }).days}D`]
      : ['DTEND', date(end), { VALUE: 'DATE' }],
  ]
}

/** DESCRIPTION as plain text, and X-ALT-DESC as HTML. */
function descriptions({ description }: EventRow): (Line | false)[] {
  if (!description) return []
  return [
    ['DESCRIPTION', escapeText(plainLines(description))],
    /[<&]/.test(description) && ['X-ALT-DESC', escapeText(description), { FMTTYPE: 'text/html' }],
  ]
}

function organizerAddress({ row }: Linked, { home }: Addresses): string {
  return row.email ? `mailto:${row.email}` : String(row.website || `${home}/organizer/${row.slug}/`)
}

function contactText({ row }: Linked): string {
  return [row.organizer, row.email, row.phone, row.website].filter(Boolean).join(', ')
}

/** Fields of ours that no property is made for, by their names in the REST interface: an export can be taken in again. */
function fields(event: Event, whole: StreamedSeries | null): Record<string, unknown> {
  const { row, categories, tags, tickets } = event
  const linked = LINKED_KINDS.filter((kind) => event[`${kind}s`].length > 0).map((kind) => [
    kind,
    event[`${kind}s`].map((one) => linkedFields(LINKED_FIELDS[kind], one)),
  ])
  return {
    ...storedFields(eventFields, row, ['title', 'description', 'all_day']),
    slug: whole?.series.slug ?? row.slug,
    ...(whole !== null && { slugs: whole.slugs }),
    timezone: row.timezone,
    status: importStatus(row),
    date_utc: toWallClock(row.date_utc, 'UTC'),
    ...Object.fromEntries(linked),
    ...(categories.length > 0 && { categories: categories.map(({ slug }) => slug) }),
    ...(tags.length > 0 && { tags: tags.map(({ slug }) => slug) }),
    ...(tickets.length > 0 && { tickets: tickets.map((ticket) => ticketFields(ticket, row)) }),
  }
}

function utc(instant: Instant): string {
  return new Date(instant * 1000).toISOString().replace(/[-:]|\.000/g, '')
}

type Line = Parameters<typeof writeLine>

/** Joins lines, without those that are null. */
function lines(list: readonly (Line | false)[]): string {
  return list.map((line) => (line === false ? '' : writeLine(...line))).join('')
}
