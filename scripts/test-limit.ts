import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Loaded before each test file: runs the file in a process group of its own, and ends the whole group when the file ends,
 * or when it takes longer than the limit. Node's runner has no limit for files, and none of its limits ends a process that
 * works without a pause, or a process that a test has started.
 */

/** How long one test file may take, in seconds. */
const LIMIT = Number(process.env.KALENDS_TEST_LIMIT ?? 300)

/** Tells the process that this one starts. */
const MARK = 'KALENDS_TEST_LIMITED'

// The runner itself loads this file too: it has no test context.
if (process.env.NODE_TEST_CONTEXT !== undefined && process.env[MARK] === undefined) await runLimited()

async function runLimited(): Promise<never> {
  const file = process.argv[1] ?? ''
  const child = spawn(process.execPath, [...ownArguments(), ...process.argv.slice(1)], {
    stdio: 'inherit',
    detached: true,
    env: { ...process.env, [MARK]: '1' },
  })
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nobody of the group is left.
    }
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, endGroup)
  const timer = setTimeout(() => {
    console.error(`${file} did not end within ${LIMIT} s: it was ended, with all processes that it had started`)
    endGroup()
  }, LIMIT * 1000)
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      console.error(`${file} could not be started: ${error.message}`)
      resolve(1)
    })
    child.on('exit', resolve)
  })
  clearTimeout(timer)
  endGroup()
  process.exit(code ?? 1)
}

/** The flags of this process, without the one that loads this file. */
function ownArguments(): string[] {
  const flags = process.execArgv
  return flags.filter((flag, n) => !isOwn(flag) && !(flag === '--import' && isOwn(flags[n + 1])))
}

function isOwn(flag: string | undefined): boolean {
  const named = flag?.replace(/^--import=/, '') ?? ''
  return named === import.meta.url || named === fileURLToPath(import.meta.url)
}
