import { FIRST_WORKS } from './first.ts'
import { readOptions } from './options.ts'
import { say } from './progress.ts'
import { readMeasurements, regressions, writeMeasurements } from './record.ts'
import { writeReport } from './report.ts'
import { count, runSuite } from './suite.ts'
import { WORKS } from './works.ts'

/** Measures the service against the ceiling: every work, in one run. */
const options = readOptions()
const name = options.postgres ? 'postgres' : 'sqlite'
const kept = readMeasurements()[name]
if (options.check && kept?.events !== options.events) {
  say(
    `There is nothing to check against: bench/ratios.json has no run on ${name} with ${count(options.events)} events.`,
  )
  process.exit(1)
}
const results = await runSuite(options)
if (options.check && kept !== undefined) {
  const isChosen = ({ name: work }: { name: string }) => options.only.includes(work)
  const worse = regressions(kept, results, WORKS.filter(isChosen), FIRST_WORKS.filter(isChosen))
  say(worse.length === 0 ? '\nNo work is more than 20 % below its kept ratio.' : '\nSlower than what is kept:')
  for (const sentence of worse) say(`  ${sentence}`)
  // Said outright: the embedded PostgreSQL has a hook that ends a process with 0, whatever exitCode says.
  process.exit(worse.length === 0 ? 0 : 1)
} else if (options.whole) {
  writeReport(writeMeasurements({ [name]: results }))
  say('\nWritten: docs/performance.md, docs/performance.svg, bench/ratios.json.')
} else {
  say('\nNothing is written: that takes a run of all works, on the usual number of events, of the usual length.')
}
