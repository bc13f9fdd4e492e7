import { setTimeout } from 'node:timers/promises'
import * as users from '../src/domain/users.ts'
import { openDatabase } from '../src/storage/database.ts'
import { API, createRequests, pageRequests, pastPages, searchRequests, singleRequests } from './addresses.ts'
import { openBare } from './bare.ts'
import { CONNECTIONS, type Request } from './load.ts'
import { distinct, type Once, sendOnce } from './once.ts'
import { CATEGORIES } from './rows.ts'
import { ask, type Bench } from './works.ts'

/** What a work came to when nothing of it was asked for before. */
export interface First {
  /** Processor time of what it is compared with, divided by its own; or another ratio, if the work says so. */
  readonly ratio: number
  /** Processor time an answer, in milliseconds. */
  readonly cost: number
  /** The same of what it is compared with. */
  readonly base: number
  readonly p50: number
  readonly p99: number
  readonly requests: number
  readonly failed: number
}

/** A work whose addresses are each asked for once. */
export interface FirstWork {
  readonly name: string
  readonly title: string
  readonly atLeast: number
  readonly aim: number
  measure(bench: Bench): Promise<First>
}

/** How many addresses a work asks for, after how many that only warm the process up. */
const ADDRESSES = 2000
const WARM_UP = 1000
/** How many draws the reader beside writers has, and the pause between two writes in milliseconds. */
const DRAWS = 5000
const PAUSE = 100
/** How long creates are sent, in seconds. */
const CREATING = 5
/** How many answers the ceiling is given. */
const SAMPLES = 64

/** Asks the ceiling for the same answers as often; what the service has answered is known, and is asked for again. */
async function against(bench: Bench, once: Once, requests: readonly Request[]): Promise<First> {
  const { service, ceiling } = bench
  const bodies: Buffer[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const request = requests[Math.floor((n * requests.length) / SAMPLES)]
    if (request !== undefined) bodies.push(Buffer.from(await (await ask(service.url, request)).arrayBuffer()))
  }
  await ceiling.answer(bodies)
  const plain = Array.from({ length: ADDRESSES }, (_, n) => ({ path: requests[n % requests.length]?.path ?? '/' }))
  await sendOnce(ceiling, plain.slice(0, WARM_UP))
  const base = await sendOnce(ceiling, plain)
  return resultOf(once, base.cost, requests.length)
}

function resultOf({ cost, times, failed }: Once, base: number, requests: number): First {
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  return { ratio: base / cost, cost: cost * 1000, base: base * 1000, p50: at(0.5), p99: at(0.99), requests, failed }
}

/** Warms the process up with other addresses of the same kind, and asks for each address once. */
async function firstTime(bench: Bench, warmUp: readonly Request[], requests: readonly Request[]): Promise<First> {
  await sendOnce(bench.service, warmUp)
  return against(bench, await sendOnce(bench.service, requests), requests)
}

const writes = new WeakMap<Bench, Request[]>()

/** Creates an event that was not created yet. */
async function write(bench: Bench): Promise<void> {
  const left = writes.get(bench) ?? createRequests(bench.token)
  writes.set(bench, left)
  const request = left.pop()
  if (request !== undefined) await (await ask(bench.service.url, request)).arrayBuffer()
}

async function mixed(bench: Bench): Promise<First> {
  const { requests } = await pageRequests(bench.where)
  const draws = requests.slice(0, DRAWS)
  const stop = new AbortController()
  const writing = (async () => {
    while (!stop.signal.aborted) await Promise.all([write(bench), setTimeout(PAUSE)])
  })()
  const once = await sendOnce(bench.service, draws)
  stop.abort()
  await writing
  return against(bench, once, draws)
}

/** How long the default list is read, in seconds, and the p99 that is asked for, in milliseconds. */
const READING = 8
const PATIENCE = 10
const WARM_WRITES = 300

/** Reads the default list again and again, and writes an event every second. By `wrk`: a client in Node has pauses of its own, of 10 ms and more. */
async function burst(bench: Bench): Promise<First> {
  const { service, load } = bench
  const list = [{ path: `${API}/events` }]
  // Warms the process up: as all works do before, or by itself if this is the only one.
  for (let n = 0; n < WARM_WRITES; n++) await write(bench)
  await load.send(service.url, list, 0, 1)
  const stop = new AbortController()
  const writing = (async () => {
    while (!stop.signal.aborted) await Promise.all([write(bench), setTimeout(1000)])
  })()
  const before = service.cpu()
  const { rate, p50, p99, failed } = await load.send(service.url, list, 0, READING)
  stop.abort()
  await writing
  const requests = Math.round(rate * READING)
  return {
    ratio: PATIENCE / p99,
    cost: ((service.cpu() - before) / requests) * 1000,
    base: 0,
    p50,
    p99,
    requests,
    failed,
  }
}

/** An editor, who sees more than the public does. */
async function editorOf(where: string): Promise<string> {
  const db = openDatabase(where)
  const clock = () => Math.floor(Date.now() / 1000)
  const editor = { name: 'editor', email: 'editor@example.org', role: 'editor', password: 'bench password' } as const
  await users.create({ db, clock }, editor)
  const token = await users.createToken({ db, clock }, 'editor', 'bench')
  await db.close()
  return token
}

