import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Length of a time slice of long work, in milliseconds. A request on PostgreSQL needs some ten turns of the event loop,
 * and may wait for a slice in each.
 */
export const SLICE = 4
/** How long the tasks that start in one turn of the event loop may take together, in milliseconds, and how many they are. */
const TURN = 6
const MIN_STARTS = 2
const MAX_STARTS = 8
/** Of a kind of tasks that is not known, or waits for something: then nobody knows how long it works. */
const UNKNOWN = TURN / MIN_STARTS
/** What a task counts at least, in milliseconds. */
const SHORTEST = 0.1
/** How fast a long task is forgotten. */
const FORGET = 1 / 8

interface Task {
  readonly kind: string
  readonly start: () => void
  isOver: boolean
}

/**
 * Starts tasks in order of arrival, some per turn of the event loop. Otherwise synchronous tasks would hold up
 * everything after them, cached responses included. Tasks of a kind that was short of late start together: they take the
 * same steps in turn, and the processor finds the code of each step in its cache.
 */
export class FairQueue {
  #waiting: Task[] = []
  #next: Task[] = []
  #isScheduled = false
  /** How long tasks of a kind take, in milliseconds. */
  readonly #lengths = new Map<string, number>()

  /** Does work when it is its turn. There must be few kinds: each is remembered. */
  run<T>(kind: string, work: () => Promise<T>): Promise<T> {
    return new Promise<Task>((resolve) => {
      const task: Task = { kind, start: () => resolve(task), isOver: false }
      this.#waiting.push(task)
      this.#schedule()
    }).then(async (task) => {
      try {
        return await work()
      } finally {
        task.isOver = true
      }
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
    const tasks: Task[] = []
    let expected = 0
    for (let task = this.#peek(); task !== undefined && tasks.length < MAX_STARTS; task = this.#peek()) {
      const length = this.#lengthOf(task.kind)
      if (tasks.length >= MIN_STARTS && expected + length > TURN) break
      expected += length
      tasks.push(task)
      this.#next.pop()
      task.start()
    }
    if (this.#peek() !== undefined) this.#schedule()
    afterMicrotasks(() => this.#learn(tasks, (performance.now() - began) / expected))
  }

  /** The task that is next. */
  #peek(): Task | undefined {
    // Two stacks form a queue: shifting from the front of a long array is slow.
    if (this.#next.length === 0) [this.#next, this.#waiting] = [this.#waiting.reverse(), this.#next]
    return this.#next.at(-1)
  }

  #lengthOf(kind: string): number {
    return this.#lengths.get(kind) ?? UNKNOWN
  }

  /** Learns from tasks that have taken so many times as long as expected. What is longer counts at once. */
  #learn(tasks: readonly Task[], times: number): void {
    const learnt = new Map<string, number>()
    for (const { kind, isOver } of tasks) {
      const known = this.#lengthOf(kind)
      const length = isOver ? known * times : Math.max(known * times, UNKNOWN)
      const next = length > known ? length : Math.max(known + FORGET * (length - known), SHORTEST)
      learnt.set(kind, Math.max(next, learnt.get(kind) ?? 0))
    }
    for (const [kind, length] of learnt) this.#lengths.set(kind, length)
  }
}

/** Calls a function when all that was resolved, and all that follows from it at once, is done. */
function afterMicrotasks(then: () => void): void {
  // `queueMicrotask` makes a resource for each callback.
  void Promise.resolve().then(() => process.nextTick(then))
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

/** Limits the time that steps of one kind, of all requests, take in one turn of the event loop. */
export class TurnBudget {
  #spent = 0

  /** Whether the next step has to wait. */
  get isSpent(): boolean {
    return this.#spent > SLICE
  }

  /** Waits for a turn that has time left: those that wait do not all go on in the next one. */
  async wait(): Promise<void> {
    do await nextSlice()
    while (this.isSpent)
  }

  /** Does a step, and counts the time until it returns, or waits for something. */
  spend<T>(step: () => T): T {
    if (this.#spent === 0)
      setImmediate(() => {
        this.#spent = 0
      })
    const began = performance.now()
    try {
      return step()
    } finally {
      this.#spent += performance.now() - began
    }
  }
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
