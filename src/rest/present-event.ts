import { abbreviation } from '../calendar/abbreviation.ts'
import { wallParts } from '../calendar/civil.ts'
import { toWallClock, type WallClock } from '../calendar/zone.ts'
import type { Event, EventRow, TicketRow } from '../domain/events.ts'
import type { Site } from '../domain/scope.ts'
import type { Term } from '../domain/terms.ts'
import type { Addresses } from '../http/addresses.ts'
import { readCost, writtenCost } from '../lib/cost.ts'
import { encode, inertText } from '../lib/html.ts'
import { type eventFields, type PlainEventField, plainEventFields, type UnshownEventField } from '../schema/event.ts'
import { byLinkedKind, type LinkedKind, SHOWN_ALONE } from '../schema/linked.ts'
import type { recordFields } from '../schema/record.ts'
import { eventLd, inertLd } from './json-ld.ts'
import { identity, image, linkedRecord, plainValue, recordHead, term } from './present.ts'
import { occurrence, seriesDates, seriesPart } from './present-recurrence.ts'

/** Linked records in an event response. */
export interface ShownLinks {
  readonly parent: unknown
  readonly categories: unknown
  readonly tags: unknown
  readonly linked: Readonly<Record<LinkedKind, unknown>>
  /** Members of `recurrence` that all occurrences share. */
  readonly series: Readonly<Record<string, unknown>> | null
}

/** Event in a list. A protected event shows title and dates only. */
export function event(
  shown: Event,
  addresses: Addresses,
  site: Site,
  links: ShownLinks = shownLinks(shown, addresses, site),
): Record<string, unknown> {
  const { row } = shown
  const url = `${addresses.home}/event/${row.slug}/`
  return {
    id: row.id,
    ...identity(row.id, addresses.host),
    ...recordHead(row, site.timezone),
    url,
    rest_url: `${addresses.rest}/events/${row.id}`,
    title: encode(row.title),
    slug: row.slug,
    ...times(row),
    ...(shown.whole ? details(shown, url, addresses, site, links) : HIDDEN),
    ...(shown.distance !== null && { distance: Math.round(shown.distance * 1000) / 1000 }),
    custom_fields: [],
  }
}

/** Single event, with JSON-LD. */
export function singleEvent(shown: Event, addresses: Addresses, site: Site): Record<string, unknown> {
  const { row, series, whole } = shown
  const body = event(shown, addresses, site)
  const isWithDates = series !== null && whole && row.id === series.first
  return {
    ...body,
    ...(isWithDates && { recurrence: { ...(body.recurrence as object), ...seriesDates(series) } }),
    json_ld: inertLd(eventLd(shown, addresses, site)),
  }
}

/** Response for a removed event whose row is damaged: what can be read of it. */
export function damagedEvent({ row }: Event, addresses: Addresses): Record<string, unknown> {
  return {
    id: row.id,
    ...identity(row.id, addresses.host),
    author: String(row.author),
    status: row.status,
    rest_url: `${addresses.rest}/events/${row.id}`,
    title: encode(String(row.title)),
    slug: String(row.slug),
  }
}

function times(row: EventRow): Record<string, unknown> {
  const utcStart = toWallClock(row.start_utc, 'UTC')
  const utcEnd = toWallClock(row.end_utc, 'UTC')
  return {
    start_date: row.start_local,
    start_date_details: parts(row.start_local),
    end_date: row.end_local,
    end_date_details: parts(row.end_local),
    utc_start_date: utcStart,
    utc_start_date_details: parts(utcStart),
    utc_end_date: utcEnd,
    utc_end_date_details: parts(utcEnd),
    timezone: row.timezone,
    timezone_abbr: abbreviation(row.start_utc, row.timezone),
  }
}

function parts(wall: WallClock): Record<string, string> {
  const [year = '', month = '', day = '', hour = '', minutes = '', seconds = ''] = wallParts(wall)
  return { year, month, day, hour, minutes, seconds }
}

function shownLinks(event: Event, addresses: Addresses, site: Site): ShownLinks {
  const { categories, tags, parent } = event
  const linked = (kind: LinkedKind) => {
    const records = event[`${kind}s`].map((record) => linkedRecord(kind, record, addresses, site.timezone))
    return records.length === 1 && SHOWN_ALONE.includes(kind) ? records[0] : records
  }
  return {
    parent,
    categories: categories.map((category) => embeddedTerm(category, addresses)),
    tags: tags.map((tag) => embeddedTerm(tag, addresses)),
    linked: byLinkedKind(linked),
    series: event.series && seriesPart(event.series, addresses.language),
  }
}

/** Fields with their own rule, shown only with full access. */
type Detail = Exclude<
  keyof typeof eventFields,
  Exclude<keyof typeof recordFields, 'description' | 'image'> | EventHead | PlainEventField | UnshownEventField
>
/** Fields that are always shown. */
type EventHead = 'title' | 'start_date' | 'end_date' | 'timezone'
/** Details that are left out when empty. */
type Optional = 'parent' | 'tickets'
type Details = Record<Exclude<Detail, Optional>, unknown> & Partial<Record<Optional, unknown>> & Record<string, unknown>

function details(
  { row, image: picture, tickets }: Event,
  url: string,
  addresses: Addresses,
  site: Site,
  links: ShownLinks,
): Details {
  const cost = readCost(row.cost, site.currency)
  return {
    description: row.description ?? '',
    excerpt: row.excerpt ?? '',
    image: picture === null ? false : image(picture, addresses.home),
    all_day: row.all_day === 1,
    cost: encode(cost.text),
    cost_text: inertText(writtenCost(row.cost)),
    cost_details: {
      currency_symbol: cost.symbol,
      currency_code: cost.code,
      currency_position: cost.position,
      values: cost.values,
    },
    website: row.website ?? url,
    ...plainFields(row),
    ...(links.parent !== null && { parent: links.parent }),
    recurrence: row.series === null ? null : { ...occurrence(row), ...links.series },
    categories: links.categories,
    tags: links.tags,
    ...links.linked,
    ticketed: tickets.length > 0,
    ...(tickets.length > 0 && { tickets: tickets.map((one) => ticket(one, row)) }),
  }
}

/** Stored fields by type; an empty text is `''`. */
function plainFields(row: EventRow): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, field] of plainEventFields) shown[name] = plainValue(field, row[name] ?? HIDDEN_PLAIN[name])
  return shown
}

/** Ticket with dates in the event's zone. */
function ticket(
  { id, name, price, currency, url, capacity, available_from: from, available_until: until }: TicketRow,
  { timezone }: EventRow,
): Record<string, unknown> {
  return {
    id,
    name: encode(name),
    price,
    currency,
    url,
    capacity,
    available_from: from === null ? null : toWallClock(from, timezone),
    available_until: until === null ? null : toWallClock(until, timezone),
  }
}

/** Tags in events have a `parent` of 0. */
export function embeddedTerm(row: Term, addresses: Addresses): Record<string, unknown> {
  return { ...term(row, addresses), parent: row.parent }
}

/** Empty values of plain fields; also shown by protected events. */
const HIDDEN_PLAIN: Record<string, '' | null> = Object.fromEntries(
  plainEventFields.map(([name, { kind }]) => [name, kind.type === 'string' ? '' : null]),
)

/** Details of a protected event. */
const HIDDEN: Details = {
  description: '',
  excerpt: '',
  image: false,
  all_day: null,
  cost: '',
  cost_text: '',
  cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
  website: '',
  ...HIDDEN_PLAIN,
  recurrence: null,
  categories: [],
  tags: [],
  ...byLinkedKind(() => []),
  ticketed: null,
}
