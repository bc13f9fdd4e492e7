import { setImmediate } from 'node:timers/promises'
import { EventBatch, isPlain } from '../domain/event-batch.ts'
import * as events from '../domain/events.ts'
import { readingOf } from '../domain/records.ts'
import type { Scope } from '../domain/scope.ts'
import { reaching } from '../domain/series-reach.ts'
import { begunSeries, placeOf } from '../domain/series-undoing.ts'
import type { Problem } from '../lib/errors.ts'
import { plainText } from '../lib/html.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import { eventFields } from '../schema/event.ts'
import { keepAhead, readAhead } from '../schema/field.ts'
import { byLinkedKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import type { KnownEvent } from '../storage/imports.ts'
import * as storage from '../storage/imports.ts'
import * as recordStorage from '../storage/records.ts'
import { withRollback } from '../storage/rollback.ts'
import { inSavepoint } from '../storage/savepoint.ts'
import { type FoundIds, type ImportRun, type Item, note, problemOf } from './import-run.ts'
import { Journal, noteSeries } from './journal.ts'

/** Storing the events of an import, in batches. */

/** Events per transaction. */
export const BATCH = 400

/** Hash of a cancelled event, so that it is restored when it is no longer cancelled. */
const CANCELLED = 'cancelled'

/** Limit on events that wait for their parents. */
const MAX_ORPHANS = 100_000

type Outcome = 'created' | 'updated' | 'unchanged' | 'removed' | Problem

/** Stores events in batches. A batch is atomic, except for invalid events, which are skipped. */
export async function save(scope: Scope, run: ImportRun, items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH)
    await readTexts(scope, batch)
    const outcomes = await saveOrLookAgain(scope, run, batch)
    for (const [place, outcome] of outcomes.entries()) {
      const item = batch[place]
      if (item !== undefined)
        run.list({
          name: plainText(String(item.fields.title ?? '')),
          start: String(item.fields.start_date ?? ''),
          outcome,
        })
      if (typeof outcome === 'string') run.report[outcome]++
      else if (item !== undefined) note(run, { line: item.line, uid: item.uid, problem: outcome })
    }
    run.onProgress(run.report)
    // Yields to other requests: the embedded database blocks the event loop.
    await setImmediate()
  }
}

/** Texts from this length on are parsed before the transaction. Shorter ones are parsed only if they have changed. */
const LONG = 10_000

/** Parses long texts of events before the transaction. */
async function readTexts(scope: Scope, items: readonly Item[]): Promise<void> {
  const options = { reading: readingOf(scope), turn: new TimeSlice(), least: LONG }
  for (const { fields, cancelled } of items) if (!cancelled) await readAhead(eventFields, fields, options)
}

/** Limit on ids by name that are kept between batches. */
const MAX_FOUND = 20_000

