import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process'
import { join } from 'node:path'
import { after } from 'node:test'
import { ROOT } from './sources.ts'

const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

// Also when a test fails or times out: a process that is left would keep the test file from ending.
after(endAll)
process.on('exit', endAll)

/** Starts a process that ends with the test file at the latest. */
export function startProcess(
  command: string,
  args: readonly string[],
  options?: SpawnOptionsWithoutStdio,
): ChildProcessWithoutNullStreams
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess
export function startProcess(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, options)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Starts the command line. A service that is told to stop does so at once, unless a test asks for more. */
export function startKalends(
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcessWithoutNullStreams {
  return startProcess(process.execPath, [join(ROOT, 'bin/kalends.js'), ...args], {
    env: { KALENDS_STOP_DELAY: '0', ...process.env, ...env },
  })
}

export interface Result {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command line until it ends. */
export function runKalends(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  return finished(startKalends(args, env))
}

/** What a process wrote, and how it ended. */
export function finished(child: ChildProcess): Promise<Result> {
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', (data) => out.push(data))
  child.stderr?.on('data', (data) => err.push(data))
  const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString()
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out: text(out), err: text(err) })))
}

/** Runs `kalends serve` that is expected to refuse to start; one that listens is ended, and has no exit code. */
export function serveRefused(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const child = startKalends(['serve', '--port', '0', '--host', '127.0.0.1', ...args], env)
  child.stdout.on('data', (data) => {
    if (String(data).includes('listening at')) child.kill('SIGKILL')
  })
  return finished(child)
}
