import { DAY, fromWall, toWall, type WallSeconds } from './civil.ts'
import { type Component, first } from './components.ts'
import { type ContentLine, splitRaw, splitTexts, unescapeText } from './content-lines.ts'
import { readDuration, readIcalTime } from './ical-values.ts'
import type { Recurrence } from './recurrence.ts'
import { RuleError, readRule } from './recurrence-rule.ts'
import { findZone, offsetSeconds, toInstant, type Zone } from './zone.ts'

/** Why an entry cannot be read: a text key below `problems.`, and what to fill in. */
export class EntryError extends Error {
  readonly problem: string
  readonly fill: Record<string, string>
  constructor(problem: string, fill: Record<string, string> = {}) {
    super(problem)
    this.problem = problem
    this.fill = fill
  }
}

/** What reading times needs to know of the calendar they are in. */
export interface Zones {
  /** The zone that a calendar calls by this name. */
  named(tzid: string): Zone | null
  /** The zone of times that name none. */
  readonly floating: Zone
  /** The zone that times in UTC are shown in. */
  readonly shown: Zone
}

/** A VEVENT, with its times by the clock of one zone. */
export interface CalendarEntry {
  readonly uid: string
  readonly line: number
  /** Which occurrence of the entry this one changes, by the clock of its own zone. */
  readonly occurrence: { readonly at: WallSeconds; readonly zone: Zone; readonly andFuture: boolean } | null
  readonly allDay: boolean
  /** What the entry recurs by. */
  readonly zone: Zone
  /** What it is shown in; another than `zone` only for times in UTC. */
  readonly shownIn: Zone
  readonly start: WallSeconds
  /** Of whole days, the last second of the last. */
  readonly end: WallSeconds
  readonly recurrence: Recurrence | null
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
}

/**
 * How much of a value is read, in characters: more than a field may hold, so that it is refused as too long, and less than
 * takes long.
 */
const MAX_NAME = 5000
const MAX_TEXT = 250_000
const MAX_LIST = 100_000

/** How many categories and tags are read of an entry, how many rules, and how many times that are added or left out. */
const MAX_NAMES = 200
const MAX_RULES = 20
const MAX_TIMES = 3000

interface Time {
  readonly at: WallSeconds
  readonly zone: Zone
  readonly isDate: boolean
  readonly isUtc: boolean
}

/** Reads an event; throws {@link EntryError}. */
export function readEntry(component: Component, zones: Zones): CalendarEntry {
  if (component.fault !== null) throw new EntryError(`entry_${component.fault}`)
  const startLine = first(component, 'DTSTART')
  if (startLine === undefined) throw new EntryError('entry_without_start')
  const start = readTime(startLine, zones)
  const end = endOf(component, start, zones)
  const text = (name: string) => unescapeText(first(component, name)?.value.slice(0, MAX_NAME) ?? '').trim()
  const fields = fieldsOf(component)
  // Times in UTC and whole days have no zone of their own, unless an export of ours names it.
  const named = typeof fields?.timezone === 'string' ? findZone(fields.timezone) : null
  const zone = start.isDate ? (named ?? start.zone) : start.zone
  const [lat = '', lng = ''] = (first(component, 'GEO')?.value.slice(0, MAX_NAME) ?? '')
    .split(/[;,]/)
    .map((part) => part.trim())
  return {
    uid: text('UID'),
    line: component.line,
    occurrence: occurrenceOf(component, zones),
    allDay: start.isDate,
    zone,
    shownIn: start.isUtc ? (named ?? zones.shown) : zone,
    start: start.at,
    end,
    recurrence: recurrenceOf(component, start, zones),
    title: text('SUMMARY'),
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
  }
}

/** The name of the zone of a line, if it has one that is not known. */
export function unknownZoneOf(component: Component, zones: Pick<Zones, 'named'>): string | null {
  for (const name of ['DTSTART', 'DTEND', 'RECURRENCE-ID']) {
    const tzid = first(component, name)?.parameters.get('TZID')?.[0]
    if (tzid !== undefined && zones.named(tzid) === null) return tzid
  }
  return null
}

