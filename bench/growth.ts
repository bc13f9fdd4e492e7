import { readOptions } from './options.ts'
import { say } from './progress.ts'
import { writeMeasurements } from './record.ts'
import { growthTable, writeReport } from './report.ts'
import { count, runSuite } from './suite.ts'

/** Compares a thousand events with a million: the ratios of each to the ceiling, and their quotients. */
const FEW = 1000
const MANY = 1_000_000
/** Asks how one process on one database grows; two are no part of that question. */
const WITHOUT = ['workers']

const options = readOptions()
const only = options.only.filter((name) => !WITHOUT.includes(name))
const run = { ...options, only, postgres: false }

say(`With ${count(FEW)} events:`)
const few = await runSuite({ ...run, events: FEW })
say(`\nWith ${count(MANY)} events:`)
const growth = { few, many: await runSuite({ ...run, events: MANY }) }
say(`\n${growthTable(growth)}`)
if (options.whole && !options.check) {
  writeReport(writeMeasurements({ growth }))
  say('\nWritten: docs/performance.md, docs/performance.svg, bench/ratios.json.')
}
