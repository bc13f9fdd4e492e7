import { toWall } from '../calendar/civil.ts'
import { horizonOf } from '../calendar/pattern.ts'
import { type Instant, toInstant, toWallClock } from '../calendar/zone.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/series.ts'
import type { JobKind } from './job-run.ts'
import type { Scope } from './scope.ts'
import { timesOf } from './series-members.ts'
import { findOccurrences, patternOf } from './series-pattern.ts'
import { createOccurrences, readTemplate } from './series-template.ts'

type ExtensionScope = Pick<Scope, 'db' | 'clock' | 'site'>

/** Seconds between two runs. */
const EVERY = 60
/** Series that are looked for at once. */
const BATCH = 100

/** Makes the occurrences of series that come into view, day by day. */
export function extendingSeries(scope: ExtensionScope): JobKind {
  return {
    name: 'extend-series',
    every: EVERY,
    next: (tx) => nextDue(tx, scope),
    run: (_, signal) => extendSeries(scope, signal),
  }
}

/** When the first series has occurrences to make: on the day after that which it was made for. */
async function nextDue(tx: Tx, { site }: ExtensionScope): Promise<Instant | null> {
  const until = await storage.firstMadeUntil(tx)
  if (until === null) return null
  const day = Temporal.PlainDate.from(until.slice(0, 10)).subtract({ years: site.seriesYears }).add({ days: 1 })
  return toInstant(`${day.toString()} 00:00:00`, site.timezone)
}

/** Makes all occurrences that are in view now. Returns how many there were. */
export async function extendSeries(scope: ExtensionScope, signal?: AbortSignal): Promise<number> {
  const today = toWallClock(scope.clock(), scope.site.timezone)
  const until = toWall(horizonOf(today, today, scope.site.seriesYears))
  let made = 0
  for (;;) {
    const due = await scope.db.read((tx) => storage.due(tx, until, BATCH))
    if (due.length === 0 || signal?.aborted) return made
    for (const id of due) made += await extendOne(scope, id)
  }
}

async function extendOne(scope: ExtensionScope, id: number): Promise<number> {
  return scope.db.writeMany(async (tx) => {
    const series = await storage.getLocked(tx, id)
    // Another node was faster.
    if (series === undefined || series.made_until === null) return 0
    const { starts, madeUntil, isCut } = await findOccurrences(scope, patternOf(series), timesOf(series))
    const known = new Set((await storage.occurrences(tx, id)).map((row) => row.original_start))
    const later = starts.filter((start) => start > (series.made_until ?? '') && !known.has(start))
    await createOccurrences(tx, scope, series, readTemplate(series), later)
    await storage.update(tx, id, { made_until: isCut ? null : madeUntil })
    return later.length
  })
}
