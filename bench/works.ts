import { API, createRequests, pageRequests, type Requests, searchRequests, singleRequests } from './addresses.ts'
import { openBare } from './bare.ts'
import { CONNECTIONS, type Load, type Request, type Round } from './load.ts'
import { distinct, sendOnce } from './once.ts'
import { type Ceiling, type Running, startService } from './processes.ts'
import { say } from './progress.ts'

/** What works are done on. */
export interface Bench {
  readonly load: Load
  readonly service: Running
  readonly ceiling: Ceiling
  /** The folder, or the address, of the database. */
  readonly where: string
  readonly folder: string
  readonly events: number
  /** How many of them are in no series, and so have a text of their own. */
  readonly singles: number
  readonly token: string
  readonly log: string
}

/** Sends for some seconds, from the given part (0 to 1) of the requests on. */
type Side = (part: number, seconds: number) => Promise<Round>

/** A work, ready to be measured against what it is compared with. */
export interface Pair {
  readonly ours: Side
  readonly base: Side
  /** The two programs, where the time that they use can be compared too. */
  readonly programs?: { readonly ours: Running; readonly base: Running }
  /** How many different addresses are asked for. */
  readonly different: number
  /** The mean size of an answer, in bytes. */
  readonly bytes: number
  stop?(): Promise<void>
}

export interface Work {
  readonly name: string
  readonly title: string
  /** What its rate is divided by. */
  readonly against: 'the ceiling' | 'one worker' | 'the bare database'
  readonly atLeast: number
  readonly aim: number | null
  /** Answers why it cannot be measured, if it cannot. */
  prepare(bench: Bench): Promise<Pair | string>
}

/** How many answers the ceiling is given of a work whose answers differ. */
const SAMPLES = 64

const LIST: readonly Request[] = [{ path: `${API}/events` }]

export async function ask(url: string, { path, ...request }: Request): Promise<Response> {
  const response = await fetch(url + path, request)
  if (response.status >= 400) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response
}

/** How often two workers are asked for every address before it counts: one in sixty is then unknown to one of them. */
const ROUNDS_OF_WORKERS = 6

/** Asks for every different address once, from as many connections as the load has. */
async function askFirst(program: Running, requests: readonly Request[]): Promise<void> {
  await sendOnce(program, distinct(requests), CONNECTIONS)
}

/** Requests to the service, against the ceiling with the same answers: all of them if they do not differ, else a sample, in turn. */
async function againstCeiling(bench: Bench, { requests, different }: Requests, answered = requests): Promise<Pair> {
  const { service, ceiling, load } = bench
  const bodies: Buffer[] = []
  const samples = Math.min(SAMPLES, answered.length)
  for (let n = 0; n < samples; n++) {
    const request = answered[Math.floor((n * answered.length) / samples)]
    if (request !== undefined) bodies.push(Buffer.from(await (await ask(service.url, request)).arrayBuffer()))
  }
  await ceiling.answer(bodies)
  if (different > 1) await askFirst(service, requests)
  const side = (url: string): Side => {
    return (part, seconds) => load.send(url, requests, Math.floor(part * requests.length), seconds)
  }
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length
  const programs = { ours: service, base: ceiling }
  return { ours: side(service.url), base: side(ceiling.url), programs, different, bytes }
}

/** Creates an event every second while a side is measured; the first after a third of a second. */
function whileWriting(bench: Bench, side: Side): Side {
  const writes = createRequests(bench.token)
  let next = writes.length
  return async (part, seconds) => {
    let failed = 0
    const write = () =>
      ask(bench.service.url, writes[--next] as Request)
        .then((response) => response.arrayBuffer())
        .catch(() => failed++)
    let every: NodeJS.Timeout | undefined
    const first = setTimeout(() => {
      void write()
      every = setInterval(write, 1000)
    }, 333)
    const round = await side(part, seconds)
    clearTimeout(first)
    clearInterval(every)
    return { ...round, failed: round.failed + failed }
  }
}

