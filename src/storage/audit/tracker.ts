import { systemClock } from '../../lib/clock.ts'
import type { Way } from '../../schema/audit.ts'
import type { TermKind } from '../../schema/term.ts'
import type { Tx } from '../dialect.ts'
import { COMPACT, EVENT_PARTS, type EventPart, LOGGED, type TrackedKind } from './logged.ts'
import { kindsOfTerms, type Names, read, readSettings, type Stored } from './reading.ts'

/**
 * Every function that writes a logged table tells the tracker of its transaction before it writes. The tracker reads what
 * is there before. At the end of the transaction the log gets what differs then: see writing.ts.
 */

/** Who writes, and how. */
export interface Actor {
  readonly user: { readonly id: number; readonly name: string } | null
  /** Address of the client; null without one. */
  readonly address: string | null
  readonly way: Way
  readonly clock: () => number
  /** Set if it must not be one entry with others: see merging.ts. */
  readonly isApart?: boolean
}

/** A record that the transaction writes. */
export interface Touched {
  readonly kind: TrackedKind
  readonly id: number
  readonly isNew: boolean
  /** What is known of it before the first write. */
  readonly before: Stored
  /** What a new record is known to have, as long as only that was written; null if it has to be read. */
  known: Stored | null
  /** What the log was written from; null as long as it is not, and if the record is gone. */
  after: Stored | null
}

export class Tracker {
  actor: Actor = { user: null, address: null, way: 'job', clock: systemClock }
  readonly touched = new Map<string, Touched>()
  /** Settings before the first write. */
  readonly settings: Stored = {}
  /** Set if more was changed than the log tells, and responses show it. */
  hasMore = false

  get isEmpty(): boolean {
    return this.touched.size === 0 && Object.keys(this.settings).length === 0
  }

  /** Takes over what a part of the transaction has done. What was known before stays. */
  merge(part: Tracker): void {
    for (const [key, touched] of part.touched) {
      const own = this.touched.get(key)
      if (own === undefined) this.touched.set(key, touched)
      else if (own.isNew) own.known = null
      else Object.assign(own.before, { ...touched.before, ...own.before })
    }
    Object.assign(this.settings, { ...part.settings, ...this.settings })
    this.hasMore ||= part.hasMore
    if (part.actor.isApart) this.actor = part.actor
  }
}

const trackers = new WeakMap<Tx, Tracker>()

/** Follows the writes of some work, and calls `end` before it is over. */
export async function tracked<T>(tx: Tx, work: () => Promise<T>, end: (tracker: Tracker) => Promise<void>): Promise<T> {
  const tracker = new Tracker()
  trackers.set(tx, tracker)
  try {
    const result = await work()
    trackers.delete(tx)
    if (!tracker.isEmpty) await end(tracker)
    return result
  } finally {
    trackers.delete(tx)
  }
}

/** Says who writes in a transaction; what is not said stays. */
export function actAs(tx: Tx, actor: Partial<Actor>): void {
  const tracker = trackers.get(tx)
  if (tracker !== undefined) tracker.actor = { ...tracker.actor, ...actor }
}

/** Follows a part of a transaction that may be rolled back by itself. The result ends that; it takes whether the part stays. */
export function trackPart(tx: Tx): (isKept: boolean) => void {
  const whole = trackers.get(tx)
  if (whole === undefined) return () => {}
  const part = new Tracker()
  part.actor = whole.actor
  trackers.set(tx, part)
  return (isKept) => {
    trackers.set(tx, whole)
    if (isKept) whole.merge(part)
  }
}

const keyOf = (kind: TrackedKind, id: number) => `${kind} ${id}`

/** Called before records are changed or removed: these columns and parts of them. */
async function willChange(tx: Tx, kind: TrackedKind, ids: readonly number[], names: Names): Promise<void> {
  const tracker = trackers.get(tx)
  if (tracker === undefined || ids.length === 0) return
  const wanted = [...(names.columns === 'all' ? LOGGED[kind].columns.keys() : names.columns), ...names.parts]
  const unknown: number[] = []
  for (const id of ids) {
    const touched = tracker.touched.get(keyOf(kind, id))
    if (touched?.isNew) touched.known = null
    else if (touched === undefined || wanted.some((name) => !(name in touched.before))) unknown.push(id)
  }
  if (unknown.length === 0) return
  for (const [id, stored] of await read(tx, kind, unknown, names)) {
    const key = keyOf(kind, id)
    const touched = tracker.touched.get(key)
    if (touched === undefined)
      tracker.touched.set(key, { kind, id, isNew: false, before: stored, known: null, after: null })
    else Object.assign(touched.before, { ...stored, ...touched.before })
  }
}

