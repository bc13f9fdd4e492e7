import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Length of a time slice of long work, in milliseconds. A request on PostgreSQL needs some ten turns of the event loop,
 * and may wait for a slice in each.
 */
export const SLICE = 4
/** Tasks are started for so long per turn of the event loop, in milliseconds, by what recent ones took, within these bounds. */
const TURN = 6
const MIN_STARTS = 2
const MAX_STARTS = 8
/** Weight of the last turn in what recent tasks took. */
const WEIGHT = 1 / 4

/**
 * Starts tasks in order of arrival, some per turn of the event loop. Otherwise synchronous tasks would hold up
 * everything after them, cached responses included. Short tasks are started together: they then take the same steps in
 * turn, and the processor finds the code of each step in its cache.
 */
export class FairQueue {
  #waiting: (() => void)[] = []
  #next: (() => void)[] = []
  #isScheduled = false
  /** How long recent tasks took at once, in milliseconds. */
  #length = TURN / MIN_STARTS

  /** Resolves when it is the caller's turn. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#start())
  }

  #start(): void {
    this.#isScheduled = false
    const began = performance.now()
    const most = Math.min(Math.max(TURN / this.#length, MIN_STARTS), MAX_STARTS)
    let started = 0
    while (started + 1 <= most && this.#startNext()) started++
    if (this.#next.length > 0 || this.#waiting.length > 0) this.#schedule()
    afterMicrotasks(() => {
      const length = (performance.now() - began) / started
      this.#length += WEIGHT * (length - this.#length)
    })
  }

  #startNext(): boolean {
    // Two stacks form a queue: shifting from the front of a long array is slow.
    if (this.#next.length === 0) [this.#next, this.#waiting] = [this.#waiting.reverse(), this.#next]
    const start = this.#next.pop()
    start?.()
    return start !== undefined
  }
}

/** Calls a function when all that was resolved, and all that follows from it at once, is done. */
function afterMicrotasks(then: () => void): void {
  queueMicrotask(() => process.nextTick(then))
}

let lastSlice: Promise<void> = Promise.resolve()

/**
 * Waits for a turn of the event loop. Only one long task runs per turn: each takes longer, but other requests do not
 * wait.
 */
export function nextSlice(): Promise<void> {
  lastSlice = lastSlice.then(() => nextTurn())
  return lastSlice
}

/** Runs the steps of a long task in time slices. */
export async function runInSlices<T>(steps: Generator<unknown, T>): Promise<T> {
  for (;;) {
    await nextSlice()
    const began = performance.now()
    while (performance.now() - began < SLICE) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }
}

/** Runs all steps of a long task synchronously, where nothing else waits. */
export function runSynchronously<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Time budget of a long loop: it checks `isOver` regularly, and yields when the slice is used up. */
export class TimeSlice {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began > SLICE
  }

  async yield(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
