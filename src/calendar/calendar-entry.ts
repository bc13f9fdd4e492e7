import type { WallSeconds } from './civil.ts'
import { type Clock, wallAt } from './clock.ts'
import { type Component, first } from './components.ts'
import { type ContentLine, splitTexts, unescapeText } from './content-lines.ts'
import {
  type ChangedOccurrence,
  type Doubt,
  EntryError,
  endOf,
  occurrenceOf,
  recurrenceOf,
  startOf,
  type Time,
  type Zones,
} from './entry-times.ts'
import type { Recurrence } from './recurrence.ts'
import { findZone, isManual, type Zone } from './zone.ts'

/** A VEVENT, with its times by the clock of one zone. */
export interface CalendarEntry {
  readonly uid: string
  readonly line: number
  /** Which occurrence of the entry this one changes, by the clock of its own zone. */
  readonly occurrence: ChangedOccurrence | null
  readonly allDay: boolean
  /** What the entry recurs by. */
  readonly zone: Clock
  /** What it is shown in; another than `zone` only for times in UTC. */
  readonly shownIn: Clock
  readonly start: WallSeconds
  /** Of whole days, the last second of the last. */
  readonly end: WallSeconds
  readonly recurrence: Recurrence | null
  /** SUMMARY, however long; empty without one. */
  readonly title: string
  readonly description: { readonly text: string; readonly isHtml: boolean }
  readonly location: string
  readonly place: { readonly lat: string; readonly lng: string } | null
  readonly organizer: { readonly name: string; readonly email: string } | null
  readonly categories: readonly string[]
  readonly tags: readonly string[]
  /** The entry that this one is part of. */
  readonly parent: string | null
  /** What an export of ours says beside: fields by their names in the REST interface. */
  readonly fields: Readonly<Record<string, unknown>> | null
  readonly website: string
  /** The address of its picture. */
  readonly image: string | null
  readonly cancelled: boolean
  readonly isPrivate: boolean
  /** Absent without any. */
  readonly doubts?: readonly Doubt[]
}

/**
 * How much of a value is read, in characters: more than a field may hold, so that it is refused as too long, and less than
 * takes long.
 */
const MAX_NAME = 5000
const MAX_TEXT = 250_000
const MAX_LIST = 100_000

/** How many categories and tags are read of an entry. */
const MAX_NAMES = 200

/** Reads an event; throws {@link EntryError}. */
export function readEntry(component: Component, given: Zones): CalendarEntry {
  if (component.fault !== null) throw new EntryError(`entry_${component.fault}`)
  const startLine = first(component, 'DTSTART')
  if (startLine === undefined) throw new EntryError('entry_without_start')
  const doubts: Doubt[] = []
  const fields = fieldsOf(component)
  const named = typeof fields?.timezone === 'string' ? findZone(fields.timezone) : null
  const start = inOffset(startOf(startLine, component, given, doubts), named)
  // A time without a zone beside one with a zone is in that zone.
  const zones: Zones = start.isDate ? given : { ...given, floating: start.zone }
  const end = endOf(component, start, zones, doubts)
  const text = (name: string, most = MAX_NAME) =>
    unescapeText(first(component, name)?.value.slice(0, most) ?? '').trim()
  // Times in UTC and whole days have no zone of their own, unless an export of ours names it.
  const zone = start.isDate ? (named ?? start.zone) : start.zone
  const [lat = '', lng = ''] = (first(component, 'GEO')?.value.slice(0, MAX_NAME) ?? '')
    .split(/[;,]/)
    .map((part) => part.trim())
  return {
    uid: text('UID'),
    line: component.line,
    occurrence: occurrenceOf(component, zones, doubts),
    allDay: start.isDate,
    zone,
    shownIn: start.isUtc ? (named ?? zones.shown) : zone,
    start: start.at,
    end,
    recurrence: recurrenceOf(component, start, zones, doubts),
    title: text('SUMMARY', MAX_TEXT),
    description: descriptionOf(component),
    location: text('LOCATION'),
    place: lat === '' || lng === '' ? null : { lat, lng },
    organizer: organizerOf(first(component, 'ORGANIZER')),
    categories: namesOf(component, (line) => !line.parameters.has('X-KALENDS-KIND')),
    tags: namesOf(component, (line) => line.parameters.get('X-KALENDS-KIND')?.[0] === 'TAG'),
    parent: parentOf(component),
    fields,
    website: first(component, 'URL')?.value.slice(0, MAX_NAME).trim() ?? '',
    image: imageOf(component),
    cancelled: text('STATUS').toUpperCase() === 'CANCELLED',
    isPrivate: /^(PRIVATE|CONFIDENTIAL)$/i.test(text('CLASS')),
    ...(doubts.length > 0 && { doubts }),
  }
}

