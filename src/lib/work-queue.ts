import { AppError } from './errors.ts'

/** Runs expensive work, a few at a time; whoever finds the line too long is told to come back. */
export class WorkQueue {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #urgent: (() => void)[] = []
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** `mostWaiting` bounds urgent and other work separately, so that neither can fill the line of the other. */
  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** Whether work that comes now has to wait. */
  get isBusy(): boolean {
    return this.#running >= this.#atOnce
  }

  /** Urgent work goes before all that is not. */
  async run<T>(work: () => T | Promise<T>, isUrgent = false): Promise<T> {
    if (this.isBusy) {
      const line = isUrgent ? this.#urgent : this.#waiting
      if (line.length >= this.#mostWaiting) throw new AppError('rest_unavailable', { headers: { 'retry-after': '1' } })
      // Whoever ends hands its place over, so that nobody else takes it in between.
      await new Promise<void>((resolve) => line.push(resolve))
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
