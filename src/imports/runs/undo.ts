import { acting } from '../../domain/acting.ts'
import * as events from '../../domain/events.ts'
import { add } from '../../domain/jobs.ts'
import * as linkedRecords from '../../domain/linked-records.ts'
import type { Scope } from '../../domain/scope.ts'
import { reaching } from '../../domain/series-reach.ts'
import { readTemplate } from '../../domain/series-template.ts'
import { type SeriesChange, undoSeriesChange } from '../../domain/series-undoing.ts'
import * as terms from '../../domain/terms.ts'
import { AppError } from '../../lib/errors.ts'
import { TimeSlice } from '../../lib/time-slices.ts'
import type { LinkedKind } from '../../schema/linked.ts'
import type { Tx } from '../../storage/dialect.ts'
import * as storage from '../../storage/import-runs.ts'
import * as importStorage from '../../storage/imports.ts'
import * as recordStorage from '../../storage/records.ts'
import { inSavepoint } from '../../storage/savepoint.ts'
import * as seriesStorage from '../../storage/series.ts'
import { touch } from '../journal.ts'
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
  await undoAllSeries(scope, id)
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

/** Series, before their events: these then compare themselves with the series that they were in. */
async function undoAllSeries(scope: Scope, id: number): Promise<void> {
  for (;;) {
    const [change] = await scope.db.read((tx) => storage.listChanges(tx, id, ['series'], 1))
    if (change === undefined) return
    await scope.db.writeMany(async (tx) => {
      const left = await undoSeries(tx, scope, change)
      await storage.removeChange(tx, change)
      if (left !== null) await tell(tx, id, 0, [left])
    })
  }
}

/** Returns the series if it was left as it is. */
async function undoSeries(tx: Tx, scope: Scope, change: storage.ImportChangeRow): Promise<LeftRecord | null> {
  const before = JSON.parse(change.before ?? 'null') as SeriesChange
  const series = await seriesStorage.getLocked(tx, change.record)
  if ((series?.sequence ?? 0) !== change.revision)
    return series === undefined ? null : { kind: 'series', name: readTemplate(series).columns.title }
  const reached = await seriesStorage.occurrences(tx, change.record)
  const ids = [...new Set([...reached.map((row) => row.id), ...before.places.map((place) => place.id)])]
  const noted = await storage.notedRevisions(tx, change.run, ids)
  const current = await storage.revisions(tx, 'event', [...noted.keys()])
  const unchanged = [...noted.keys()].filter((event) => noted.get(event) === current.get(event))
  await undoSeriesChange(tx, scope, before, new Set(noted.keys()))
  for (const event of unchanged) await touch(tx, change.run, event)
  return null
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

/** Notes the revision of the event that shows the exceptions of a series: they change it, and nobody else has. */
async function keepingShown(tx: Tx, run: number, series: number | null, work: () => Promise<unknown>): Promise<void> {
  const [shown] = series === null ? [] : await seriesStorage.getAll(tx, [series])
  const ids = shown?.first ? [shown.first] : []
  const noted = await storage.notedRevisions(tx, run, ids)
  const current = await storage.revisions(tx, 'event', [...noted.keys()])
  await work()
  for (const [id, revision] of noted) if (current.get(id) === revision) await touch(tx, run, id)
}

/** Returns the event if it was left as it is. */
async function undoEvent(tx: Tx, scope: Scope, change: storage.ImportChangeRow): Promise<LeftRecord | null> {
  const { run, record, action, source, uid, part, hash } = change
  const row = await recordStorage.getLocked(tx, 'event', { id: record }, 'no reader: write')
  if (row === undefined) return null
  const left = { kind: 'event', name: String(row.title) }
  // The events that were undone before may have been the reason of another one.
  const revision = (await storage.notedRevisions(tx, run, [record])).get(record)
  if (Number(row.revision) !== revision) return left
  try {
    if (action === 'created') {
      await inSavepoint(tx, () => events.removeWithin(tx, scope, record))
      await importStorage.remove(tx, source, uid, part)
      return null
    }
    const before = change.before === null ? null : (JSON.parse(change.before) as Record<string, unknown>)
    if (before === null) return left
    const reach = reaching(before.recurrence ? 'all' : null)
    await keepingShown(tx, run, row.series as number | null, () =>
      inSavepoint(tx, () => events.saveWithin(tx, scope, before, record, undefined, reach)),
    )
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
  if (kind === 'event' || kind === 'series') return null
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
