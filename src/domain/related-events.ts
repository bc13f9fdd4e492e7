import type { WallClock } from '../calendar/zone.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import type { LinkedKind } from '../storage/records.ts'
import * as storage from '../storage/related-events.ts'
import type { Visibility } from '../storage/visibility.ts'
import { visibilityOf } from './access.ts'
import { assembleUndamaged, type Event } from './event-assembly.ts'
import type { Scope } from './scope.ts'

/** Sections of related events, in the order in which they claim events. */
const SECTIONS = ['dates', ...LINKED_KINDS, 'similar'] as const
type Section = (typeof SECTIONS)[number]

/** Related events of an event. No event is in two sections. */
export type RelatedEvents = Readonly<Record<Section, readonly Event[]>>

/** Limits on events per section. */
const MAX_DATES = 12
const MAX_PER_SECTION = 3
/** Limits on the venues or organizers of an event that are asked for more. */
const MAX_LINKED = 3
/** Events of a venue or organizer that are read: many may be of one series. */
const MAX_OF_LINKED = 30
/** Limits on the terms that are compared, and on the next events of each. */
const MAX_TERMS = 12
const MAX_OF_TERM = 60
/** Similar events that are read: some may be hidden, or in another section. */
const MAX_CANDIDATES = 60

/**
 * Related events: the other dates of a series, more at the venue, more by the organizer, and events with the same
 * categories and tags. All but other dates start on `today` or later.
 */
export async function relatedTo(scope: Scope, event: Event, today: string): Promise<RelatedEvents> {
  const from = `${today} 00:00:00`
  const visibility = visibilityOf(scope.user)
  return scope.db.readMany(async (tx) => {
    const taken = new Set([event.row.id])
    const takenSeries = new Set([event.row.series])
    const take = (rows: readonly EventRow[], most: number) => {
      const own = rows.filter(({ id }) => !taken.has(id)).slice(0, most)
      for (const { id } of own) taken.add(id)
      return own
    }
    // Of each other series the next event, and none of its own: those are dates.
    const takeOther = (rows: readonly EventRow[]) => {
      const others = rows.filter(({ series }) => series === null || !takenSeries.has(series))
      const firsts = others.filter(
        ({ series }, at) => series === null || others.findIndex((one) => one.series === series) === at,
      )
      const found = take(firsts, MAX_PER_SECTION)
      for (const { series } of found) if (series !== null) takenSeries.add(series)
      return found
    }
    const rows = new Map<Section, EventRow[]>()
    rows.set('dates', take(await datesOf(tx, event, visibility, from), MAX_DATES))
    for (const kind of LINKED_KINDS) {
      const limit = MAX_OF_LINKED + taken.size
      rows.set(kind, takeOther(await ofLinked(tx, kind, event, visibility, from, limit)))
    }
    rows.set('similar', takeOther(await similarTo(tx, event, visibility, from)))
    const shown = await assembleUndamaged(tx, scope, [...rows.values()].flat())
    const known = new Map(shown.map((one) => [one.row.id, one]))
    const section = (name: Section) => (rows.get(name) ?? []).flatMap(({ id }) => known.get(id) ?? [])
    return Object.fromEntries(SECTIONS.map((name) => [name, section(name)])) as unknown as RelatedEvents
  })
}

/** The events of its series, or its parent and all events of one parent: those to come first, then the latest of the past. */
async function datesOf(tx: Tx, { row, parent }: Event, visibility: Visibility, from: WallClock): Promise<EventRow[]> {
  const { series } = row
  const groups: storage.Group[] =
    series === null
      ? [parent, row.id].filter((id) => id !== null).map((id) => ({ by: 'parent', id }))
      : [{ by: 'series', id: series }]
  const found = parent === null || series !== null ? [] : await storage.listedOf(tx, [parent], visibility)
  for (const group of groups)
    for (const side of ['from', 'before'] as const)
      found.push(...(await storage.ofGroup(tx, group, visibility, side, from, MAX_DATES + 1)))
  const isNext = (one: EventRow) => one.start_local >= from
  return [
    ...found.filter(isNext).sort(byStart),
    ...found.filter((one) => !isNext(one)).sort((one, other) => byStart(other, one)),
  ]
}

/** The next events of its first venues or organizers. */
async function ofLinked(
  tx: Tx,
  kind: LinkedKind,
  event: Event,
  visibility: Visibility,
  from: WallClock,
  limit: number,
): Promise<EventRow[]> {
  const found: EventRow[] = []
  for (const { row } of event[`${kind}s`].slice(0, MAX_LINKED))
    found.push(...(await storage.ofLinked(tx, kind, row.id, visibility, from, limit)))
  return unique(found).sort(byStart)
}

/** Events that share most categories and tags; the next first. */
async function similarTo(
  tx: Tx,
  { categories, tags }: Event,
  visibility: Visibility,
  from: WallClock,
): Promise<EventRow[]> {
  const shared = new Map<number, number>()
  for (const { id } of [...categories, ...tags].slice(0, MAX_TERMS))
    for (const event of await storage.idsOfTerm(tx, id, from, MAX_OF_TERM))
      shared.set(event, (shared.get(event) ?? 0) + 1)
  const score = (id: number) => shared.get(id) ?? 0
  // A stable sort keeps events of the first category in order of their start.
  const best = [...shared.keys()].sort((one, other) => score(other) - score(one)).slice(0, MAX_CANDIDATES)
  const rows = await storage.listedOf(tx, best, visibility)
  return rows.sort((one, other) => score(other.id) - score(one.id) || byStart(one, other))
}

function unique(rows: readonly EventRow[]): EventRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

function byStart(one: EventRow, other: EventRow): number {
  return one.start_local === other.start_local ? one.id - other.id : one.start_local < other.start_local ? -1 : 1
}
