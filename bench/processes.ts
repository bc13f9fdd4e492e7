import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import packageFile from '../package.json' with { type: 'json' }
import { freePort } from '../test/support/free-port.ts'
import { ZONE } from './rows.ts'

/** A program that answers HTTP. */
export interface Running {
  readonly url: string
  /** From the start of the process to its first 200, in milliseconds. */
  readonly ready: number
  /** The most memory that it and its own processes ever held, in megabytes. */
  peak(): number
  /** The processor time that it and its own processes have used, in seconds. */
  cpu(): number
  stop(): Promise<void>
}

/** How long a program may take to get ready, in milliseconds. */
const PATIENCE = 60_000

/** What the paths of programs begin at. */
const ROOT = join(import.meta.dirname, '..')

const running = new Set<Running>()

/** Ends all programs that are still running. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.stop()))
}

async function start(args: readonly string[], port: number, path: string, env: NodeJS.ProcessEnv): Promise<Running> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'], env })
  let complaint = ''
  child.stderr?.on('data', (data) => {
    complaint = (complaint + data).slice(-2000)
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(url + path))) {
    if (child.exitCode !== null) throw new Error(complaint.trim() || `a program ended with ${child.exitCode}`)
    if (performance.now() - began > PATIENCE) throw new Error(`${args.join(' ')} did not get ready`)
    await setTimeout(2)
  }
  const program: Running = {
    url,
    ready: performance.now() - began,
    peak: () => sumOf(child.pid ?? 0, peakOf),
    cpu: () => sumOf(child.pid ?? 0, cpuOf),
    async stop() {
      running.delete(program)
      await end(child)
    },
  }
  running.add(program)
  return program
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  // The service finishes what runs; if it takes longer than it says, it is not waited for.
  await Promise.race([ended, setTimeout(12_000).then(() => child.kill('SIGKILL'))])
}

/** A figure of a process, added up with those of the processes that it started; 0 where there is no /proc. */
function sumOf(pid: number, figure: (pid: number) => number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return figure(pid) + children.reduce((sum, child) => sum + sumOf(Number(child), figure), 0)
  } catch {
    return 0
  }
}

function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

/** Time on a processor of all its threads: the first field of each schedstat of proc(5), in nanoseconds. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
  return times.reduce((sum, time) => sum + time, 0) / 1e9
}

export interface ServiceOptions {
  /** A folder, or the address of a PostgreSQL database. */
  readonly where: string
  /** The folder of what is no database. */
  readonly folder: string
  readonly workers?: number
  readonly log: string
}

/** What `npm start` runs, without the name of Node itself. */
const SERVE = packageFile.scripts.start.split(' ').slice(1)

/** Starts the service as anybody would, with its defaults. Its log goes nowhere. */
export async function startService({ where, folder, workers, log }: ServiceOptions): Promise<Running> {
  const port = await freePort()
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('KALENDS_'))
  const env = {
    ...Object.fromEntries(own),
    KALENDS_LOG_LEVEL: log,
    ...(where.startsWith('postgres') && { KALENDS_DATABASE_URL: where }),
  }
  const flags = ['--port', String(port), '--host', '127.0.0.1', '--data', folder, '--timezone', ZONE]
  return start([...SERVE, ...flags, ...(workers ? ['--workers', String(workers)] : [])], port, '/readyz', env)
}

/** The ceiling, which answers what it is given. */
export interface Ceiling extends Running {
  /** From now on it answers with these, in turn. */
  answer(bodies: readonly Buffer[]): Promise<void>
}

export async function startCeiling(): Promise<Ceiling> {
  const port = await freePort()
  const program = await start([join(import.meta.dirname, 'ceiling.ts'), String(port)], port, '/', process.env)
  return {
    ...program,
    async answer(bodies) {
      await fetch(`${program.url}/bodies`, { method: 'DELETE' })
      for (const body of bodies) await fetch(`${program.url}/bodies`, { method: 'POST', body: new Uint8Array(body) })
    },
  }
}
