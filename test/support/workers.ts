import type { ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { startKalends } from './processes.ts'
import type { Json } from './service.ts'

/** How long anything here is waited for, in milliseconds. */
const PATIENCE = 60_000

export interface Answer {
  readonly status: number
  readonly body: Json
}

/** One connection, which is kept: whoever took it answers all that is sent over it. */
export interface Connection {
  send(method: string, path: string, json?: unknown, headers?: Record<string, string>): Promise<Answer>
  close(): void
}

/** The lines of a log, read. */
export interface Line {
  readonly msg?: string
  readonly worker?: number
  readonly process?: number
}

export interface Served {
  readonly child: ChildProcess
  readonly url: string
  /** The `Authorization` header of the administrator. */
  readonly authorization: string
  /** Everything that was printed. */
  out(): string
  log(): Line[]
  /** Settled with the exit code of the primary process when no process of the service is left: all share its output. */
  readonly closed: Promise<number | null>
  /** Opens a connection of the administrator, or of nobody. */
  connect(as?: 'nobody'): Connection
}

/**
 * Starts `kalends serve` in processes of its own, and waits until it listens and, if the calendar is new, has shown its
 * administrator.
 */
export async function serveProcesses(
  args: string[],
  env: Record<string, string> = {},
  { isNew = true }: { isNew?: boolean } = {},
): Promise<Served> {
  const child = startKalends(['serve', '--port', '0', '--host', '127.0.0.1', ...args], env)
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data))
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${out}`)
    return /listening at http:\/\/[\d.:]+/.test(out) && (!isNew || /password {2}\S+\n/.test(out))
  })
  const url = /listening at (http:\/\/[\d.:]+)/.exec(out)?.[1] ?? ''
  const password = /password {2}(\S+)/.exec(out)?.[1]
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  const log = () => {
    // The last may not be finished.
    const lines = out.split('\n').slice(0, -1)
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Line)
  }
  const headers = (as?: 'nobody'): Record<string, string> => (as === 'nobody' ? {} : { authorization })
  return { child, url, authorization, out: () => out, log, closed, connect: (as) => connect(url, headers(as)) }
}

/** Waits until something is so. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`it did not come to be so: ${check}`)
    await setTimeout(20)
  }
}

function connect(url: string, always: Record<string, string>): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    send: (method, path, json, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(
          `${url}/calendar/events/v1${path}`,
          {
            method,
            agent,
            headers: { ...always, ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
          },
          (response) =>
            text(response)
              .then((body) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) }))
              .catch(reject),
        )
        sent.on('error', reject)
        sent.end(json === undefined ? undefined : JSON.stringify(json))
      }),
    close: () => agent.destroy(),
  }
}
