import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Wraps an async function with a timeout: callers that wait longer than `timeout` milliseconds get `fallback`. Concurrent
 * callers share one call, so that slow calls do not pile up.
 */
export function withTimeout<T>(work: () => Promise<T>, timeout: number, fallback: T): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return Promise.race([running, sleep(timeout, fallback, { ref: false })])
  }
}
