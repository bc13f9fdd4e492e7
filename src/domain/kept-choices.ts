import type { LinkedKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'

/** What a filter of events may be set to. */
export type Choice = readonly [slug: string, name: string]

/** By kind: the terms with most events, and the newest venues and organizers with events from today on. */
export type Choices = Readonly<Record<TermKind | LinkedKind, readonly Choice[]>>

/** The choices that everybody has, of one version of the data and one day. */
export class KeptChoices {
  readonly isOn: boolean
  #kept: { readonly version: string; readonly day: string; readonly choices: Choices } | null = null

  /** Without the cache, nothing is kept. */
  constructor(isOn: boolean) {
    this.isOn = isOn
  }

  get(version: string, day: string): Choices | null {
    return this.#kept?.version === version && this.#kept.day === day ? this.#kept.choices : null
  }

  keep(version: string, day: string, choices: Choices): void {
    this.#kept = { version, day, choices }
  }
}
