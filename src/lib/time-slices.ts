import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Length of a time slice of long work, in milliseconds. A request on PostgreSQL needs some ten turns of the event loop,
 * and may wait for a slice in each.
 */
export const SLICE = 4
/** Tasks started per turn of the event loop. */
const STARTS_PER_TURN = 2

/**
 * Starts tasks in order of arrival, a few per turn of the event loop. Otherwise synchronous tasks would hold up
 * everything after them, cached responses included.
 */
export class FairQueue {
  #waiting: (() => void)[] = []
  #next: (() => void)[] = []
  #isScheduled = false

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
    setImmediate(() => {
      this.#isScheduled = false
      for (let n = 0; n < STARTS_PER_TURN; n++) {
        // Two stacks form a queue: shifting from the front of a long array is slow.
        if (this.#next.length === 0) [this.#next, this.#waiting] = [this.#waiting.reverse(), this.#next]
        this.#next.pop()?.()
      }
      if (this.#next.length > 0 || this.#waiting.length > 0) this.#schedule()
    })
  }
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
