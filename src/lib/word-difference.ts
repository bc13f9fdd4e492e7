/** A piece of two texts: in both, only in the first, or only in the second. */
interface Piece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** How many pairs of words the texts of an answer may compare together. Where too few are left, a middle part counts as replaced. */
export class ComparisonBudget {
  #pairs = 250_000

  take(pairs: number): boolean {
    if (pairs > this.#pairs) return false
    this.#pairs -= pairs
    return true
  }
}

/** Compares two texts word by word. */
export function wordDifference(before: string, after: string, budget = new ComparisonBudget()): Piece[] {
  const [one, other] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  const most = Math.min(one.length, other.length) - start
  while (end < most && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  const middle = compare(one.slice(start, one.length - end), other.slice(start, other.length - end), budget)
  return joined([
    { kind: 'same', text: one.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: end === 0 ? '' : one.slice(-end).join('') },
  ])
}

/** Words, each with the space behind it. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

/** Compares by the longest common sequence of words. */
function compare(one: readonly string[], other: readonly string[], budget: ComparisonBudget): Piece[] {
  const replaced: Piece[] = [
    { kind: 'removed', text: one.join('') },
    { kind: 'added', text: other.join('') },
  ]
  if (one.length === 0 || other.length === 0 || !budget.take(one.length * other.length)) return replaced
  const width = other.length + 1
  const lengths = new Uint32Array((one.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    if (i < one.length && one[i] === other[j]) {
      pieces.push({ kind: 'same', text: one[i] ?? '' })
      i++
      j++
    } else if (j >= other.length || (i < one.length && at(i + 1, j) >= at(i, j + 1)))
      pieces.push({ kind: 'removed', text: one[i++] ?? '' })
    else pieces.push({ kind: 'added', text: other[j++] ?? '' })
  }
  return pieces
}

/** Neighbours of one kind as one piece. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = []
  for (const { kind, text } of pieces) {
    if (text === '') continue
    const last = result.at(-1)
    if (last?.kind === kind) result[result.length - 1] = { kind, text: last.text + text }
    else result.push({ kind, text })
  }
  return result
}
