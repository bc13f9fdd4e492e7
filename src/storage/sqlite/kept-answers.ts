/** Limits on what is kept, and on one answer, in bytes. Beyond the first, all is forgotten. */
const MAX_BYTES = 2 ** 20
const MAX_ANSWER_BYTES = 2 ** 14
/** Memory of a row besides its texts, in bytes. */
const ROW_BYTES = 500

/** Rows that questions have found, by question and values. */
export class KeptAnswers {
  readonly #rows = new Map<unknown, Map<string, readonly object[]>>()
  #bytes = 0

  get(question: unknown, values: readonly unknown[]): readonly object[] | undefined {
    return this.#rows.get(question)?.get(JSON.stringify(values))
  }

  keep(question: unknown, values: readonly unknown[], rows: readonly object[]): void {
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), ROW_BYTES)
    if (bytes > MAX_ANSWER_BYTES) return
    if (this.#bytes + bytes > MAX_BYTES) this.clear()
    this.#bytes += bytes
    const known = this.#rows.get(question) ?? new Map<string, readonly object[]>()
    this.#rows.set(question, known)
    // Several writers get the same rows.
    known.set(JSON.stringify(values), rows.map(Object.freeze) as readonly object[])
  }

  clear(): void {
    this.#rows.clear()
    this.#bytes = 0
  }
}

function bytesOf(row: object): number {
  let bytes = ROW_BYTES
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += 2 * value.length
  return bytes
}
