import { drainLog } from '../log.ts'

/** Grace period for running requests, in milliseconds. */
const GRACE = 10_000
/** npm forwards Ctrl-C, so one arrives twice. A second signal counts after this time, in milliseconds. */
const DUPLICATE_WINDOW = 200

/** Exits with 1 if the process still runs after `delay` milliseconds and the grace period. */
export function limitGrace(delay = 0): void {
  setTimeout(() => process.exit(1), delay + GRACE).unref()
}

/**
 * Calls `stop` on the first signal. A second signal, or the end of the grace period, exits with 1. `stop` gets the time in
 * milliseconds for which connections are still accepted: 0 after Ctrl-C, because somebody waits at the terminal.
 */
export function onSignals(seconds: number, stop: (signal: NodeJS.Signals, delay: number) => void): void {
  let first: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now()
        const delay = signal === 'SIGTERM' ? seconds * 1000 : 0
        limitGrace(delay)
        stop(signal, delay)
      } else if (performance.now() - first > DUPLICATE_WINDOW) process.exit(1)
    })
  }
}

/** Log message for a stop. */
export function stopMessage(signal: NodeJS.Signals, delay: number): string {
  const meanwhile = delay === 0 ? '' : `; new ones are accepted for ${delay / 1000} s`
  return `${signal}: finishing running requests${meanwhile}`
}

/** Flushes the log and exits, even if the log's reader is stuck. */
export async function endProcess(): Promise<never> {
  await drainLog()
  process.exit()
}
