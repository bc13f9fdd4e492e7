import type { DataChange } from './data-change.ts'

/** Identifies a state of the data. Data read after the version was, is valid as long as the version is the same. */
export type Version = string

/** What led from one version to the next. */
interface Step {
  readonly from: Version
  readonly to: Version
  readonly changes: readonly DataChange[]
}

/** Limit on the steps that are remembered. */
const MAX_STEPS = 256

/** The last versions of the data, and what has changed between them. */
export class VersionHistory {
  #steps: Step[] = []

  /** `changes` is null if they are not known. */
  add(from: Version, to: Version, changes: readonly DataChange[] | null): void {
    // What was before an unknown change is of no use.
    if (changes === null) this.#steps = []
    else this.#steps.push({ from, to, changes })
    if (this.#steps.length > MAX_STEPS) this.#steps.shift()
  }

  /** All changes from one version to a later one; null if they are not known. */
  between(from: Version, to: Version): readonly DataChange[] | null {
    if (from === to) return []
    const first = this.#steps.findLastIndex((step) => step.from === from)
    const last = this.#steps.findLastIndex((step) => step.to === to)
    if (first === -1 || last < first) return null
    return this.#steps.slice(first, last + 1).flatMap(({ changes }) => changes)
  }
}
