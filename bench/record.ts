import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstWork } from './first.ts'
import type { Results } from './suite.ts'
import type { Work } from './works.ts'

const FILE = join(import.meta.dirname, 'ratios.json')

/** Few events and many. */
export interface Growth {
  readonly few: Results
  readonly many: Results
}

/** What was measured last; kept with the sources, so that a change can be compared. */
export interface Measurements {
  readonly sqlite?: Results
  readonly postgres?: Results
  readonly growth?: Growth
}

export function readMeasurements(): Measurements {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
}

/** Keeps new measurements beside the others; answers all. */
export function writeMeasurements(changed: Measurements): Measurements {
  const all = { ...readMeasurements(), ...changed }
  // Four digits are more than any of it is good for.
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  writeFileSync(FILE, `${JSON.stringify(all, rounded, 2)}\n`)
  return all
}

/** The part of a kept ratio that a new one may not fall below. */
const TOLERANCE = 0.8

/** Compares with what is kept: a sentence for each work that has become slower, or can no longer be measured. */
export function regressions(
  kept: Results,
  now: Results,
  works: readonly Work[],
  firsts: readonly FirstWork[],
): string[] {
  const again = worse(kept.works, now.works, now, works)
  return [
    ...again,
    ...worse(kept.firsts ?? {}, now.firsts, now, firsts).map((sentence) => `the first time, ${sentence}`),
  ]
}

type Ratios = Readonly<Record<string, { readonly ratio: number }>>

function worse(kept: Ratios, found: Ratios, now: Results, works: readonly Pick<Work, 'name' | 'title'>[]): string[] {
  return works.flatMap(({ name, title }) => {
    const [before, after] = [kept[name]?.ratio, found[name]?.ratio]
    if (before === undefined) return []
    if (after === undefined) return [`${title}: was ${before.toFixed(3)}, and is left out: ${now.left[name]}`]
    if (after >= before * TOLERANCE) return []
    return [
      `${title}: was ${before.toFixed(3)}, is ${after.toFixed(3)}: ${Math.round((1 - after / before) * 100)} % less`,
    ]
  })
}
