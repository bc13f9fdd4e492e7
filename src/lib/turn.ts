import { setImmediate } from 'node:timers/promises'

/** How long work may keep everybody else waiting, in milliseconds. */
const LONGEST = 30

/** The turn of long work: who has it asks now and then whether it is over, and if so lets others go first. */
export class Turn {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began > LONGEST
  }

  async pass(): Promise<void> {
    await setImmediate()
    this.#began = performance.now()
  }
}