function readTime(line: ContentLine, zones: Zones): Time {
  const moment = readIcalTime(line.value)
  if (moment === null) throw new EntryError('entry_bad_time', { name: line.name, value: line.value.slice(0, 40) })
  const at = fromWall(moment.wall)
  if (moment.isDate) return { at, zone: zones.floating, isDate: true, isUtc: false }
  if (moment.isUtc) return { at, zone: 'UTC', isDate: false, isUtc: true }
  const tzid = line.parameters.get('TZID')?.[0]
  const zone = tzid === undefined ? zones.floating : zones.named(tzid)
  if (zone === null) throw new EntryError('entry_unknown_zone', { zone: (tzid ?? '').slice(0, 80) })
  return { at, zone, isDate: false, isUtc: false }
}

/** A time by the clock of another zone. */
function inZone({ at, zone, isDate }: Time, other: Zone): WallSeconds {
  if (isDate || zone === other) return at
  const instant = zone === 'UTC' ? at : toInstant(toWall(at), zone)
  return instant + offsetSeconds(instant, other)
}

/** The end by the clock of the start: DTEND, or DURATION, or a whole day, or the start itself (RFC 5545 §3.6.1). */
function endOf(component: Component, start: Time, zones: Zones): WallSeconds {
  const endLine = first(component, 'DTEND')
  const durationLine = first(component, 'DURATION')
  let end = start.isDate ? start.at + DAY : start.at
  if (endLine !== undefined) {
    end = inZone(readTime(endLine, zones), start.zone)
  } else if (durationLine !== undefined) {
    const duration = readDuration(durationLine.value)
    if (duration === null)
      throw new EntryError('entry_bad_time', { name: 'DURATION', value: durationLine.value.slice(0, 40) })
    end = start.at + duration.days * DAY + duration.seconds
  }
  if (!start.isDate) return end
  // The end of whole days is the day behind the last; many write the last itself.
  return Math.max(Math.ceil(end / DAY) * DAY, start.at + DAY) - 1
}

function occurrenceOf(component: Component, zones: Zones): CalendarEntry['occurrence'] {
  const line = first(component, 'RECURRENCE-ID')
  if (line === undefined) return null
  const { at, zone } = readTime(line, zones)
  return { at, zone, andFuture: line.parameters.get('RANGE')?.[0]?.toUpperCase() === 'THISANDFUTURE' }
}

function recurrenceOf(component: Component, start: Time, zones: Zones): Recurrence | null {
  const rules = component.properties.get('RRULE') ?? []
  const also = component.properties.get('RDATE') ?? []
  if (rules.length + also.length === 0) return null
  const except = component.properties.get('EXDATE') ?? []
  if (rules.length > MAX_RULES || countTimes([...also, ...except]) > MAX_TIMES) throw new EntryError('entry_too_large')
  return {
    start: start.at,
    isDate: start.isDate,
    zone: start.zone,
    rules: rules.map((line) => {
      try {
        return readRule(line.value, start.zone)
      } catch (error) {
        if (error instanceof RuleError) throw new EntryError('entry_bad_rule', { part: error.message.slice(0, 80) })
        throw error
      }
    }),
    also: also.flatMap((line) => timesOf(line, start, zones)),
    except: new Set(except.flatMap((line) => timesOf(line, start, zones))),
  }
}

/** How many times lines hold, or a little more: commas are counted. */
function countTimes(lines: readonly ContentLine[]): number {
  let count = lines.length
  for (const { value } of lines) {
    for (let at = value.indexOf(','); at !== -1 && count <= MAX_TIMES; at = value.indexOf(',', at + 1)) count++
  }
  return count
}

/** The times of RDATE or EXDATE by the clock of the entry; a date alone is that day at the entry's time. */
function timesOf(line: ContentLine, start: Time, zones: Zones): WallSeconds[] {
  const time = ((start.at % DAY) + DAY) % DAY
  return splitRaw(line.value, ',').map((value) => {
    // A period begins with its start.
    const found = readTime({ ...line, value: value.split('/')[0] ?? '' }, zones)
    const day = Math.floor(found.at / DAY) * DAY
    if (found.isDate) return day + time
    return start.isDate ? day : inZone(found, start.zone)
  })
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
