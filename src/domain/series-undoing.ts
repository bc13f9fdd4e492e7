import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as eventStorage from '../storage/events.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import type { Scope } from './scope.ts'
import { DETACHED, timesOf, touched } from './series-members.ts'
import { findOccurrences, patternOf } from './series-pattern.ts'
import { deleteRows } from './series-removal.ts'
import { setStatus } from './series-status.ts'

/** Where an event stands in a series, or in none. */
export type Place = Pick<EventRow, 'id' | 'series' | 'original_start' | 'own_fields' | 'parent'>

export function placeIn({ id, series, original_start, own_fields, parent }: Place): Place {
  return { id, series, original_start, own_fields, parent }
}

/** What an import has made of a series. */
export interface SeriesChange {
  readonly series: number
  /** The series before; null if there was none. */
  readonly row: SeriesRow | null
  /** Where events stood before. */
  readonly places: readonly Place[]
  /** Ids of events that went to the trash with it. */
  readonly trashed: readonly number[]
}

/** Where an event stands; null if there is none. */
export async function placeOf(tx: Tx, event: number): Promise<Place | null> {
  const [row] = await eventStorage.getAll(tx, [event], 'no reader: write')
  return row === undefined ? null : placeIn(row)
}

/** A series that was begun with an event, which stood elsewhere or was not there. Null if it has none. */
export async function begunSeries(tx: Tx, event: number, before: Place | null): Promise<SeriesChange | null> {
  const series = (await placeOf(tx, event))?.series
  return series ? { series, row: null, places: before === null ? [] : [before], trashed: [] } : null
}

/**
 * Makes a series what it was before a change. Occurrences that were made since, and that it did not have, are deleted; what
 * was changed by hand becomes a single event. `noted` are events whose changes are undone by themselves.
 */
export async function undoSeriesChange(
  tx: Tx,
  scope: Scope,
  { series: id, row, places, trashed }: SeriesChange,
  noted: ReadonlySet<number>,
): Promise<void> {
  const current = await storage.getLocked(tx, id)
  const had = new Set([...noted, ...places.map((place) => place.id)])
  const members = await storage.occurrences(tx, id)
  const since = members.filter((one) => !had.has(one.id))
  const given = row === null ? null : new Set((await findOccurrences(scope, patternOf(row), timesOf(row))).all)
  const lost = since.filter(({ original_start }) => !given?.has(original_start ?? ''))
  const isByHand = ({ own_fields, status }: storage.Occurrence) => own_fields !== null || status === 'trash'
  await deleteRows(
    tx,
    lost.filter((one) => !isByHand(one)),
  )
  const single = row === null ? members : lost.filter(isByHand)
  await storage.updateEvents(
    tx,
    single.map((one) => one.id),
    DETACHED,
  )
  if (row === null) await storage.remove(tx, id)
  else if (current === undefined) await storage.create(tx, { ...row, ...touched(scope, row) })
  else await storage.update(tx, id, { ...row, ...touched(scope, current) })
  await storage.updateEach(tx, places)
  await setStatus(tx, scope, await eventStorage.getAll(tx, trashed, 'no reader: write'), 'before')
}
