import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Test files, run once in one process. */
export interface TestRun {
  readonly files: readonly string[]
  /** The database that they are run on, for the report. */
  readonly database: string
  readonly env: Record<string, string>
}

export interface Outcome extends TestRun {
  readonly isGood: boolean
  /** Everything that the files printed. */
  readonly output: string
  readonly seconds: number
  readonly tests: number
  readonly skipped: number
}

export interface Options {
  /** How many processes run at a time. */
  readonly parallel: number
  /** How long one process may take, in seconds. */
  readonly limit: number
  /** Flags for Node. */
  readonly flags?: readonly string[]
  readonly cwd?: string
  /** Saves time: an error that nobody catches still fails its run, but is told without the name of its test. */
  readonly isLight?: boolean
  /** Whether a run is still to be started; one that is not has no outcome. */
  readonly mayStart?: (run: TestRun) => boolean
}

/** Where compiled code is kept: to compile takes a file longer than many a test. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/kalends-tests', import.meta.url))

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
/** Files in one process. Node's own way (`--test-isolation=none`) reads the runner before anything can be imported. */
const TOGETHER = pathOf('test-together.ts')
/** Finds modules faster, as the command does: a process loads more than a thousand. */
const RESOLVE = ['--import', pathToFileURL(pathOf('../bin/resolve.js')).href]
const WITHOUT_PROMISES = ['--import', pathToFileURL(pathOf('test-without-promises.ts')).href]
/** How the runner tells of an error that belongs to no test. */
const UNCAUGHT = /^ℹ Error: .* which triggered an (uncaughtException|unhandledRejection) event/m

const running = new Set<ChildProcess>()
// Whoever ends the run ends everything that it has started.
process.on('exit', () => running.forEach(endGroup))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1))

/** Runs test files in this order, some at a time; tells of each when it has ended. */
export async function runFiles(
  runs: readonly TestRun[],
  options: Options,
  onEnd: (outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const waiting = [...runs]
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (options.mayStart?.(next) === false) continue
      const outcome = await runOne(next, options)
      outcomes.push(outcome)
      onEnd(outcome)
    }
  }
  await Promise.all(Array.from({ length: options.parallel }, work))
  return outcomes
}

/** What a run is called. */
export function nameOf({ files: [first = '', ...others] }: TestRun): string {
  return others.length === 0 ? first : `${first} to ${others.at(-1)} (${others.length + 1} files)`
}

/**
 * Runs files in a process group of their own, and ends the whole group when they end, or when they take longer than the
 * limit. Node's runner has no limit for files, and none of its limits ends a process that works without a pause, or a
 * process that a test has started.
 */
async function runOne(
  run: TestRun,
  { limit, flags = [], cwd = process.cwd(), isLight = false }: Options,
): Promise<Outcome> {
  const begun = performance.now()
  // Told by Node's runner to the files that it starts: this one is not started by it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const given = ['--test-reporter=spec', ...RESOLVE, ...(isLight ? WITHOUT_PROMISES : []), ...flags]
  const child = spawn(process.execPath, [...given, ...(run.files.length > 1 ? [TOGETHER] : []), ...run.files], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: COMPILED, ...env, ...run.env },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, limit * 1000)
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      output += `${nameOf(run)} could not be started: ${error.message}\n`
      resolve(1)
    })
    child.on('exit', (status) => {
      endGroup(child)
      child.on('close', () => resolve(status))
    })
  })
  clearTimeout(timer)
  running.delete(child)
  if (isLate)
    output += `${nameOf(run)} did not end within ${limit} s: it was ended, with all processes that it had started\n`
  const seconds = (performance.now() - begun) / 1000
  return {
    ...run,
    // A package may set the exit code, so the summary counts, too.
    isGood: code === 0 && countOf('fail', output) === 0 && countOf('cancelled', output) === 0 && !UNCAUGHT.test(output),
    output,
    seconds,
    tests: countOf('tests', output),
    skipped: countOf('skipped', output),
  }
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nobody of the group is left.
  }
}

/** A number of the summary at the end. */
function countOf(name: string, output: string): number {
  return Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
}
