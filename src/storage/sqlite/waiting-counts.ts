import type { WaitingTerms } from '../prepared.ts'
import type { TermTable } from '../tables.ts'

/** By the id of each term, what is to be added. */
const ADD = 'update terms set count = count + added.value from json_each(?) as added where terms.id = added.key'

/** Limits on terms that are known, and on the description of each, in characters. */
const MAX_KNOWN = 1000
const MAX_DESCRIPTION = 1000

/** Terms that writers have found, and counts that wait: all writers need some of the same few terms. */
export class WaitingCounts implements WaitingTerms {
  /** As they will be. */
  readonly #known = new Map<number, TermTable>()
  readonly #added = new Map<number, number>()

  get isEmpty(): boolean {
    return this.#added.size === 0
  }

  get(id: number): TermTable | undefined {
    return this.#known.get(id)
  }

  current(stored: TermTable): TermTable {
    const known = this.#known.get(stored.id)
    if (known !== undefined) return known
    if (this.#known.size >= MAX_KNOWN && this.isEmpty) this.#known.clear()
    const isShort = (stored.description?.length ?? 0) <= MAX_DESCRIPTION
    if (isShort && this.#known.size < MAX_KNOWN) this.#known.set(stored.id, stored)
    return stored
  }

  count(ids: readonly number[]): TermTable[] | null {
    const counted: TermTable[] = []
    for (const id of ids) {
      const known = this.#known.get(id)
      if (known?.published !== 1) return null
      counted.push({ ...known, count: known.count + 1 })
    }
    for (const term of counted) {
      this.#known.set(term.id, term)
      this.#added.set(term.id, (this.#added.get(term.id) ?? 0) + 1)
    }
    return counted
  }

  clear(): void {
    this.#known.clear()
    this.#added.clear()
  }

  /** The statement that adds what waits. */
  take(): { sql: string; parameters: unknown[] }[] {
    const added = this.#added.size === 0 ? null : JSON.stringify(Object.fromEntries(this.#added))
    this.#added.clear()
    return added === null ? [] : [{ sql: ADD, parameters: [added] }]
  }
}
