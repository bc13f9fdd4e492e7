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
  return { ...round, cost: ((program?.cpu() ?? 0) - before) / (round.rate * seconds) }
}

/** Measures both sides in turn, A B A B, so that whatever else the machine does meets both. */
export async function measure(
  { ours, base, programs, different, bytes }: Pair,
  rounds: number,
  seconds: number,
  progress: (round: number) => void,
): Promise<Measured> {
  progress(0)
  await ours(0, WARM_UP)
  await base(0, WARM_UP)
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