async function create(bench: Bench): Promise<{ once: Once; bare: { cost: number; rate: number } }> {
  const requests = createRequests(bench.token)
  const ids: number[] = []
  for (const request of requests.slice(-20)) {
    const { id } = (await (await ask(bench.service.url, request)).json()) as { id: number }
    ids.push(id)
  }
  await sendOnce(bench.service, requests.slice(0, WARM_UP), CONNECTIONS)
  const once = await sendOnce(bench.service, requests.slice(WARM_UP), CONNECTIONS, CREATING)
  const bare = await openBare(bench.where, ids)
  const before = process.cpuUsage()
  const { rate } = await bare.write(CREATING)
  const { user, system } = process.cpuUsage(before)
  await bare.close()
  return { once, bare: { cost: (user + system) / 1e6 / (rate * CREATING), rate } }
}

const created = new WeakMap<Bench, ReturnType<typeof create>>()

/** The creates are sent once, and looked at in several ways. */
function creates(bench: Bench): ReturnType<typeof create> {
  const known = created.get(bench) ?? create(bench)
  created.set(bench, known)
  return known
}

/** Months of two years before and after this one. */
const MONTHS = 46
const WARM_MONTHS = 200
const ASKED_MONTHS = 300

/** Months of each category, each address once. */
function months(): Request[] {
  const now = new Date()
  return Array.from({ length: MONTHS * CATEGORIES }, (_, n) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS / 2 + (n % MONTHS), 1))
    const category = 1 + ((n + Math.floor(n / MONTHS)) % CATEGORIES)
    return { path: `/events/month/${month.toISOString().slice(0, 7)}?category=category-${category}` }
  })
}

/** Every work, in the order in which they are measured: none makes known what a later one asks for. */
export const FIRST_WORKS: readonly FirstWork[] = [
  {
    name: 'pages',
    title: 'a page of ten events, random category and month',
    atLeast: 0.15,
    aim: 0.25,
    async measure(bench) {
      const pages = distinct((await pageRequests(bench.where)).requests).slice(0, ADDRESSES)
      return firstTime(bench, (await pastPages(bench.where)).slice(0, WARM_UP), pages)
    },
  },
  {
    name: 'rewritten',
    title: 'the same pages after a write',
    atLeast: 0.25,
    aim: 0.4,
    async measure(bench) {
      const pages = distinct((await pageRequests(bench.where)).requests).slice(0, ADDRESSES)
      await sendOnce(bench.service, pages)
      await write(bench)
      return firstTime(bench, [], pages)
    },
  },
  {
    name: 'mixed',
    title: 'random pages, ten events written a second',
    atLeast: 0.15,
    aim: 0.25,
    measure: mixed,
  },
  {
    name: 'single',
    title: 'a single event',
    atLeast: 0.35,
    aim: 0.5,
    async measure(bench) {
      // Past events, which are on no page of a coming month.
      const all = singleRequests(bench.events).requests.filter(({ path }) => Number(/\d+$/.exec(path)?.[0]) % 2 === 0)
      return firstTime(bench, all.slice(0, WARM_UP), all.slice(WARM_UP, WARM_UP + ADDRESSES))
    },
  },
  {
    name: 'search',
    title: 'a search',
    atLeast: 0.12,
    aim: 0.2,
    async measure(bench) {
      const all = distinct(searchRequests(bench.singles).requests)
      return firstTime(bench, all.slice(0, WARM_UP), all.slice(WARM_UP, WARM_UP + ADDRESSES))
    },
  },
  {
    name: 'month',
    title: 'a public month',
    atLeast: 0.03,
    aim: 0.1,
    measure: (bench) =>
      firstTime(bench, months().slice(0, WARM_MONTHS), months().slice(WARM_MONTHS, WARM_MONTHS + ASKED_MONTHS)),
  },
  {
    name: 'editor',
    title: 'a page of ten events for an editor',
    atLeast: 0.05,
    aim: 0.1,
    async measure(bench) {
      const headers = { authorization: `Bearer ${await editorOf(bench.where)}` }
      const signed = (requests: readonly Request[]) => requests.map((request) => ({ ...request, headers }))
      const pages = distinct((await pageRequests(bench.where)).requests).slice(0, ADDRESSES)
      return firstTime(bench, signed(await pastPages(bench.where)).slice(0, WARM_UP), signed(pages))
    },
  },
  {
    name: 'create',
    title: 'a create, by processor time of the bare database',
    atLeast: 0.5,
    aim: 0.75,
    async measure(bench) {
      const { once, bare } = await creates(bench)
      return resultOf(once, bare.cost, once.times.length)
    },
  },
  {
    name: 'creates',
    title: 'creates a second, against the bare database',
    atLeast: 0.6,
    aim: 0.75,
    async measure(bench) {
      const { once, bare } = await creates(bench)
      return { ...resultOf(once, bare.cost, once.times.length), ratio: once.rate / bare.rate }
    },
  },
  {
    name: 'steady',
    title: 'p50 of a create, against its p99',
    atLeast: 1 / 3,
    aim: 1 / 2,
    async measure(bench) {
      const { once, bare } = await creates(bench)
      const result = resultOf(once, bare.cost, once.times.length)
      return { ...result, ratio: result.p50 / result.p99 }
    },
  },
  {
    name: 'burst',
    title: 'the default list, an event written every second: 10 ms, against its p99',
    atLeast: 1,
    aim: 2,
    measure: burst,
  },
]
