import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import { toWall, type WallSeconds } from '../../calendar/civil.ts'
import { clockName, instantAt, isBefore, isSameClock, zoneToShow } from '../../calendar/clock.ts'
import { toInstant, toIso, toWallClock, type Zone } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { asHtml, encode } from '../../lib/html.ts'
import { slugify, withSuffix } from '../../lib/slug.ts'
import { eventFields } from '../../schema/event.ts'
import { byLinkedKind, LINKED_KINDS, type LinkedKind } from '../../schema/linked.ts'
import type { TermKind } from '../../schema/term.ts'
import * as imports from '../import-run.ts'
import { Names } from '../links.ts'
import type { Occurrence } from './series.ts'
import type { TermsSaid } from './terms.ts'

/** How entries become events. */
export interface EntryReader {
  readonly scope: Scope
  /** An entry with the name of an event of this site is that event. Without it, it is another one: anybody can write a name. */
  readonly adopt: boolean
  readonly terms: TermsSaid
}

/** What an entry is known by; one without a name is known by what it says. */
export function uidOf(reader: EntryReader, entry: CalendarEntry): string {
  return entry.uid === ''
    ? `no-uid-${imports.hashOf([entry.title, entry.start, clockName(entry.zone)])}`
    : nameOf(reader, entry.uid).slice(0, 1000)
}

/** What a name means: one of this site, unless its events are adopted, is that of an event which is not the one here. */
function nameOf({ scope, adopt }: EntryReader, uid: string): string {
  return adopt || ownId(scope, uid) === null ? uid : `copy of ${uid}`
}

/** An occurrence of an entry as an event to be imported. */
export function itemOf(reader: EntryReader, occurrence: Occurrence): imports.Item {
  const { scope, adopt, terms: said } = reader
  const { entry, part } = occurrence
  const fields = fieldsOf(occurrence)
  const { location, place, organizer, categories, tags } = entry
  const uid = uidOf(reader, entry)
  const parent = parentOf(reader, occurrence, uid)
  const slug = slugIn(occurrence) ?? (part === '' ? null : slugOf(occurrence))
  const own = adopt ? ownId(scope, entry.uid) : null
  const image = entry.image === null ? [] : [entry.image]
  return {
    uid,
    part,
    parent,
    line: entry.line,
    cancelled: entry.cancelled,
    hash: imports.hashOf([fields, location, place, organizer, categories, tags, parent, entry.fields, ...image]),
    fields,
    ...(entry.image !== null && { image: entry.image }),
    ...(typeof slug === 'string' && { slug }),
    ...(own !== null && part === '' && { adopts: { slug: null, id: own } }),
    links: async (tx, found) => {
      const names = new Names(tx, scope, found)
      const { categories: own, tags: ownTags, ...others } = entry.fields ?? {}
      // An export of ours gives the data of every linked record; other calendars name one place and one organizer.
      const linked: Record<LinkedKind, readonly number[]> = byLinkedKind(() => [])
      for (const kind of LINKED_KINDS) {
        const list = others[kind]
        if (Array.isArray(list)) linked[kind] = await names.data(kind, list)
        else if (kind === 'venue') linked[kind] = await names.venue(location, place)
        else if (kind === 'organizer' && organizer !== null) linked[kind] = await names.organizer(organizer)
      }
      const terms = async (kind: TermKind, slugs: unknown, by: readonly string[]) =>
        (await said.ids(tx, scope, kind, slugs, found)) ?? names.terms(kind, by)
      return {
        ...linked,
        categories: await terms('category', own, categories),
        ...((tags.length > 0 || entry.fields !== null) && { tags: await terms('tag', ownTags, tags) }),
      }
    },
  }
}

/** The event of this site whose name this is, as feeds and exports write it. */
export function ownId({ site }: Scope, uid: string): number | null {
  const [, id, host] = /^event-(\d{1,15})@(.+)$/i.exec(uid) ?? []
  return id !== undefined && host?.toLowerCase() === new URL(site.home).hostname ? Number(id) : null
}

/** The first occurrence of its series or, failing that, the entry that it says it is part of. */
function parentOf(reader: EntryReader, { entry, parent }: Occurrence, uid: string): imports.Item['parent'] {
  if (parent !== null) return { uid, part: parent }
  const above = entry.parent === null ? uid : nameOf(reader, entry.parent).slice(0, 1000)
  return above === uid ? null : { uid: above, part: '' }
}

/** The slug that an export of ours gives an occurrence. */
function slugIn({ entry: { fields, occurrence }, place, part }: Occurrence): string | null {
  const slugs = fields?.slugs
  const named = typeof slugs === 'object' && slugs !== null ? (slugs as Record<string, unknown>)[toWall(place)] : null
  const slug = named ?? (part === '' || occurrence !== null ? fields?.slug : null)
  return typeof slug === 'string' ? slug : null
}

/** Occurrences of an entry have its title, and so need something of their own: the day, and the time if they share it. */
function slugOf({ entry, start, sharesDay }: Occurrence): string {
  return withSuffix(
    slugify(entry.title),
    `-${toWall(start)
      .slice(0, sharesDay ? 19 : 10)
      .replace(/\D/g, '-')}`,
  )
}

/** The fields of an event that are text of the entry. */
function fieldsOf({ entry, start, end }: Occurrence): Record<string, unknown> {
  const { description, website } = entry
  const zone = zoneOf(entry, start)
  return {
    title: asHtml(entry.title),
    start_date: shownTime(entry, start, zone),
    // A start that the clock skips is moved behind it.
    end_date: shownTime(entry, isBefore(end, start, entry.zone) ? start : end, zone),
    timezone: zone,
    all_day: entry.allDay,
    description: description.isHtml ? description.text : encode(description.text),
    website: /^https?:\/\/[^\s<>"]+$/i.test(website) && URL.canParse(website) ? website : null,
    ...(entry.isPrivate && { status: 'private' }),
    ...(entry.fields !== null && { website: null, ...besides(entry.fields) }),
  }
}

/** Of what an export of ours says beside, the fields that are an event's own. */
function besides(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = Object.entries(eventFields).filter(
    ([name, field]) => ('stored' in field && field.stored) || ['status', 'date_utc', 'tickets'].includes(name),
  )
  return Object.fromEntries(own.filter(([name]) => given[name] !== undefined).map(([name]) => [name, given[name]]))
}

/** The zone that a time of an entry is shown in. */
function zoneOf({ zone, shownIn }: CalendarEntry, start: WallSeconds): Zone {
  return typeof shownIn === 'string' ? shownIn : zoneToShow(instantAt(start, zone), shownIn)
}

/** A time as it is shown; where a clock shows the same time twice, the second with its offset. */
function shownTime({ zone }: CalendarEntry, at: WallSeconds, shownIn: Zone): string {
  if (isSameClock(zone, shownIn)) return toWall(at)
  const instant = instantAt(at, zone)
  const wall = toWallClock(instant, shownIn)
  // An offset is told in minutes, and those of old times had seconds.
  return toInstant(wall, shownIn) === instant ? wall : toIso(instant, shownIn)
}
