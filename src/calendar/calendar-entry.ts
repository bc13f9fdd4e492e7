import { DAY, fromWall, type WallSeconds } from './civil.ts'
import { type Clock, instantAt, isSameClock, wallAt } from './clock.ts'
import { type Component, first } from './components.ts'
import { type ContentLine, splitRaw, splitTexts, unescapeText } from './content-lines.ts'
import { type Duration, readDuration, readIcalTime } from './ical-values.ts'
import type { Recurrence } from './recurrence.ts'
import { type Rule, RuleError, readRule } from './recurrence-rule.ts'
import { findZone, type Zone } from './zone.ts'

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
  /** The zone that a calendar calls by this name, or its own rules for it. */
  named(tzid: string): Clock | null
  /** The zone of times that name none. */
  readonly floating: Clock
  /** The zone of whole days; without it, that of times that name none. */
  readonly days?: Zone
  /** The zone that times in UTC are shown in. */
  readonly shown: Clock
}

/** A VEVENT, with its times by the clock of one zone. */
export interface CalendarEntry {
  readonly uid: string
  readonly line: number
  /** Which occurrence of the entry this one changes, by the clock of its own zone. */
  readonly occurrence: {
    readonly at: WallSeconds
    readonly zone: Clock
    readonly isDate: boolean
    readonly andFuture: boolean
  } | null
  readonly allDay: boolean
  /** What the entry recurs by. */
  readonly zone: Clock
  /** What it is shown in; another than `zone` only for times in UTC. */
  readonly shownIn: Clock
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
  /** What of it could not be read, though it is brought: text keys below `problems.`, and what to fill in. */
  readonly doubts?: readonly Doubt[]
}

export interface Doubt {
  readonly problem: string
  readonly fill: Readonly<Record<string, string>>
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
  readonly zone: Clock
  readonly isDate: boolean
  readonly isUtc: boolean
}

/** Reads an event; throws {@link EntryError}. */
export function readEntry(component: Component, given: Zones): CalendarEntry {
  if (component.fault !== null) throw new EntryError(`entry_${component.fault}`)
  const startLine = first(component, 'DTSTART')
  if (startLine === undefined) throw new EntryError('entry_without_start')
  const start = startOf(startLine, component, given)
  // A time without a zone beside one with a zone is in that zone.
  const zones: Zones = start.isDate ? given : { ...given, floating: start.zone }
  const doubts: Doubt[] = []
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
    recurrence: recurrenceOf(component, start, zones, doubts),
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
    ...(doubts.length > 0 && { doubts }),
  }
}

/** The start. One without a zone is in that of the end, if only the end has one. */
function startOf(line: ContentLine, component: Component, zones: Zones): Time {
  const ofEnd = first(component, 'DTEND')?.parameters.get('TZID')?.[0]
  if (ofEnd === undefined || line.parameters.has('TZID')) return readTime(line, zones)
  return readTime(line, { ...zones, floating: zones.named(ofEnd) ?? zones.floating })
}

function readTime(line: ContentLine, zones: Zones): Time {
  const moment = readIcalTime(line.value)
  if (moment === null) throw new EntryError('entry_bad_time', { name: line.name, value: line.value.slice(0, 40) })
  const at = fromWall(moment.wall)
  if (moment.isDate) return { at, zone: zones.days ?? zones.floating, isDate: true, isUtc: false }
  if (moment.isUtc) return { at, zone: 'UTC', isDate: false, isUtc: true }
  const tzid = line.parameters.get('TZID')?.[0]
  const zone = tzid === undefined ? zones.floating : zones.named(tzid)
  if (zone === null) throw new EntryError('entry_unknown_zone', { zone: (tzid ?? '').slice(0, 80) })
  return { at, zone, isDate: false, isUtc: false }
}

/** A time by the clock of another zone. */
function inZone({ at, zone, isDate }: Time, other: Clock): WallSeconds {
  return isDate || isSameClock(zone, other) ? at : wallAt(instantAt(at, zone), other)
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
    end = start.isDate ? start.at + duration.days * DAY + duration.seconds : later(start.at, duration, start.zone)
  }
  if (!start.isDate) return end
  // The end of whole days is the day behind the last; many write the last itself.
  return Math.max(Math.ceil(end / DAY) * DAY, start.at + DAY) - 1
}