async function prepareWorkers(bench: Bench): Promise<Pair | string> {
  const { requests, different } = await pageRequests(bench.where)
  let two: Running
  try {
    two = await startService({ ...bench, workers: 2 })
  } catch (error) {
    if (error instanceof Error && /unknown option/.test(error.message)) return 'serve does not know --workers'
    throw error
  }
  await askFirst(bench.service, requests)
  // Each worker remembers for itself, and nobody chooses whom they reach: so often that hardly one is left that was never asked.
  for (let n = 0; n < ROUNDS_OF_WORKERS; n++) await askFirst(two, requests)
  const side = ({ url }: Running): Side => {
    return (part, seconds) => bench.load.send(url, requests, Math.floor(part * requests.length), seconds)
  }
  const stop = () => {
    say(`Two workers held ${Math.round(two.peak())} MB together at most.`)
    return two.stop()
  }
  const programs = { ours: two, base: bench.service }
  return { ours: side(two), base: side(bench.service), programs, different, bytes: 0, stop }
}

async function prepareCreate({ load, service, token, where }: Bench): Promise<Pair> {
  const requests = createRequests(token)
  const ids: number[] = []
  for (const request of requests.slice(-20)) {
    const { id } = (await (await ask(service.url, request)).json()) as { id: number }
    ids.push(id)
  }
  const bare = await openBare(where, ids)
  return {
    ours: (part, seconds) => load.send(service.url, requests, Math.floor(part * requests.length), seconds),
    base: (_, seconds) => bare.write(seconds),
    different: requests.length,
    bytes: 0,
    stop: () => bare.close(),
  }
}

/** Every work, in the order in which they are measured and reported. */
export const WORKS: readonly Work[] = [
  {
    name: 'list',
    title: 'the default list again and again',
    against: 'the ceiling',
    atLeast: 0.8,
    aim: 0.95,
    prepare: (bench) => againstCeiling(bench, { requests: LIST, different: 1 }),
  },
  {
    name: 'written',
    title: 'the default list, one event written every second',
    against: 'the ceiling',
    atLeast: 0.7,
    aim: 0.9,
    async prepare(bench) {
      const pair = await againstCeiling(bench, { requests: LIST, different: 1 })
      return { ...pair, ours: whileWriting(bench, pair.ours) }
    },
  },
  {
    name: 'pages',
    title: 'a random page of a random category and month',
    against: 'the ceiling',
    atLeast: 0.25,
    aim: 0.4,
    prepare: async (bench) => againstCeiling(bench, await pageRequests(bench.where)),
  },
  {
    name: 'single',
    title: 'a single event, every request another one',
    against: 'the ceiling',
    atLeast: 0.5,
    aim: 0.8,
    prepare: (bench) => againstCeiling(bench, singleRequests(bench.events)),
  },
  {
    name: 'search',
    title: 'a search, every request another word',
    against: 'the ceiling',
    atLeast: 0.05,
    aim: 0.15,
    prepare: (bench) => againstCeiling(bench, searchRequests(bench.singles)),
  },
  {
    name: 'unchanged',
    title: '304 for a matching If-None-Match',
    against: 'the ceiling',
    atLeast: 1.2,
    aim: 1.5,
    async prepare(bench) {
      const etag = (await ask(bench.service.url, { path: `${API}/events` })).headers.get('etag')
      if (etag === null) return 'the default list has no ETag'
      const request = { path: `${API}/events`, headers: { 'if-none-match': etag } }
      const { status } = await ask(bench.service.url, request)
      if (status !== 304) return `a matching If-None-Match is answered with ${status}`
      return againstCeiling(bench, { requests: [request], different: 1 }, LIST)
    },
  },
  {
    name: 'workers',
    title: 'the random pages with two workers',
    against: 'one worker',
    atLeast: 1.5,
    aim: 1.8,
    prepare: prepareWorkers,
  },
  {
    name: 'create',
    title: 'a create',
    against: 'the bare database',
    atLeast: 0.4,
    aim: null,
    prepare: prepareCreate,
  },
]