/** Stores a batch. If a record that an earlier batch found was removed meanwhile, everything is looked up again. */
async function saveOrLookAgain(scope: Scope, run: ImportRun, items: readonly Item[]): Promise<Outcome[]> {
  const save = async () => {
    const found = new Map(run.found)
    const outcomes = await within(scope, run, (tx) => saveBatch(tx, scope, run, items, found))
    // Ids of a dry run are rolled back, so they are not kept.
    if (!run.dryRun && found.size <= MAX_FOUND) for (const [key, id] of found) run.found.set(key, id)
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
  const journal = run.journal === null ? null : await Journal.begin(tx, scope, run.journal, run.source)
  const batch: Batch = { tx, scope, known, found, created: new EventBatch(tx, scope), rows: [], journal }
  const outcomes: Outcome[] = []
  const turn = new TimeSlice()
  for (const item of items) {
    if (turn.isOver) await turn.yield()
    outcomes.push(await saveItem(batch, run, item))
  }
  // Each of these takes long for a whole batch.
  await turn.yield()
  await batch.created.finish()
  await turn.yield()
  await storage.putAll(tx, batch.rows)
  await journal?.finish(found)
  return outcomes
}

/** State of a transaction that stores many events. */
interface Batch {
  readonly tx: Tx
  readonly scope: Scope
  readonly known: Map<string, KnownEvent>
  readonly found: FoundIds
  readonly created: EventBatch
  readonly rows: storage.ImportRow[]
  readonly journal: Journal | null
}

/** Stores one event unless it is unchanged. Returns the outcome. */
async function saveItem(batch: Batch, run: ImportRun, item: Item): Promise<Outcome> {
  const { source, orphans } = run
  const { known, scope } = batch
  const key = `${item.uid}\n${item.part}`
  const before = known.get(key) ?? (await adopted(batch, item))
  // Permanently removed events are forgotten.
  const alive = before === undefined || before.status === null ? undefined : before
  const hash = item.cancelled ? CANCELLED : item.hash
  if (alive?.hash === hash) return 'unchanged'
  if (item.cancelled && alive === undefined) return { problem: 'entry_cancelled' }
  if (alive?.status === 'trash' && alive.hash !== CANCELLED && !item.cancelled) return { problem: 'entry_in_trash' }
  try {
    await batch.journal?.before(item, alive, Boolean(item.fields.recurrence))
    const record = await store(batch, run, item, alive)
    batch.journal?.changed(item, record, alive)
    const { uid, part, line, parent } = item
    const waits = parent !== null && !item.cancelled && !known.get(`${parent.uid}\n${parent.part}`)?.status
    if (waits && orphans.length < MAX_ORPHANS) orphans.push({ uid, part, line, parent })
    batch.rows.push({ source, kind: 'event', uid, part, record, hash, imported_utc: scope.clock() })
    known.set(key, { ...item, record, hash, status: item.cancelled ? 'trash' : 'publish' })
  } catch (error) {
    return problemOf(error)
  }
  return item.cancelled ? 'removed' : alive === undefined ? 'created' : 'updated'
}

async function store(batch: Batch, run: ImportRun, item: Item, alive: KnownEvent | undefined): Promise<number> {
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
  // In a savepoint, so that an invalid event leaves no trace. Ids that it found are then invalid too.
  return inSavepoint(tx, async () => {
    const own = new Map(found)
    const payload = {
      ...(alive?.status === 'trash' && { status: 'publish' }),
      ...fields,
      ...(await item.links(tx, own)),
    }
    keepAhead(item.fields, payload)
    // A row with a recurrence stands for the whole series.
    const isSeries = Boolean(item.fields.recurrence)
    const reach = reaching(isSeries ? 'all' : null)
    const place = alive === undefined ? null : await placeOf(tx, alive.record)
    const id = await events.saveWithin(tx, scope, payload, alive?.record ?? null, undefined, reach)
    // A new series goes with what it was made of. Of one that was there, the event has what it was.
    if (isSeries && !place?.series) await noteSeries(tx, run, await begunSeries(tx, id, place))
    batch.journal?.linked(own)
    return id
  })
}

/** Existing event that was not imported before. */
async function adopted({ tx }: Batch, { uid, part, adopts }: Item): Promise<KnownEvent | undefined> {
  if (adopts === undefined) return undefined
  const { slug, id } = adopts
  const row = await recordStorage.get(tx, 'event', slug === null ? { id: id ?? 0 } : { slug }, 'no reader: write')
  if (row === undefined || (id ?? row.id) !== row.id) return undefined
  return { uid, part, record: row.id, hash: '', status: row.status }
}

/** An occurrence that its entry may have no longer; the hash is null if no import has brought it. */
export interface KnownOccurrence extends Pick<KnownEvent, 'record' | 'part' | 'status'> {
  readonly hash: string | null
}

/** Moves occurrences that their entry no longer has to the trash. They are cancelled, and come back if they are no more. */
export async function drop(
  scope: Scope,
  run: ImportRun,
  uid: string,
  gone: readonly KnownOccurrence[],
  renamed: readonly string[],
): Promise<void> {
  const { source } = run
  const dropped = gone.filter(({ hash }) => hash !== CANCELLED)
  for (let at = 0; at < Math.max(dropped.length, renamed.length); at += BATCH) {
    run.report.removed += await within(scope, run, async (tx) => {
      let removed = 0
      const turn = new TimeSlice()
      const journal = run.journal === null ? null : await Journal.begin(tx, scope, run.journal, source)
      for (const part of renamed.slice(at, at + BATCH)) await storage.remove(tx, source, uid, part)
      for (const { part, record, status, hash } of dropped.slice(at, at + BATCH)) {
        if (turn.isOver) await turn.yield()
        if (status === null) await storage.remove(tx, source, uid, part)
        if (status === null || status === 'trash') continue
        const known = { record, hash: hash ?? '', status }
        await journal?.before({ uid, part }, known)
        await events.trashWithin(tx, scope, record)
        journal?.changed({ uid, part, cancelled: true }, record, known)
        const row = { source, kind: 'event', uid, part, record, hash: CANCELLED, imported_utc: scope.clock() } as const
        await storage.putAll(tx, [row])
        removed++
      }
      await journal?.finish(new Map())
      return removed
    })
  }
}

/** Runs a transaction of an import, rolled back for a dry run. */
function within<T>(scope: Scope, { dryRun }: ImportRun, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!dryRun) return scope.db.writeMany(work)
  return withRollback((rollBack) => scope.db.writeMany(async (tx) => rollBack(await work(tx))))
}
