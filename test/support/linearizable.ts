/** One operation on one record, as its client saw it: when it was begun, and when its answer had come. */
export type Operation = { readonly begun: number; readonly ended: number } & (
  | { readonly kind: 'read'; readonly value: string }
  /** A change on the condition that the record has a value: made, refused, or without an answer. */
  | { readonly kind: 'change'; readonly from: string; readonly to: string; readonly outcome: Outcome }
)

export type Outcome = 'made' | 'refused' | 'unknown'

/** An operation at its place in the order of values: it saw that value, or made it. */
interface Placed {
  readonly place: number
  readonly begun: number
  readonly ended: number
  readonly isChange: boolean
  readonly text: string
}

/**
 * What is wrong with a history of one record, in sentences; nothing if there is an order in which each operation took place
 * at one instant between its begin and its end. Every value is written once and names the one it came after, so the order
 * of the changes is known: it is left to compare it with the clock, and with what was read.
 */
export function faultsOf(history: readonly Operation[], first: string): string[] {
  const made = new Map<string, Operation & { kind: 'change' }>()
  const faults: string[] = []
  const seen = new Set(
    history.flatMap((one) => (one.kind === 'read' ? one.value : one.outcome === 'refused' ? [] : one.from)),
  )
  for (const one of history) {
    if (one.kind !== 'change' || one.outcome === 'refused') continue
    // A change without an answer has taken place if anybody saw it.
    if (one.outcome === 'unknown' && !seen.has(one.to)) continue
    const other = made.get(one.from)
    if (other !== undefined) faults.push(`both ${one.to} and ${other.to} came after ${one.from}: one of them is lost`)
    made.set(one.from, one)
  }
  const places = new Map([[first, 0]])
  for (let value = made.get(first)?.to; value !== undefined; value = made.get(value)?.to) places.set(value, places.size)
  const placed: Placed[] = []
  for (const one of history) {
    if (one.kind === 'change' && (one.outcome === 'refused' || made.get(one.from) !== one)) continue
    const value = one.kind === 'read' ? one.value : one.to
    const place = places.get(value)
    if (place === undefined) faults.push(`${value} was seen, and does not follow from ${first}`)
    // A change without an answer may take place as late as it likes.
    const ended = one.kind === 'change' && one.outcome === 'unknown' ? Number.POSITIVE_INFINITY : one.ended
    const isChange = one.kind === 'change'
    if (place !== undefined) placed.push({ place, begun: one.begun, ended, isChange, text: `${one.kind} of ${value}` })
  }
  return [...faults, ...outOfOrder(placed), ...wronglyRefused(history, made)]
}

/** Operations that come after another by the clock, and before it by what they saw. */
function outOfOrder(placed: readonly Placed[]): string[] {
  const faults: string[] = []
  const byEnd = placed.toSorted((one, other) => one.ended - other.ended)
  let next = 0
  let latest: Placed | null = null
  for (const one of placed.toSorted((a, b) => a.begun - b.begun)) {
    for (let done = byEnd[next]; done !== undefined && done.ended < one.begun; done = byEnd[++next])
      if (latest === null || done.place > latest.place) latest = done
    // What is written was not there before it was begun.
    const least = one.isChange ? one.place - 1 : one.place
    if (latest !== null && latest.place > least) faults.push(`a ${one.text} began after the ${latest.text} had ended`)
  }
  return faults
}

/** Changes that were refused though the record had the value that they named, from their begin to their end. */
function wronglyRefused(
  history: readonly Operation[],
  made: ReadonlyMap<string, Operation & { kind: 'change' }>,
): string[] {
  const writers = new Map([...made.values()].map((one) => [one.to, one]))
  return history.flatMap((one) => {
    if (one.kind !== 'change' || one.outcome !== 'refused') return []
    const writer = writers.get(one.from)
    const isThere = writer === undefined || (writer.outcome === 'made' && writer.ended < one.begun)
    const follower = made.get(one.from)
    const isLeft = follower !== undefined && follower.begun <= one.ended
    return isThere && !isLeft ? [`a change of ${one.from} was refused while that was the value`] : []
  })
}