/** Called before one record is changed. */
export async function willUpdate(tx: Tx, kind: TrackedKind, id: number, changes: object): Promise<void> {
  if (loggedIn(kind, changes).length > 0) await willChange(tx, kind, [id], { columns: 'all', parts: [] })
}

/** Called before many records are changed in the same columns. */
export async function willUpdateAll(tx: Tx, kind: TrackedKind, ids: readonly number[], changes: object): Promise<void> {
  const columns = loggedIn(kind, changes)
  if (columns.length > 0) await willChange(tx, kind, ids, { columns, parts: [] })
}

/** Called before a record is removed. */
export async function willRemove(tx: Tx, kind: TrackedKind, id: number): Promise<void> {
  await willChange(tx, kind, [id], { columns: 'all', parts: kind === 'event' ? EVENT_PARTS : [] })
}

/** Events that are removed together, and logged with everything that they had. */
const MOST_WHOLE = 20

/** Called before many events are removed. Of very many, little is logged: each would be as long as the event. */
export async function willRemoveEvents(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > MOST_WHOLE) await willChange(tx, 'event', ids, { columns: COMPACT, parts: [] })
  else await willChange(tx, 'event', ids, { columns: 'all', parts: EVENT_PARTS })
}

/** Called when a record was created, with its row. */
export function hasCreated(tx: Tx, kind: TrackedKind, id: number, row: object): void {
  trackers.get(tx)?.touched.set(keyOf(kind, id), { kind, id, isNew: true, before: {}, known: { ...row }, after: null })
}

/** The same for one of many that are alike. Of its parts nothing is logged. */
export function hasCreatedOccurrence(tx: Tx, row: Stored & { readonly id: number }): void {
  const compact = Object.fromEntries(['id', ...COMPACT].map((name) => [name, row[name]]))
  hasCreated(tx, 'event', row.id, compact)
}

/** Called before a part of an event is replaced; `values` are the new ones by event, and `kinds` those of terms, if they are known. */
export async function willReplace(
  tx: Tx,
  part: EventPart,
  events: readonly number[],
  values: ReadonlyMap<number, readonly unknown[]> | null = null,
  kinds: ReadonlyMap<number, TermKind> | null = null,
): Promise<void> {
  const tracker = trackers.get(tx)
  if (tracker === undefined) return
  const others: number[] = []
  for (const id of events) {
    const touched = tracker.touched.get(keyOf('event', id))
    const given = values?.get(id)
    if (touched?.isNew && touched.known !== null && given !== undefined)
      touched.known[part] =
        part === 'tickets' ? given : given.map((value) => ({ value, kind: kinds?.get(value as number) }))
    else others.push(id)
  }
  await willChange(tx, 'event', others, { columns: [], parts: [part] })
}

/** Called when something was changed that is not logged, but decides what others than the written records show. */
export function hasChangedMore(tx: Tx): void {
  const tracker = trackers.get(tx)
  if (tracker !== undefined) tracker.hasMore = true
}

/** Called before settings are changed. */
export async function willSet(tx: Tx, names: readonly string[]): Promise<void> {
  const tracker = trackers.get(tx)
  if (tracker === undefined) return
  const unknown = names.filter((name) => !(name in tracker.settings))
  Object.assign(tracker.settings, await readSettings(tx, unknown))
}

/** Adds the kinds of terms to what new events are known to have. */
export async function completeTerms(tx: Tx, created: readonly Stored[]): Promise<void> {
  const lists = created.map(({ terms }) => (terms ?? []) as { value: number; kind?: string }[])
  const unknown = lists.flat().filter(({ kind }) => kind === undefined)
  const ids = new Set(unknown.map(({ value }) => value))
  if (ids.size === 0) return
  const kinds = new Map((await kindsOfTerms(tx, [...ids])).map(({ id, kind }) => [id, kind]))
  for (const term of unknown) term.kind = kinds.get(term.value) ?? 'tag'
}

function loggedIn(kind: TrackedKind, changes: object): string[] {
  return Object.keys(changes).filter((name) => LOGGED[kind].columns.has(name))
}
