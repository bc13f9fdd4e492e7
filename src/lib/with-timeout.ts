import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks a question that may take long: who waits longer than `patience` milliseconds gets `late`. The question is asked once
 * at a time, for all who wait, so that those who ask again and again do not pile up.
 */
export function withTimeout<T>(ask: () => Promise<T>, patience: number, late: T): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= ask().finally(() => {
      running = null
    })
    return Promise.race([running, sleep(patience, late, { ref: false })])
  }
}
