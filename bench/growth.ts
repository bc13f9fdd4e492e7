import { readOptions } from './options.ts'
import { say } from './progress.ts'
import { type Growth, writeMeasurements } from './record.ts'
import { growthTable, writeReport } from './report.ts'
import { forget, isKept } from './seed.ts'
import { count, runSuite } from './suite.ts'

/** Compares a thousand events with a million: the ratios of each to the ceiling, and their quotients. */
const FEW = 1000
const MANY = 1_000_000
/** Asks how one process on one database grows; two are no part of that question. */
const WITHOUT = ['workers']

const options = readOptions()
const only = options.only.filter((name) => !WITHOUT.includes(name))
const run = { ...options, only, postgres: false }

/** All three runs; the second and the third are on copies of one seed. */
async function measureGrowth(): Promise<Growth> {
  say(`With ${count(FEW)} events:`)
  const few = await runSuite({ ...run, events: FEW })
  say(`\nWith ${count(MANY)} events:`)
  const many = await runSuite({ ...run, events: MANY, keep: true })
  say(`\nWith ${count(MANY)} events, of which no more addresses are asked for than of ${count(FEW)}:`)
  const limits = Object.fromEntries(Object.entries(few.works).map(([name, { different }]) => [name, different]))
  const varied = only.filter((name) => (many.works[name]?.different ?? 0) > (limits[name] ?? Infinity))
  const equal = await runSuite({ ...run, events: MANY, only: varied, limits })
  return { few, many, equal }
}

const wasKept = isKept(MANY)
try {
  const growth = await measureGrowth()
  say(`\n${growthTable(growth)}`)
  if (options.whole && !options.check) {
    writeReport(writeMeasurements({ growth }))
    say('\nWritten: docs/performance.md, docs/performance.svg, bench/ratios.json.')
  }
} finally {
  if (!options.keep && !wasKept) forget(MANY)
}
