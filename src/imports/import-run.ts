import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { need, rightsOf } from '../domain/access.ts'
import { EventBatch, isPlain } from '../domain/event-batch.ts'
import * as events from '../domain/events.ts'
import { readingOf } from '../domain/records.ts'
import type { Scope } from '../domain/scope.ts'
import { AppError, type Problem } from '../lib/errors.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import { eventFields } from '../schema/event.ts'
import { keepAhead, readAhead } from '../schema/field.ts'
import { byLinkedKind, type LinkedKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import type { KnownEvent } from '../storage/imports.ts'
import * as storage from '../storage/imports.ts'
import * as recordStorage from '../storage/records.ts'
import { inSavepoint } from '../storage/savepoint.ts'

/** What became of an import, so far or in the end. */
export interface ImportReport {
  created: number
  updated: number
  unchanged: number
  /** Moved to the trash, as they were cancelled or are no longer part of their series. */
  removed: number
  skipped: number
  /** What was skipped and why, and what else is worth knowing; the first of them. */
  readonly notes: Note[]
}

/** Something to be told of one entry. */
export interface Note {
  /** Where the entry begins in the file; 0 where there is none. */
  readonly line: number
  readonly uid: string
  readonly problem: Problem
}

/** An import that is under way. */
export interface ImportRun {
  readonly source: string
  /** Does everything, and keeps nothing. */
  readonly dryRun: boolean
  readonly report: ImportReport
  /** What batches that are stored have found or made. */
  readonly found: FoundIds
  /** Events whose parents were not here when they were stored. */
  readonly orphans: Orphan[]
  /** Told after every batch. */
  readonly onProgress: (report: ImportReport) => void
}

/** An event to be imported. */
export interface Item {
  readonly uid: string
  /** Which occurrence of a recurring entry it is; empty for all else. */
  readonly part: string
  readonly line: number
  /** Of all that it says; an event whose hash has not changed is left alone. */
  readonly hash: string
  /** It was called off: it goes to the trash, if it is here at all. */
  readonly cancelled: boolean
  /** What its parent was imported as: the first occurrence of its series, or another entry. */
  readonly parent: { readonly uid: string; readonly part: string } | null
  /** What is stored, as a request would say it, but for what it is linked to. */
  readonly fields: Record<string, unknown>
  /** The slug that it is created with, where its title would give one that others have; later it keeps its own. */
  readonly slug?: string
  /** The event here that it is, if it was not imported before. */
  readonly adopts?: { readonly slug: string | null; readonly id: number | null }
  /** What it is linked to; asked for in the transaction that needs it. */
  links(tx: Tx, found: FoundIds): Promise<ItemLinks>
  /** The address of its image. */
  readonly image?: string
}

/** An event whose parent may come later in the same file. */
export type Orphan = Pick<Item, 'uid' | 'part' | 'line'> & { readonly parent: NonNullable<Item['parent']> }

/** The ids of what an event is linked to; what a source does not speak of stays as it is. */
export interface ItemLinks extends Readonly<Partial<Record<LinkedKind, readonly number[]>>> {
  readonly categories?: readonly number[]
  readonly tags?: readonly number[]
}

/** Ids by name that a transaction has found or made, so that a hall of a thousand events is looked for once. */
export type FoundIds = Map<string, number>

/** How many events are stored in one transaction. */
export const BATCH = 400

/** How many notes are kept; all are counted. */
const MOST_NOTES = 1000

/** The hash of what was called off: it comes back when it no longer is. */
const CANCELLED = 'cancelled'

/** How many events wait for their parents. */
const MOST_ORPHANS = 100_000

/** Begins an import, for those who may change every event. */
export function begin(
  scope: Scope,
  source: string,
  options: { readonly dryRun: boolean; readonly onProgress?: (report: ImportReport) => void },
): ImportRun {
  need(rightsOf(scope.user).edit === 'all')
  const report = { created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, notes: [] }
  const { dryRun, onProgress = () => {} } = options
  return { source, report, found: new Map(), orphans: [], dryRun, onProgress }
}

/** Tells something of an entry; with `skip` it counts as skipped. */
export function note({ report }: ImportRun, { line, uid, problem }: Note, skip = true): void {
  if (skip) report.skipped++
  if (report.notes.length < MOST_NOTES) report.notes.push({ line, uid: uid.slice(0, 200), problem })
}

/** A short name for what was said, by which it is known again. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

type Outcome = 'created' | 'updated' | 'unchanged' | 'removed' | Problem

/** Stores events in batches, each all or nothing but for those that are refused by themselves. */
export async function save(scope: Scope, run: ImportRun, items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH)
    await readTexts(scope, batch)
    const outcomes = await saveOrLookAgain(scope, run, batch)
    for (const [place, outcome] of outcomes.entries()) {
      const item = batch[place]
      if (typeof outcome === 'string') run.report[outcome]++
      else if (item !== undefined) note(run, { line: item.line, uid: item.uid, problem: outcome })
    }
    run.onProgress(run.report)
    // Others have their turn: a database in this process would not let them.
    await setImmediate()
  }
}

