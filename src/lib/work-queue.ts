import { AppError } from './errors.ts'

/** Lets a few pieces of heavy work run at once; some more may wait, and the rest is refused for now. */
export class WorkQueue {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++
    else if (this.#waiting.length < this.#mostWaiting) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else throw new AppError('rest_unavailable', { headers: { 'retry-after': '5' } })
    try {
      return await work()
    } finally {
      // Whoever waits takes the place over, so that nobody who comes now is first.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