/** A start that an export of ours writes in UTC, as the clock of its offset has no name: a series goes by that clock. */
function inOffset(start: Time, named: Zone | null): Time {
  if (!start.isUtc || named === null || !isManual(named)) return start
  return { ...start, at: wallAt(start.at, named), zone: named, isUtc: false }
}

/** Text, unless there is HTML beside it, or it is HTML: calendars of Google write that where text should be. */
function descriptionOf(component: Component): CalendarEntry['description'] {
  const html = (component.properties.get('X-ALT-DESC') ?? []).find(
    (line) => line.parameters.get('FMTTYPE')?.[0]?.toLowerCase() === 'text/html',
  )
  if (html !== undefined) {
    const text = unescapeText(html.value.slice(0, MAX_TEXT))
    return { text: bodyOf(text), isHtml: true }
  }
  const text = unescapeText(first(component, 'DESCRIPTION')?.value.slice(0, MAX_TEXT) ?? '').trim()
  return { text, isHtml: /<br ?\/?>|<\/(?:a|b|i|u|p|ul|ol|li|em|strong|span|div)>/i.test(text) }
}

/** What is in the body of an HTML document; all of it if it has none. Each sign is looked at once: it may be long. */
function bodyOf(html: string): string {
  const begin = html.search(/<body[\s>]/i)
  const from = begin === -1 ? -1 : html.indexOf('>', begin)
  const to = html.toLowerCase().lastIndexOf('</body>')
  return from === -1 || to <= from ? html : html.slice(from + 1, to)
}

/** The names in those lines of categories that are wanted. */
function namesOf(component: Component, wanted: (line: ContentLine) => boolean): string[] {
  return (component.properties.get('CATEGORIES') ?? [])
    .filter(wanted)
    .slice(0, MAX_NAMES)
    .flatMap((line) => splitTexts(line.value.slice(0, MAX_LIST)).slice(0, MAX_NAMES))
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MAX_NAMES)
}

/** PARENT is what a relation is that does not say (RFC 5545 §3.2.15). */
function parentOf(component: Component): string | null {
  const line = (component.properties.get('RELATED-TO') ?? []).find(
    ({ parameters }) => (parameters.get('RELTYPE')?.[0] ?? 'PARENT').toUpperCase() === 'PARENT',
  )
  return line === undefined ? null : unescapeText(line.value.slice(0, MAX_NAME)).trim() || null
}

/** The first picture that lies at an address: an IMAGE (RFC 7986 §5.10) or, before those had a name, an attached file. */
function imageOf({ properties }: Component): string | null {
  const attached = (properties.get('ATTACH') ?? []).filter(({ parameters }) =>
    /^image\//i.test(parameters.get('FMTTYPE')?.[0] ?? ''),
  )
  const addresses = [...(properties.get('IMAGE') ?? []), ...attached].map(({ value }) => value.trim())
  return addresses.find((address) => /^https?:\/\//i.test(address)) ?? null
}

function fieldsOf(component: Component): CalendarEntry['fields'] {
  const line = first(component, 'X-KALENDS-FIELDS')
  if (line === undefined) return null
  try {
    const fields: unknown = JSON.parse(unescapeText(line.value))
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? { ...fields } : null
  } catch {
    return null
  }
}

function organizerOf(line: ContentLine | undefined): CalendarEntry['organizer'] {
  if (line === undefined) return null
  const email = /^mailto:(.+)$/i.exec(line.value.slice(0, MAX_NAME).trim())?.[1]?.trim() ?? ''
  const name = line.parameters.get('CN')?.[0]?.trim() ?? ''
  return name === '' && email === '' ? null : { name: name || email, email: decoded(email) }
}

function decoded(email: string): string {
  try {
    return decodeURIComponent(email.split('?')[0] ?? '')
  } catch {
    return email
  }
}