/** From how many characters on a text is read before the transaction: of shorter ones, those that have not changed need not be. */
const LONG = 10_000

/** Reads the long texts of events before the transaction that stores them. */
async function readTexts(scope: Scope, items: readonly Item[]): Promise<void> {
  const options = { reading: readingOf(scope), turn: new TimeSlice(), least: LONG }
  for (const { fields, cancelled } of items) if (!cancelled) await readAhead(eventFields, fields, options)
}

/** How many ids by name are kept from batch to batch. */
const MOST_FOUND = 20_000

/** A batch fails if something that was found before it was removed meanwhile: then everything is looked for again. */
async function saveOrLookAgain(scope: Scope, run: ImportRun, items: readonly Item[]): Promise<Outcome[]> {
  const save = async () => {
    const found = new Map(run.found)
    const outcomes = await within(scope, run, (tx) => saveBatch(tx, scope, run, items, found))
    // Only what is stored is known; of a dry run nothing is.
    if (!run.dryRun && found.size <= MOST_FOUND) for (const [key, id] of found) run.found.set(key, id)
    return outcomes
  }
  if (run.found.size === 0) return save()
  try {
    return await save()
  } catch {
    run.found.clear()
    return save()
  }
}

async function saveBatch(
  tx: Tx,
  scope: Scope,
  run: ImportRun,
  items: readonly Item[],
  found: FoundIds,
): Promise<Outcome[]> {
  await storage.lock(tx, run.source)
  const names = items.flatMap((item) => (item.parent === null ? [item] : [item, item.parent]))
  const rows = await storage.listEvents(
    tx,
    run.source,
    [...new Set(names.map(({ uid }) => uid))],
    [...new Set(names.map(({ part }) => part))],
  )
  const known = new Map(rows.map((event) => [`${event.uid}\n${event.part}`, event]))
  const batch: Batch = { tx, scope, known, found, created: new EventBatch(tx, scope), rows: [] }
  const outcomes: Outcome[] = []
  const turn = new TimeSlice()
  for (const item of items) {
    if (turn.isOver) await turn.yield()
    outcomes.push(await saveItem(batch, run, item))
  }
  await batch.created.finish()
  await storage.putAll(tx, batch.rows)
  return outcomes
}

/** What a transaction that stores many events keeps in mind. */
interface Batch {
  readonly tx: Tx
  readonly scope: Scope
  readonly known: Map<string, KnownEvent>
  readonly found: FoundIds
  readonly created: EventBatch
  readonly rows: storage.ImportRow[]
}

