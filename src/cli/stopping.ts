import { drainLog } from '../app.ts'

/** How long running requests may take to finish when the service is stopped, in milliseconds. */
const GRACE = 10_000
/** One Ctrl-C comes twice when npm passes it on; a second demand comes later than this, in milliseconds. */
const SAME = 200

/** Ends the process with a failure when the grace is over, unless it has ended before; `delay` is in milliseconds. */
export function limitGrace(delay = 0): void {
  setTimeout(() => process.exit(1), delay + GRACE).unref()
}

/**
 * Calls `stop` on the first signal; a second one, or the end of the grace, ends the process with a failure. `stop` is told
 * how long requests are to be accepted, in milliseconds: not at all after Ctrl-C, as somebody waits for it.
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
      } else if (performance.now() - first > SAME) process.exit(1)
    })
  }
}

/** What the log says of a stop. */
export function stopMessage(signal: NodeJS.Signals, delay: number): string {
  const meanwhile = delay === 0 ? '' : `; new ones are accepted for ${delay / 1000} s`
  return `${signal}: finishing running requests${meanwhile}`
}

/** Ends the process when all is done, also if somebody does not read the log. */
export async function endProcess(): Promise<never> {
  await drainLog()
  process.exit()
}
