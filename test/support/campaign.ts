import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import * as users from '../../src/domain/users.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { emptyStore, ON_POSTGRES } from './store.ts'

/** Chance that can be repeated: the same seed makes the same choices, though processes take their own time. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A number from 0 up to 1, without 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from)
  }

  pick<T>(from: readonly T[]): T {
    const chosen = from[Math.floor(this.next() * from.length)]
    if (chosen === undefined) throw new Error('there is nothing to choose from')
    return chosen
  }
}

/** The seed of a run: from KALENDS_CAMPAIGN_SEED, or another one each time. It is printed, to repeat a run that failed. */
export function chanceOf(name: string): Chance {
  const seed = Number(process.env.KALENDS_CAMPAIGN_SEED ?? randomInt(2 ** 32))
  progress(`${name}: KALENDS_CAMPAIGN_SEED=${seed}`)
  return new Chance(seed)
}

/** How often something is tried: `npm run test:campaign` tries it as often as a proof needs, `npm run test:all` less often. */
export function times(full: number, short: number): number {
  return process.env.KALENDS_CAMPAIGN === 'full' ? full : short
}

/** Tells how far a campaign is, while it runs. */
export function progress(line: string): void {
  process.stderr.write(`[campaign, ${ON_POSTGRES ? 'PostgreSQL' : 'SQLite'}] ${line}\n`)
}

/** A new calendar with an editor, for services that are started and ended again. */
export interface Calendar {
  readonly databaseUrl: string
  /** Arguments and environment of `kalends serve`. */
  readonly args: readonly string[]
  readonly env: Record<string, string>
  readonly token: string
  drop(): Promise<void>
}

export async function newCalendar(): Promise<Calendar> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-campaign-'))
  const store = await emptyStore(folder)
  const db = openDatabase(store.where)
  await db.migrate()
  const editor = {
    name: 'editor',
    email: 'editor@example.org',
    role: 'editor',
    password: users.randomPassword(),
  } as const
  await users.create({ db, clock: systemClock }, editor)
  const token = await users.createToken({ db, clock: systemClock }, 'editor', 'campaign')
  await db.close()
  const databaseUrl = ON_POSTGRES ? store.where : ''
  return {
    databaseUrl,
    args: ['--data', folder],
    env: {
      KALENDS_DATABASE_URL: databaseUrl,
      KALENDS_RATE_LIMIT: '0',
      KALENDS_USER_RATE_LIMIT: '0',
    },
    token,
    async drop() {
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An answer; status 0 is none: the connection broke, or nothing came in time. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
}

/** One connection at a time, which is kept: with workers, the same one answers all that is sent over it. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #token: string
  url: string

  constructor(url: string, token: string) {
    this.url = url
    this.#token = token
  }

  /** Sends JSON, or bytes, to a path below the namespace or, with a slash before it twice, to a path of the site. */
  send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Reply> {
    const isBytes = Buffer.isBuffer(body)
    const type = isBytes ? 'application/octet-stream' : 'application/json'
    const where = path.startsWith('//') ? path.slice(1) : `/calendar/events/v1${path}`
    const all = { authorization: `Bearer ${this.#token}`, ...(body && { 'content-type': type }), ...headers }
    return new Promise((resolve) => {
      const none = () => resolve({ status: 0, headers: {}, bytes: Buffer.alloc(0) })
      const options = { method, agent: this.#agent, headers: all, signal: AbortSignal.timeout(LONGEST) }
      const sent = request(this.url + where, options, (response) => {
        const { statusCode: status = 0, headers } = response
        buffer(response).then((bytes) => resolve({ status, headers, bytes }), none)
      })
      sent.on('error', none)
      sent.end(body === undefined || isBytes ? body : JSON.stringify(body))
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** How long an answer is waited for, in milliseconds: longer than the service waits for anything. */
const LONGEST = 30_000
