import { toInstant, type WallClock } from '../calendar/zone.ts'
import { byLinkedKind, LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import type { Stored } from './audit/reading.ts'
import type { Touched, Tracker } from './audit/tracker.ts'
import type { Tx } from './dialect.ts'
import { type EventFilter, isByLink, type TimeBound } from './event-filter.ts'
import { links } from './event-links.ts'
import { isCounted } from './events.ts'

/** What decides which lists an event is in, and what it counts for. */
export interface EventState {
  readonly status: string
  /** Whether its terms count it: it is public, and has no password. */
  readonly isCounted: boolean
  /** Null if it is not known. */
  readonly isListed: boolean | null
  readonly start: WallClock
  readonly end: WallClock
  readonly terms: readonly number[]
  readonly linked: Readonly<Record<LinkedKind, readonly number[]>>
}

/** An event that was written, and is still there. */
export interface EventChange {
  readonly id: number
  /** Null if it is new. */
  readonly before: EventState | null
  readonly after: EventState
}

/** What a write has changed. It concerns other records only by the counts of the terms of these events. */
export type DataChange = readonly EventChange[]

/** Limit on the events of a change. A larger one is not described. */
const MAX_EVENTS = 20

/** Columns that have to be known of an event. */
const COLUMNS = ['status', 'password_hash', 'start_local', 'end_local', 'series'] as const

/**
 * Describes what a transaction has changed; null if it cannot be told. Events of a series show data of each other, so they
 * are not described. Other records may be new: nothing but these events shows them yet. A new term has a place among
 * others, which lists depend on, and so has one that everybody may see from now on.
 */
export async function changeOf(tx: Tx, { touched, settings, hasMore }: Tracker): Promise<DataChange | null> {
  if (hasMore || touched.size === 0 || touched.size > MAX_EVENTS || Object.keys(settings).length > 0) return null
  const events: Touched[] = []
  for (const one of touched.values()) {
    if (one.kind === 'event' && isDescribed(one)) events.push(one)
    else if (one.kind === 'event' || !one.isNew || !ALONE.has(one.kind)) return null
  }
  if (events.length === 0) return null
  // A new event has no links but those that are known.
  const changed = events.filter(({ isNew }) => !isNew).map(({ id }) => id)
  const known = changed.length === 0 ? null : Map.groupBy(await links(tx, changed), ({ event }) => event)
  return events.map(({ id, isNew, before, after }) => {
    const current = known?.get(id) ?? []
    return { id, before: isNew ? null : stateOf(before, current), after: stateOf(after ?? {}, current) }
  })
}

const ALONE: ReadonlySet<string> = new Set(['image', ...LINKED_KINDS])

/** An event that is gone leaves those that it was the parent of. */
function isDescribed({ isNew, before, after }: Touched): boolean {
  const isKnown = (row: Stored) => row.series === null && COLUMNS.every((name) => name in row)
  return after !== null && isKnown(after) && (isNew || isKnown(before))
}

/** `current` are the links that the event has now: those of a part that is not in the row did not change. */
function stateOf(row: Stored, current: Awaited<ReturnType<typeof links>>): EventState {
  const idsOf = (part: LinkedKind | 'terms') =>
    part in row
      ? (row[part] as { value: number }[]).map(({ value }) => value)
      : current
          .filter(({ kind }) => (part === 'terms' ? kind === 'category' || kind === 'tag' : kind === part))
          .map(({ linked }) => linked)
  return {
    status: String(row.status),
    isCounted: isCounted(row as Parameters<typeof isCounted>[0]),
    isListed: 'hide_from_listings' in row ? Number(row.hide_from_listings) === 0 : null,
    start: String(row.start_local),
    end: String(row.end_local),
    terms: idsOf('terms'),
    linked: byLinkedKind(idsOf),
  }
}

/** The parts of a filter that tell whether an event may match it. */
export type EventScope = Pick<EventFilter, 'visibility' | 'bounds' | 'terms' | 'linked'>

/** Whether an event may match a filter. Conditions that are not looked at only make fewer events match. */
export function mayMatch({ visibility, bounds, terms, linked }: EventScope, state: EventState): boolean {
  const isPublic = !visibility.all && visibility.own === null
  if (isPublic && state.status !== 'publish') return false
  if (!terms.every((ids) => ids.some((id) => state.terms.includes(id)))) return false
  for (const kind of LINKED_KINDS) {
    const ids = linked[kind]
    if (ids !== undefined && !ids.some((id) => state.linked[kind].includes(id))) return false
  }
  return bounds.every((bound) => mayBeWithin(bound, bound.end === 'start' ? state.start : state.end))
}

/** Whether an event matches a filter by links and days: see isByLinksAndDays. Null if it is not known. */
export function matches(filter: EventFilter, state: EventState): boolean | null {
  if (!mayMatch(filter, state)) return false
  // Links of protected events are not shown.
  return isByLink(filter) && !state.isCounted ? false : state.isListed
}

/** Time zones differ by up to 26 hours, in seconds. */
const MARGIN = 2 * 86_400

function mayBeWithin({ is, than }: TimeBound, wall: WallClock): boolean {
  if (typeof than === 'string') return is === '<=' ? wall <= than : is === '>' ? wall > than : wall >= than
  const near = instantNear(wall)
  return near === null || (is === '<=' ? near - MARGIN <= than : near + MARGIN >= than)
}

/** Null for a damaged time. */
function instantNear(wall: WallClock): number | null {
  try {
    return toInstant(wall, 'UTC')
  } catch {
    return null
  }
}
