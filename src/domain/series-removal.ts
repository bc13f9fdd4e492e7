import { AppError } from '../lib/errors.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import type { RecordRow } from '../storage/records.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import { mayEdit, need } from './access.ts'
import { asEvent } from './event-writing.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { moveTermCounts } from './series-copies.ts'
import { addException, dropIfEmpty, isFirst, touched } from './series-members.ts'
import type { Reach, SeriesReport } from './series-reach.ts'
import { splitSeries } from './series-splitting.ts'
import { setStatus } from './series-status.ts'

/** Trashes or deletes an event, or as much of its series as the request reaches. Returns its row. */
export async function removeEvent(
  tx: Tx,
  scope: Scope,
  row: EventRow,
  isForced: boolean,
  reach: Reach,
): Promise<EventRow> {
  const series = row.series === null ? undefined : await storage.getLocked(tx, row.series)
  if (series === undefined || reach.scope === null || reach.scope === 'this')
    return removeOne(tx, scope, row, isForced, reach.report)
  const isWhole = reach.scope === 'all' || (await isFirst(tx, series, row))
  const removed = isWhole ? series : (await splitSeries(tx, scope, series, row)).rest
  return removeAll(tx, scope, removed, row, isForced, reach.report)
}

/** Removes one event. An occurrence of a series becomes an exception of it. */
async function removeOne(
  tx: Tx,
  scope: Scope,
  row: EventRow,
  isForced: boolean,
  report?: SeriesReport,
): Promise<EventRow> {
  const counts = await storage.termCounts(tx, [row.id])
  const after = asEvent(await records.remove(tx, scope, 'event', row as unknown as RecordRow, isForced))
  await moveTermCounts(tx, isForced ? [] : [row.id], counts)
  await addException(tx, scope, row)
  if (isForced && row.series !== null) await dropIfEmpty(tx, row.series)
  report?.removed.push({ id: row.id, start_date: row.start_local })
  return after
}

async function removeAll(
  tx: Tx,
  scope: Scope,
  series: SeriesRow,
  event: EventRow,
  isForced: boolean,
  report: SeriesReport,
): Promise<EventRow> {
  const members = await storage.occurrences(tx, series.id)
  for (const row of members) need(mayEdit(scope.user, row))
  if (isForced) {
    await deleteRows(tx, members)
    await storage.remove(tx, series.id)
  } else {
    if (members.every(({ status }) => status === 'trash')) throw new AppError('event-is-in-trash')
    await setStatus(tx, scope, members, 'trash')
    await storage.update(tx, series.id, { trashed: 1, ...touched(scope, series) })
  }
  const gone = isForced ? members : members.filter(({ status }) => status !== 'trash')
  report.removed.push(...gone.map(({ id, start_local }) => ({ id, start_date: start_local })))
  return isForced ? event : asEvent(await records.find(tx, 'event', { id: event.id }, 'no reader: write'))
}

/** Deletes an event for good, without an exception of its series. A series without events is deleted, too. */
export async function removeTrace(tx: Tx, row: EventRow): Promise<void> {
  await deleteRows(tx, [row])
  if (row.series !== null) await dropIfEmpty(tx, row.series)
}

/** Deletes events for good. */
export async function deleteRows(tx: Tx, rows: readonly storage.Occurrence[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const counts = await storage.termCounts(tx, ids)
  await storage.removeEvents(tx, ids)
  await moveTermCounts(tx, [], counts)
}
