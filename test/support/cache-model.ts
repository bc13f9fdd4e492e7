import assert from 'node:assert/strict'
import { comparable, type Received } from './answers.ts'
import { ALWAYS, type Read, reads } from './cache-model-reads.ts'
import { type Beginning, CachedSite } from './cache-model-site.ts'
import { type Step, step, take } from './cache-model-steps.ts'
import { fill } from './cache-model-world.ts'
import fc from './property.ts'

/** What is done, and which addresses are read from then on, for some rounds. */
interface Round {
  readonly step: Step
  readonly reads: readonly Read[]
}

/** The addresses that are read first, and what happens then. */
interface History {
  readonly reads: readonly (readonly Read[])[]
  /** The last one is done first: a list is shrunk to its end, and after a failure nothing counts any more. */
  readonly rounds: readonly Round[]
}

const history: fc.Arbitrary<History> = fc.record({
  reads: fc.array(reads, { minLength: 0, maxLength: 6, size: 'max' }),
  rounds: fc.array(fc.record({ step, reads: fc.oneof(reads, reads, fc.constant([])) }), { maxLength: 40, size: 'max' }),
})

/** So many addresses are read in each round, besides those that always are: the latest. */
const MOST_READ = 6

/** How many answers were compared, and how many of them were made before the clock was set. */
export interface Counts {
  compared: number
  cached: number
}

/** Time to find a shorter history after a failure, in milliseconds. */
const SHRINKING = 90_000

/**
 * Answers of a service equal those of one without the cache, after each step of random histories: so many, or as many as
 * there is time for, in milliseconds. It looks at nothing but answers.
 */
export async function checkCachedAnswers(histories: number, time: number, seed?: number): Promise<Counts> {
  const counts: Counts = { compared: 0, cached: 0 }
  const beginning = await CachedSite.beginning(fill)
  const deadline = performance.now() + time
  let hasFailed = false
  const check = async (one: History) => {
    if (!hasFailed && performance.now() > deadline) return
    hasFailed = true
    await follow(beginning, one, counts)
    hasFailed = false
  }
  const plugins = [fc.interruptAfterTimeLimit(time + SHRINKING), fc.unbiased()]
  try {
    await fc.assert(fc.asyncProperty(history, check), {
      numRuns: histories,
      plugins,
      ...(seed !== undefined && { seed }),
    })
  } finally {
    await beginning.drop()
  }
  return counts
}

async function follow(beginning: Beginning, { reads, rounds }: History, counts: Counts): Promise<void> {
  const site = await CachedSite.start(beginning)
  const done: string[] = []
  const watchedOf = (some: readonly Read[]) => some.map((read) => new Watched(site, read, counts))
  const always = watchedOf(ALWAYS)
  let watched = always
  const compare = async () => {
    const expected = watched.map((one) => one.uncached())
    // Errors are told of when their turn comes.
    await Promise.allSettled(expected)
    for (const [n, one] of watched.entries()) await one.compare(await (expected[n] as Promise<Received>))
  }
  const watch = (some: readonly Read[]) => {
    watched = [...always, ...[...watched.slice(always.length), ...watchedOf(some)].slice(-MOST_READ)]
  }
  try {
    watch(reads.flat())
    await compare()
    for (const { step, reads } of rounds.toReversed()) {
      watch(reads)
      done.push(await (step.readsMeanwhile ? whileReading(watched, take(site, step)) : take(site, step)))
      await compare()
    }
  } catch (error) {
    const { message } = error as Error
    throw new Error(`after\n${done.map((line) => `  - ${line}\n`).join('')}${message}`, { cause: error })
  } finally {
    await site.close()
  }
}

/** Reads some addresses until something is done. What they are answered may be from before or after it. */
async function whileReading<T>(watched: readonly Watched[], doing: Promise<T>): Promise<T> {
  let isDone = false
  const ended = doing.finally(() => {
    isDone = true
  })
  const reading = watched.map(async (one) => {
    for (let n = 0; n < 3 && !isDone; n++) await one.cached()
  })
  await Promise.all([ended, ...reading])
  return ended
}

/** An address that is read again and again. */
class Watched {
  readonly #site: CachedSite
  readonly #read: Read
  readonly #counts: Counts
  /** `ETag` of the last round. */
  #tag: string | undefined

  constructor(site: CachedSite, read: Read, counts: Counts) {
    this.#site = site
    this.#read = read
    this.#counts = counts
  }

  cached(headers: Record<string, string> = {}, more = ''): Promise<Received> {
    return this.#site.read('cached', this.#read.path + more, this.#read.reader, headers)
  }

  uncached(more = ''): Promise<Received> {
    return this.#site.read('uncached', this.#read.path + more, this.#read.reader)
  }

  async compare(expected: Received): Promise<void> {
    this.#isSame('the first time', await this.cached(), expected)
    // The second time it comes from the cache.
    this.#isSame('the second time', await this.cached(), expected)
    const { etag } = expected.headers
    if (this.#tag !== undefined) {
      const answer = await this.cached({ 'if-none-match': this.#tag })
      if (answer.status === 304) this.#isTrue(this.#tag === etag && answer.body === '', 'is 304 for a former ETag')
      else this.#isSame('with an ETag', answer, expected)
    }
    this.#tag = typeof etag === 'string' ? etag : undefined
    const [, cursor] = (this.#read.follows && /"next_cursor":"([^"]+)"/.exec(expected.body)) || []
    if (cursor === undefined) return
    const more = `${this.#read.path.includes('?') ? '&' : '?'}cursor=${cursor}`
    this.#isSame('after its cursor', await this.cached({}, more), await this.uncached(more))
  }

  #isTrue(value: boolean, problem: string): void {
    if (!value) assert.fail(`${this.#read.path} (${this.#read.reader}) ${problem}`)
  }

  #isSame(time: string, answer: Received, expected: Received): void {
    this.#counts.compared++
    if (Date.parse(String(answer.headers['last-modified'])) < this.#site.now.getTime()) this.#counts.cached++
    const problem = differenceOf(comparable(answer), comparable(expected))
    this.#isTrue(problem === '', `${time} ${problem}`)
  }
}

/** The one that is asked first prolongs a session. */
const UNEQUAL: ReadonlySet<string> = new Set(['set-cookie'])

/** Where two answers differ; an empty text if they do not. */
function differenceOf(answer: Received, expected: Received): string {
  if (answer.status !== expected.status) return `has status ${answer.status}, not ${expected.status}`
  if (answer.body !== expected.body && answer.headers['content-encoding'] !== undefined) return 'has other bytes'
  if (answer.body !== expected.body) {
    let at = 0
    while (answer.body[at] === expected.body[at]) at++
    const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 80), at + 80))
    return `has ${around(answer.body)}\n  not ${around(expected.body)}`
  }
  for (const name of new Set([...Object.keys(answer.headers), ...Object.keys(expected.headers)])) {
    if (UNEQUAL.has(name)) continue
    const [one, other] = [answer, expected].map(({ headers }) => headerOf(name, headers[name]))
    if (one !== other) return `has ${name}: ${one}, not ${other}`
  }
  return ''
}

/** Of an answer that was made earlier, less of its time is left. */
function headerOf(name: string, value: unknown): string {
  return name === 'cache-control' ? String(value).replace(/max-age=\d+/, 'max-age') : String(value)
}
