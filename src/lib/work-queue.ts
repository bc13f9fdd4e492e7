import { AppError } from './errors.ts'

/** Runs expensive tasks with limited concurrency. Throws 503 with `Retry-After` if the queue is full. */
export class WorkQueue {
  readonly #concurrency: number
  readonly #maxWaiting: number
  readonly #urgent: (() => void)[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** `maxWaiting` limits urgent and other tasks separately, so that neither can fill the queue of the other. */
  constructor(concurrency: number, maxWaiting: number) {
    this.#concurrency = concurrency
    this.#maxWaiting = maxWaiting
  }

  /** Whether a new task has to wait. */
  get isBusy(): boolean {
    return this.#running >= this.#concurrency
  }

  /** Urgent tasks run before all others. */
  async run<T>(work: () => T | Promise<T>, isUrgent = false): Promise<T> {
    if (this.isBusy) {
      const queue = isUrgent ? this.#urgent : this.#waiting
      if (queue.length >= this.#maxWaiting) throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
      // A finished task hands its slot to the next one, so that no new task takes it in between.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#urgent.shift() ?? this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
