import type { CalendarEntry } from '../../calendar/calendar-entry.ts'
import { toWall } from '../../calendar/civil.ts'
import { isInGap } from '../../calendar/clock.ts'
import { inOrder, type Pattern } from '../../calendar/pattern.ts'
import { tidyRule } from '../../calendar/rule-syntax.ts'
import type { WallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import { endJoined, joinSeries } from '../../domain/series-joining.ts'
import { slugify } from '../../lib/slug.ts'
import * as storage from '../../storage/imports.ts'
import * as seriesStorage from '../../storage/series.ts'
import type * as imports from '../import-run.ts'
import { noteSeries } from '../journal.ts'
import type { ExistingOccurrence } from './existing-occurrences.ts'
import type { Occurrence } from './series.ts'

/** Rules that a series can have. Of others, the occurrences are events with one parent. */
const WHOLE_DAYS = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']

/** A recurring entry that becomes a series. */
export interface JoinedEntry {
  readonly uid: string
  readonly master: CalendarEntry & { readonly zone: string }
  readonly pattern: Pattern
}

/** What an entry recurs by; null if it cannot be a series. */
export function joinedEntry(uid: string, master: CalendarEntry | undefined): JoinedEntry | null {
  if (master === undefined || master.recurrence === null || typeof master.zone !== 'string') return null
  const { rules, ruleTexts = [], also, except } = master.recurrence
  if (rules.length > 1 || ruleTexts.length !== rules.length) return null
  if (!rules.every(({ frequency }) => WHOLE_DAYS.includes(frequency))) return null
  if (rules.length + also.length === 0) return null
  const [rule] = ruleTexts
  const { zone } = master
  const dates = inOrder(also.filter((at) => at !== master.start).map(toWall))
  // What the clock skips is none of ours anyway.
  const left = [...except].filter((at) => master.allDay || !isInGap(at, zone))
  return {
    uid,
    master: { ...master, zone },
    pattern: { rule: rule === undefined ? null : tidyRule(rule), dates, except: inOrder(left.map(toWall)) },
  }
}

/** Makes the events of an entry a series. */
export async function joinOccurrences(
  scope: Scope,
  run: imports.ImportRun,
  { uid, master, pattern }: JoinedEntry,
  occurrences: readonly Occurrence[],
): Promise<void> {
  if (run.dryRun) return
  const places = new Map(occurrences.map((occurrence) => [occurrence.part, occurrence]))
  await scope.db.writeMany(async (tx) => {
    const members = new Map<number, WallClock>()
    const plain = new Set<number>()
    for (const { part, record, status } of await storage.listEvents(tx, run.source, [uid], null)) {
      const occurrence = places.get(part)
      if (occurrence === undefined || status === null) continue
      members.set(record, toWall(occurrence.place))
      if (occurrence.entry === master || occurrence.entry.occurrence === null) plain.add(record)
    }
    const times = {
      timezone: master.zone,
      start_local: toWall(master.start),
      end_local: toWall(master.end),
      allDay: master.allDay,
    }
    const slug = typeof master.fields?.slug === 'string' ? slugify(master.fields.slug) : null
    await noteSeries(tx, run, await joinSeries(tx, scope, { pattern, times, members, plain, slug }))
  })
}

/** Of these names, whose entries do not recur, those of which an import has brought other occurrences. */
export async function knownToRecur(scope: Scope, run: imports.ImportRun, uids: readonly string[]): Promise<string[]> {
  const known = await scope.db.read((tx) => storage.listEvents(tx, run.source, uids, null))
  return [...new Set(known.filter(({ part, status }) => part !== '' && status !== null).map(({ uid }) => uid))]
}

/** Ends the series of an entry that recurs no longer. */
export async function endOfSeries(
  scope: Scope,
  run: imports.ImportRun,
  existing: readonly ExistingOccurrence[],
): Promise<void> {
  if (run.dryRun) return
  await scope.db.writeMany(async (tx) => {
    const series = await seriesStorage.seriesOf(
      tx,
      existing.map(({ record }) => record),
    )
    if (series !== null) await noteSeries(tx, run, await endJoined(tx, series))
  })
}