function occurrenceOf(component: Component, zones: Zones): CalendarEntry['occurrence'] {
  const line = first(component, 'RECURRENCE-ID')
  if (line === undefined) return null
  const { at, zone, isDate } = readTime(line, zones)
  return { at, zone, isDate, andFuture: line.parameters.get('RANGE')?.[0]?.toUpperCase() === 'THISANDFUTURE' }
}

function recurrenceOf(component: Component, start: Time, zones: Zones, doubts: Doubt[]): Recurrence | null {
  const rules = component.properties.get('RRULE') ?? []
  const also = component.properties.get('RDATE') ?? []
  if (rules.length + also.length === 0) return null
  const except = component.properties.get('EXDATE') ?? []
  if (rules.length > MAX_RULES || countTimes([...also, ...except]) > MAX_TIMES) throw new EntryError('entry_too_large')
  const periods = also.flatMap((line) => periodsOf(line, start, zones, doubts))
  const ends = periods.flatMap(({ at, end }) => (end === null ? [] : [[at, end] as const]))
  return {
    start: start.at,
    isDate: start.isDate,
    zone: start.zone,
    rules: rules.flatMap((line) => ruleOf(line, start.zone, doubts)),
    also: periods.map(({ at }) => at),
    ...(ends.length > 0 && { ends: new Map(ends) }),
    except: new Set(except.flatMap((line) => periodsOf(line, start, zones, doubts)).map(({ at }) => at)),
  }
}

/** A rule; none if it cannot be read, and the entry is brought without it. */
function ruleOf(line: ContentLine, zone: Clock, doubts: Doubt[]): Rule[] {
  try {
    return [readRule(line.value, zone)]
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    doubt(doubts, 'entry_bad_rule', { part: error.message.slice(0, 80) })
    return []
  }
}

/** How many doubts of an entry are told. */
const MAX_DOUBTS = 3

function doubt(doubts: Doubt[], problem: string, fill: Doubt['fill']): void {
  if (doubts.length < MAX_DOUBTS) doubts.push({ problem, fill })
}

/** How many times lines hold, or a little more: commas are counted. */
function countTimes(lines: readonly ContentLine[]): number {
  let count = lines.length
  for (const { value } of lines) {
    for (let at = value.indexOf(','); at !== -1 && count <= MAX_TIMES; at = value.indexOf(',', at + 1)) count++
  }
  return count
}

/** A time of RDATE or EXDATE by the clock of the entry, with the end of a period. */
interface Period {
  readonly at: WallSeconds
  readonly end: WallSeconds | null
}

/** The times of RDATE or EXDATE; a date alone is that day at the entry's time. Those that cannot be read are left out. */
function periodsOf(line: ContentLine, start: Time, zones: Zones, doubts: Doubt[]): Period[] {
  const time = ((start.at % DAY) + DAY) % DAY
  return splitRaw(line.value, ',').flatMap((value) => {
    const [from = '', to] = value.split('/', 2)
    if (value.trim() === '') return []
    if (readIcalTime(from) === null) {
      doubt(doubts, 'entry_time_left_out', { name: line.name, value: value.slice(0, 40) })
      return []
    }
    const found = readTime({ ...line, value: from }, zones)
    const day = Math.floor(found.at / DAY) * DAY
    if (found.isDate) return [{ at: day + time, end: null }]
    if (start.isDate) return [{ at: day, end: null }]
    const at = inZone(found, start.zone)
    return [{ at, end: to === undefined ? null : endOfPeriod({ ...line, value: to }, at, start.zone, zones) }]
  })
}

/** The end of a period: a time, or a length of time (RFC 5545 §3.3.9). Null if it is none, or before the start. */
function endOfPeriod(line: ContentLine, at: WallSeconds, zone: Clock, zones: Zones): WallSeconds | null {
  const duration = readDuration(line.value)
  const moment = readIcalTime(line.value)
  if (duration === null && (moment === null || moment.isDate)) return null
  const end = duration === null ? inZone(readTime(line, zones), zone) : later(at, duration, zone)
  return end < at ? null : end
}

/** A time by the clock, a length of time later: days by the calendar, the rest as it passes. */
function later(at: WallSeconds, { days, seconds }: Duration, zone: Clock): WallSeconds {
  const day = at + days * DAY
  return seconds === 0 ? day : wallAt(instantAt(day, zone) + seconds, zone)
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
