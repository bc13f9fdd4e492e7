import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'

const run = promisify(execFile)

/** One request of a work. */
export interface Request {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What a round of load came to. */
export interface Round {
  /** Answers a second. */
  readonly rate: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Answers of 400 and above, and requests without one. */
  readonly failed: number
}

/** Sends requests, in turn, from many connections for some seconds. */
export interface Load {
  readonly name: string
  /** Begins at the request of this number, so that rounds do not all ask for the same. */
  send(url: string, requests: readonly Request[], from: number, seconds: number): Promise<Round>
}

export const CONNECTIONS = 32

/** wrk, which needs a fraction of a core; where it is not installed, autocannon, which is often the limit itself. */
export async function findLoad(folder: string): Promise<Load> {
  // It shows its usage and fails; what is not there fails otherwise.
  const found = await run('wrk', ['--version']).catch((error) => error.code !== 'ENOENT')
  return found ? wrk(folder) : { name: 'autocannon', send: cannon }
}

function wrk(folder: string): Load {
  const files = new Map<readonly Request[], string>()
  const fileOf = (requests: readonly Request[]): string => {
    let file = files.get(requests)
    if (file === undefined) {
      file = join(folder, `requests-${files.size}`)
      writeFileSync(file, requests.map(written).join('\0'))
      files.set(requests, file)
    }
    return file
  }
  return {
    name: 'wrk',
    async send(url, requests, from, seconds) {
      const script = join(import.meta.dirname, 'wrk.lua')
      const flags = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s', '-s', script]
      const { stdout } = await run('wrk', [...flags, url, '--', fileOf(requests), String(from)])
      const result = /^RESULT (.*)$/m.exec(stdout)?.[1]
      if (result === undefined) throw new Error(`wrk said: ${stdout}`)
      const { microseconds, refused, broken, p50, p99, ...rest } = JSON.parse(result)
      return { rate: (rest.requests / microseconds) * 1e6, p50, p99, failed: refused + broken }
    },
  }
}

/** A request as it goes over the wire. */
function written({ method = 'GET', path, headers = {}, body = '' }: Request): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`
}

/** How many requests a connection of autocannon goes through; it builds them all beforehand. */
const CANNON_REQUESTS = 500

async function cannon(url: string, requests: readonly Request[], from: number, seconds: number): Promise<Round> {
  let client = 0
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient: (connection) => {
      const first = from + client++ * CANNON_REQUESTS
      const own = Array.from(
        { length: Math.min(CANNON_REQUESTS, requests.length) },
        (_, n) => requests[(first + n) % requests.length] as Request,
      )
      connection.setRequests(own.map((request) => ({ method: 'GET', ...request })))
    },
  })
  const { requests: answered, latency, errors, non2xx } = result
  // It counts a 304 among what is not 2xx, and that is what was asked for.
  const redirected = (result as unknown as Record<string, number>)['3xx'] ?? 0
  return { rate: answered.average, p50: latency.p50, p99: latency.p99, failed: errors + non2xx - redirected }
}
