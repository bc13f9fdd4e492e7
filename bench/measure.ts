import { setTimeout } from 'node:timers/promises'
import type { Round } from './load.ts'
import type { Running } from './processes.ts'
import type { Pair } from './works.ts'

/** What a work came to. */
export interface Measured {
  /** The median of the rounds' ratios. */
  readonly ratio: number
  /** The same of processor time an answer, which those who share the machine disturb less; null where it cannot be told. */
  readonly byCpu: number | null
  /** Answers a second, the median of the rounds. */
  readonly rate: number
  /** The same of what it is compared with. */
  readonly base: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly failed: number
  readonly different: number
  readonly bytes: number
}

/** How long each side is warmed up before it counts, in seconds. */
export const WARM_UP = 1

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

type Timed = Round & {
  /** Processor time an answer, in seconds. */
  readonly cost: number
}

/** A round, and what it cost the program that answered. */
async function timed(program: Running | undefined, rate: () => Promise<Round>, seconds: number): Promise<Timed> {
  const before = program?.cpu() ?? 0
  const round = await rate()
  const used = (program?.cpu() ?? 0) - before
  if (program !== undefined) await settle(program)
  return { ...round, cost: used / (round.rate * seconds) }
}

/** How long a program may go on with requests that nobody waits for any more, and how often it is looked at, in milliseconds. */
const UNSETTLED = 10_000
const LOOK = 100

/** Waits until a program is idle, so that what it still does is not counted against the other one. */
async function settle(program: Running): Promise<void> {
  const until = performance.now() + UNSETTLED
  let used = program.cpu()
  while (performance.now() < until) {
    await setTimeout(LOOK)
    const now = program.cpu()
    // A fifth of the time and less is what a process does that has nothing to do.
    if (now - used <= LOOK / 1000 / 5) return
    used = now
  }
}

/** Measures both sides in turn, A B A B, so that whatever else the machine does meets both. */
export async function measure(
  { ours, base, programs, different, bytes }: Pair,
  rounds: number,
  seconds: number,
  progress: (round: number) => void,
): Promise<Measured> {
  progress(0)
  await timed(programs?.ours, () => ours(0, WARM_UP), WARM_UP)
  await timed(programs?.base, () => base(0, WARM_UP), WARM_UP)
  const pairs: { ours: Timed; base: Timed }[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(round)
    const part = round / (rounds + 1)
    pairs.push({
      ours: await timed(programs?.ours, () => ours(part, seconds), seconds),
      base: await timed(programs?.base, () => base(part, seconds), seconds),
    })
  }
  const of = (value: (pair: { ours: Timed; base: Timed }) => number) => median(pairs.map(value))
  const byCpu = of((pair) => pair.base.cost / pair.ours.cost)
  return {
    ratio: of((pair) => pair.ours.rate / pair.base.rate),
    byCpu: Number.isFinite(byCpu) ? byCpu : null,
    rate: of((pair) => pair.ours.rate),
    base: of((pair) => pair.base.rate),
    p50: of((pair) => pair.ours.p50),
    p99: of((pair) => pair.ours.p99),
    failed: pairs.reduce((sum, pair) => sum + pair.ours.failed, 0),
    different,
    bytes,
  }
}
