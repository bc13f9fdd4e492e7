import { fromWall, toWall } from '../../calendar/civil.ts'
import { toInstant, toWallClock, type WallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { timesOf } from '../../domain/series-members.ts'
import * as storage from '../../storage/imports.ts'
import * as seriesStorage from '../../storage/series.ts'
import type { ImportRun } from '../import-run.ts'
import type { KnownOccurrence } from '../saving.ts'
import { type Occurrence, partOf, type Series } from './series.ts'

/** An event of an entry that recurs. */
export interface ExistingOccurrence extends KnownOccurrence {
  /** Start by the rule, by the clock of its series or of UTC. */
  readonly original: WallClock
}

/** The events of an entry; `own` is the id of the series of this site that the entry is. */
export function existingOccurrences(
  scope: Scope,
  run: ImportRun,
  uid: string,
  own: number | null,
): Promise<ExistingOccurrence[]> {
  return scope.db.read(async (tx) => {
    const known = await storage.listEvents(tx, run.source, [uid], null)
    const records = known.map(({ record }) => record)
    const id = (await seriesStorage.seriesOf(tx, records)) ?? own
    const series = id === null ? undefined : await seriesStorage.get(tx, id)
    const members = series === undefined ? [] : await seriesStorage.occurrences(tx, series.id)
    const originals = new Map(members.map((row) => [row.id, row.original_start ?? row.start_local]))
    const zone = series?.timezone ?? 'UTC'
    const imported = known.map((row) => ({ ...row, original: originals.get(row.record) ?? originalOf(row.part, zone) }))
    const isImported = new Set(records)
    const others = members.flatMap(({ id: record, status, original_start: original }) => {
      if (series === undefined || original === null || isImported.has(record)) return []
      const { timezone, allDay } = timesOf(series)
      const part = partOf({ allDay, zone: timezone }, fromWall(original))
      return [{ record, part, status, original, hash: null }]
    })
    return [...imported, ...others]
  })
}

/** The start that a part stands for. */
function originalOf(part: string, zone: string): WallClock {
  if (part.length <= 10) return `${part} 00:00:00`
  return toWallClock(toInstant(part, 'UTC'), zone)
}

/** Which events are which occurrences of their entry. */
interface Matched {
  /** Ids of events, by the parts of occurrences. */
  readonly taken: ReadonlyMap<string, number>
  /** Events that are no occurrence any more. */
  readonly left: readonly ExistingOccurrence[]
  /** Former parts of events that are another occurrence now. */
  readonly renamed: readonly string[]
}

/** Finds the event of each occurrence: by its identity, else by its original start, else by its day. */
export function matchOccurrences(occurrences: readonly Occurrence[], existing: readonly ExistingOccurrence[]): Matched {
  const taken = new Map<string, number>()
  const open = new Set(existing)
  const renamed: string[] = []
  const take = (key: (one: ExistingOccurrence) => string | null, of: (occurrence: Occurrence) => string) => {
    const byKey = Map.groupBy(open, key)
    for (const occurrence of occurrences) {
      const found = taken.has(occurrence.part) ? undefined : byKey.get(of(occurrence))?.shift()
      if (found === undefined) continue
      open.delete(found)
      taken.set(occurrence.part, found.record)
      if (found.hash !== null && found.part !== occurrence.part) renamed.push(found.part)
    }
  }
  const isThere = ({ status }: ExistingOccurrence) => status !== null && status !== 'trash'
  take(
    ({ hash, part }) => (hash === null ? null : part),
    ({ part }) => part,
  )
  take(
    ({ hash, original }) => (hash === null ? original : null),
    ({ place }) => toWall(place),
  )
  take(
    (one) => (isThere(one) ? one.original.slice(0, 10) : null),
    ({ place }) => toWall(place).slice(0, 10),
  )
  return { taken, left: [...open], renamed }
}

/** Whether an event lies where the occurrences of its entry are all known. */
export function inRange({ first, last }: NonNullable<Series['whole']>): (one: ExistingOccurrence) => boolean {
  return ({ part }) => part >= first && part <= last
}