/** Stores one event, unless it has not changed; answers what became of it. */
async function saveItem(batch: Batch, { source, orphans }: ImportRun, item: Item): Promise<Outcome> {
  const { known, scope } = batch
  const key = `${item.uid}\n${item.part}`
  const before = known.get(key) ?? (await adopted(batch, item))
  // What was removed for good is not known any more.
  const alive = before === undefined || before.status === null ? undefined : before
  const hash = item.cancelled ? CANCELLED : item.hash
  if (alive?.hash === hash) return 'unchanged'
  if (item.cancelled && alive === undefined) return { problem: 'entry_cancelled' }
  if (alive?.status === 'trash' && alive.hash !== CANCELLED && !item.cancelled) return { problem: 'entry_in_trash' }
  try {
    const record = await store(batch, item, alive)
    const { uid, part, line, parent } = item
    const waits = parent !== null && !item.cancelled && !known.get(`${parent.uid}\n${parent.part}`)?.status
    if (waits && orphans.length < MOST_ORPHANS) orphans.push({ uid, part, line, parent })
    batch.rows.push({ source, kind: 'event', uid, part, record, hash, imported_utc: scope.clock() })
    known.set(key, { ...item, record, hash, status: item.cancelled ? 'trash' : 'publish' })
  } catch (error) {
    return problemOf(error)
  }
  return item.cancelled ? 'removed' : alive === undefined ? 'created' : 'updated'
}

async function store(batch: Batch, item: Item, alive: KnownEvent | undefined): Promise<number> {
  const { tx, scope, known, found, created } = batch
  if (item.cancelled && alive !== undefined) {
    await events.trashWithin(tx, scope, alive.record)
    return alive.record
  }
  const parent = item.parent === null ? undefined : known.get(`${item.parent.uid}\n${item.parent.part}`)
  const fields = {
    ...(alive === undefined && item.slug && { slug: item.slug }),
    ...item.fields,
    ...(parent?.status && { parent: parent.record }),
  }
  keepAhead(item.fields, fields)
  if (alive === undefined && isPlain(fields)) {
    return created.create(fields, async () => {
      const { categories = [], tags = [], ...linked } = await item.links(tx, found)
      return { ...byLinkedKind((kind) => linked[kind] ?? []), terms: [...categories, ...tags] }
    })
  }
  // By itself, so that what is refused leaves nothing behind; what it finds may be gone again then.
  return inSavepoint(tx, async () => {
    const payload = {
      ...(alive?.status === 'trash' && { status: 'publish' }),
      ...fields,
      ...(await item.links(tx, new Map(found))),
    }
    keepAhead(item.fields, payload)
    return events.saveWithin(tx, scope, payload, alive?.record ?? null)
  })
}

/** An event that was here before it was imported. */
async function adopted({ tx }: Batch, { uid, part, adopts }: Item): Promise<KnownEvent | undefined> {
  if (adopts === undefined) return undefined
  const { slug, id } = adopts
  const row = await recordStorage.get(tx, 'event', slug === null ? { id: id ?? 0 } : { slug })
  if (row === undefined || (id ?? row.id) !== row.id) return undefined
  return { uid, part, record: row.id, hash: '', status: row.status }
}

/** Moves the occurrences of an entry to the trash that are not among those it has now, from one to another. */
export async function dropOthers(
  scope: Scope,
  run: ImportRun,
  uid: string,
  parts: ReadonlySet<string>,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<void> {
  const gone = await scope.db.read(async (tx) =>
    (await storage.listEvents(tx, run.source, [uid], null)).filter(
      ({ part }) => !parts.has(part) && part >= first && part <= last,
    ),
  )
  for (let at = 0; at < gone.length; at += BATCH) {
    run.report.removed += await within(scope, run, async (tx) => {
      let removed = 0
      const turn = new TimeSlice()
      for (const { part, record, status } of gone.slice(at, at + BATCH)) {
        if (turn.isOver) await turn.yield()
        await storage.remove(tx, run.source, uid, part)
        if (status === null || status === 'trash') continue
        await events.trashWithin(tx, scope, record)
        removed++
      }
      return removed
    })
  }
}

/** What a dry run ends its transactions with. */
class Undo<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('undo')
    this.result = result
  }
}

/** A transaction of an import; of a dry run nothing stays. */
async function within<T>(scope: Scope, { dryRun }: ImportRun, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!dryRun) return scope.db.writeMany(work)
  try {
    return await scope.db.writeMany(async (tx) => {
      throw new Undo(await work(tx))
    })
  } catch (error) {
    if (error instanceof Undo) return error.result
    throw error
  }
}

/** Why something was refused, for a note; a fault of ours goes on. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof AppError) || error.cause !== undefined) throw error
  const { params } = error.details
  return params === undefined
    ? { problem: 'import_refused', reason: error.code }
    : { problem: 'bad_data', details: params }
}
