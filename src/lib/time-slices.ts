import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * How long a slice of long work takes, in milliseconds. A request on PostgreSQL needs some ten turns of the event loop, and may
 * wait for a slice in each of them.
 */
export const SLICE = 4
/** How many begin in one turn of the event loop. */
const AT_ONCE = 2

/**
 * Lets work begin in the order in which it came, a little in each turn of the event loop. What works without a pause
 * would otherwise hold up everything that came after it, also what is answered at once.
 */
export class FairQueue {
  #waiting: (() => void)[] = []
  #next: (() => void)[] = []
  #isComing = false

  /** Resolves when it is the caller's turn. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#come()
    })
  }

  #come(): void {
    if (this.#isComing) return
    this.#isComing = true
    setImmediate(() => {
      this.#isComing = false
      for (let n = 0; n < AT_ONCE; n++) {
        // Two lists, one filled while the other is emptied from its end: taking from the front of a long one is slow.
        if (this.#next.length === 0) [this.#next, this.#waiting] = [this.#waiting.reverse(), this.#next]
        this.#next.pop()?.()
      }
      if (this.#next.length > 0 || this.#waiting.length > 0) this.#come()
    })
  }
}

let own: Promise<void> = Promise.resolve()

/** A turn of the event loop for one piece of long work alone: many at once take longer, but keep nobody else waiting. */
export function nextSlice(): Promise<void> {
  own = own.then(() => nextTurn())
  return own
}

/** Takes the steps of long work, as many in each turn as there is time for. */
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

/** Takes all steps of long work at once, where nobody else waits. */
export function runAtOnce<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The turn of long work: who has it asks now and then whether it is over, and if so lets others go first. */
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
