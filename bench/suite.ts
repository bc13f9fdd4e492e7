import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startPostgres } from '../test/support/postgres.ts'
import { singlesOf } from './batches.ts'
import { FIRST_WORKS, type First } from './first.ts'
import { findLoad } from './load.ts'
import { type Measured, measure, median } from './measure.ts'
import { type Running, type ServiceOptions, startCeiling, startService, stopAll } from './processes.ts'
import { say, show } from './progress.ts'
import { seed, seedFolder } from './seed.ts'
import { type Bench, WORKS } from './works.ts'

export interface SuiteOptions {
  readonly events: number
  readonly seconds: number
  readonly rounds: number
  readonly postgres: boolean
  /** Whether half of the events are in series. */
  readonly series: boolean
  readonly keep: boolean
  readonly log: string
  /** The works that are done. */
  readonly only: readonly string[]
}

/** What all works on one database came to. */
export interface Results {
  readonly date: string
  readonly events: number
  readonly cores: number
  readonly node: string
  readonly load: string
  readonly works: Readonly<Record<string, Measured>>
  /** What works came to the first time that they were done. */
  readonly firsts: Readonly<Record<string, First>>
  /** Why a work was left out, by its name. */
  readonly left: Readonly<Record<string, string>>
  /** From its start to its first answer, the median of three, in milliseconds. */
  readonly ready: number
  /** The most memory that the service held, in megabytes. */
  readonly memory: number
}

/** Seeds a database, starts the service on it, and measures. */
export async function runSuite(options: SuiteOptions): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-bench-'))
  let server: Server | undefined
  const interrupted = () => {
    void stopAll().then(() => process.exit(130))
  }
  process.once('SIGINT', interrupted)
  try {
    server = options.postgres ? await startPostgres([]) : undefined
    return await measureAll(folder, server?.url ?? folder, options)
  } finally {
    process.removeListener('SIGINT', interrupted)
    await stopAll()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(folder: string, where: string, { events, keep, series }: SuiteOptions): Promise<string> {
  const began = performance.now()
  const progress = (done: number) => show(`seeding ${count(done)} of ${count(events)} events`)
  progress(0)
  const token =
    where === folder
      ? await seedFolder(folder, events, keep, progress, series)
      : await seed(where, events, progress, series)
  say(`${count(events)} events are there after ${((performance.now() - began) / 1000).toFixed(1)} s.`)
  return token
}

/** The service, and the median of the times that three starts took. */
async function startThrice(options: ServiceOptions): Promise<{ service: Running; ready: number }> {
  const times: number[] = []
  for (;;) {
    show(`starting the service, ${times.length + 1} of 3`)
    const service = await startService(options)
    times.push(service.ready)
    if (times.length === 3) return { service, ready: median(times) }
    await service.stop()
  }
}

async function measureAll(folder: string, where: string, options: SuiteOptions): Promise<Results> {
  const { events, rounds, seconds, log, only } = options
  const token = await fill(folder, where, options)
  const load = await findLoad(folder)
  if (load.name !== 'wrk')
    say('wrk is not installed (Debian has it as a package): autocannon makes the load, and is often the limit itself.')
  const ceiling = await startCeiling()
  const { service, ready } = await startThrice({ where, folder, log })
  say(`The service was ready ${Math.round(ready)} ms after its start.`)
  const singles = singlesOf(events, options.series)
  const bench = { load, service, ceiling, where, folder, events, singles, token, log }
  const firsts = await measureFirsts(bench, only)
  const works: Record<string, Measured> = {}
  const left: Record<string, string> = {}
  const chosen = WORKS.filter((work) => only.includes(work.name))
  for (const [number, work] of chosen.entries()) {
    const step = `[${number + 1}/${chosen.length}] ${work.title}`
    show(`${step}: getting ready`)
    const pair = await work.prepare(bench)
    if (typeof pair === 'string') {
      left[work.name] = pair
      say(`${step}: left out, ${pair}`)
      continue
    }
    try {
      const progress = (round: number) => show(`${step}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      const all = await measure(pair, rounds, seconds, progress)
      // Two workers take the time of two: what an answer costs them says nothing of how many there are.
      const measured = work.against === 'the ceiling' ? all : { ...all, byCpu: null }
      works[work.name] = measured
      say(`${step}: ${line(measured)} of ${work.against}${byCpu(measured)}`)
    } finally {
      await pair.stop?.()
    }
  }
  const memory = service.peak()
  say(`The service held ${Math.round(memory)} MB at most.`)
  const machine = { cores: availableParallelism(), node: process.versions.node, load: load.name }
  return {
    date: new Date().toISOString().slice(0, 10),
    events,
    ...machine,
    works,
    firsts,
    left,
    ready,
    memory,
  }
}

/** Asks for what was never asked for, before any other work makes it known. */
async function measureFirsts(bench: Bench, only: readonly string[]): Promise<Record<string, First>> {
  const firsts: Record<string, First> = {}
  const chosen = FIRST_WORKS.filter((work) => only.includes(work.name))
  for (const [number, work] of chosen.entries()) {
    const step = `first [${number + 1}/${chosen.length}] ${work.title}`
    show(step)
    const first = await work.measure(bench)
    if (first.requests === 0) {
      say(`${step}: left out, there are too few events`)
      continue
    }
    firsts[work.name] = first
    const { ratio, cost, base, p50, p99, failed } = first
    const note = failed > 0 ? `, ${count(failed)} FAILED` : ''
    const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
    say(
      `${step}: ${cost.toFixed(3)} ms against ${base.toFixed(3)} ms of processor time, ${times}${note}; ${ratio.toFixed(3)}`,
    )
  }
  return firsts
}

/** Of PostgreSQL's own time nothing is known, so there it says little. */
function byCpu({ byCpu: ratio }: Measured): string {
  return ratio === null ? '' : ` (${ratio.toFixed(3)} by processor time)`
}

function line({ ratio, rate, base, p50, p99, failed }: Measured): string {
  const note = failed > 0 ? `, ${count(failed)} FAILED` : ''
  return `${count(rate)} of ${count(base)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${note}; ${ratio.toFixed(3)}`
}

/** A whole number with commas. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en')
}
