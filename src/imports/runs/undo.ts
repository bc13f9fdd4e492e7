import { acting } from '../../domain/acting.ts'
import * as events from '../../domain/events.ts'
import { add } from '../../domain/jobs.ts'
import * as linkedRecords from '../../domain/linked-records.ts'
import type { Scope } from '../../domain/scope.ts'
import * as terms from '../../domain/terms.ts'
import { AppError } from '../../lib/errors.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import type { LinkedKind } from '../../schema/linked.ts'
import type { Tx } from '../../storage/dialect.ts'
import * as storage from '../../storage/import-runs.ts'
import * as importStorage from '../../storage/imports.ts'
import * as recordStorage from '../../storage/records.ts'
import { inSavepoint } from '../../storage/savepoint.ts'
import { get, type LeftRecord, RUN_JOB, type Store, type StoredReport, userOf } from './runs.ts'

/** So many changes are undone at once; more in the background. */
const AT_ONCE = 500
/** Events per transaction. */
const BATCH = 100
/** Limit on records that a report names. */
const MAX_LEFT = 200

/** Undoes a run: what it created goes, and what it changed is as before, unless somebody has changed it since. */
export async function undo(scope: Scope, id: number): Promise<void> {
  await get(scope, id)
  const counts = await scope.db.read((tx) => storage.countChanges(tx, id))
  const isLong = Object.values(counts).reduce((sum, count) => sum + count, 0) > AT_ONCE
  const begun = await scope.db.writeWithoutInvalidating(async (tx) => {
    const isOurs = await storage.update(tx, id, { state: 'undoing', user: scope.user?.id ?? 0 }, ['done', 'failed'])
    if (isOurs && isLong) await add(tx, { kind: RUN_JOB, key: String(id), payload: { run: id } })
    return isOurs
  })
  if (begun && !isLong) await performUndo(scope, id)
}

/** Does it. It may be repeated: each change is forgotten in the transaction that undoes it. */
export async function performUndo(given: Store, id: number): Promise<void> {
  const run = await given.db.read((tx) => storage.get(tx, id))
  if (run?.state !== 'undoing') return
  const user = await userOf(given, run.user)
  const store = acting(given, 'import', { user })
  const scope = { ...store, user }
  for (;;) {
    const some = await store.db.read((tx) => storage.listChanges(tx, id, ['event'], BATCH))
    if (some.length === 0) break
    await store.db.writeMany(async (tx) => {
      const turn = new TimeSlice()
      const left: LeftRecord[] = []
      for (const change of some) {
        if (turn.isOver) await turn.yield()
        const kept = await undoEvent(tx, scope, change)
        if (kept !== null) left.push(kept)
        await storage.removeChange(tx, change)
      }
      await tell(tx, id, some.length - left.length, left)
    })
  }
  await undoOthers(scope, id)
  const ended = { state: 'undone', ended_utc: store.clock() } as const
  await store.db.writeWithoutInvalidating((tx) => storage.update(tx, id, ended))
}

/** Adds to the report of the run. */
async function tell(tx: Tx, id: number, undone: number, left: readonly LeftRecord[]): Promise<void> {
  const run = await storage.get(tx, id)
  const report = JSON.parse(run?.report ?? '{}') as Partial<StoredReport>
  const told = {
    ...report,
    undone: (report.undone ?? 0) + undone,
    left: [...(report.left ?? []), ...left].slice(0, MAX_LEFT),
  }
  await storage.update(tx, id, { report: JSON.stringify(told) })
}

/** Returns the event if it was left as it is. */
async function undoEvent(tx: Tx, scope: Scope, change: storage.ImportChangeRow): Promise<LeftRecord | null> {
  const { record, action, source, uid, part, hash, revision } = change
  const row = await recordStorage.getLocked(tx, 'event', { id: record })
  if (row === undefined) return null
  const left = { kind: 'event', name: String(row.title) }
  if (Number(row.revision) !== revision) return left
  try {
    if (action === 'created') {
      await inSavepoint(tx, () => events.removeWithin(tx, scope, record))
      await importStorage.remove(tx, source, uid, part)
      return null
    }
    const before = change.before === null ? null : (JSON.parse(change.before) as Record<string, unknown>)
    if (before === null) return left
    await inSavepoint(tx, () => events.saveWithin(tx, scope, before, record))
    const known = { source, kind: 'event', uid, part, record, hash: hash ?? '', imported_utc: scope.clock() } as const
    await importStorage.putAll(tx, [known])
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return left
  }
}

/** Venues, organizers, categories and tags, after the events that used them. */
async function undoOthers(scope: Scope, id: number): Promise<void> {
  const turn = new TimeSlice()
  const kinds = ['venue', 'organizer', 'category', 'tag'] as const
  for (;;) {
    const some = await scope.db.read((tx) => storage.listChanges(tx, id, kinds, BATCH))
    if (some.length === 0) return
    for (const change of some) {
      if (turn.isOver) await turn.yield()
      const left = await undoOther(scope, change)
      await scope.db.writeWithoutInvalidating(async (tx) => {
        await storage.removeChange(tx, change)
        await tell(tx, id, 0, left === null ? [] : [left])
      })
    }
  }
}

async function undoOther(scope: Scope, change: storage.ImportChangeRow): Promise<LeftRecord | null> {
  const { kind, record, action, before, revision, source, uid, part } = change
  if (kind === 'event') return null
  const isUsed = await scope.db.read((tx) => storage.isUsed(tx, kind, record))
  // One that others use by now stays. That is no news.
  if (action === 'created' && isUsed) return null
  try {
    if (kind === 'category' || kind === 'tag') {
      await terms.remove(scope, kind, record)
      return null
    }
    const { row } = await linkedRecords.get(scope, kind, { id: record })
    const left = { kind, name: String(row[kind]) }
    if (Number(row.revision) !== revision) return left
    await undoLinked(scope, kind, record, action === 'created' ? null : before)
    if (uid !== '') await scope.db.writeWithoutInvalidating((tx) => importStorage.removeOf(tx, source, kind, uid, part))
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return null
  }
}

async function undoLinked(scope: Scope, kind: LinkedKind, id: number, before: string | null): Promise<void> {
  if (before === null) await linkedRecords.remove(scope, kind, { id }, () => ({ force: true }))
  else await linkedRecords.update(scope, kind, { id }, () => JSON.parse(before) as Record<string, unknown>)
}
