import { drainLog } from '../app.ts'

/** How long running requests may take to finish when the service is stopped, in milliseconds. */
const GRACE = 10_000
/** One Ctrl-C comes twice when npm passes it on; a second demand comes later than this, in milliseconds. */
const SAME = 500

/** Ends the process with a failure when the grace is over, unless it has ended before. */
export function limitGrace(): void {
  setTimeout(() => process.exit(1), GRACE).unref()
}

/** Calls `stop` on the first signal; a second one, or the end of the grace, ends the process with a failure. */
export function onSignals(stop: (signal: NodeJS.Signals) => void): void {
  let first: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now()
        limitGrace()
        stop(signal)
      } else if (performance.now() - first > SAME) process.exit(1)
    })
  }
}

/** Ends the process when all is done, also if somebody does not read the log. */
export async function endProcess(): Promise<never> {
  await drainLog()
  process.exit()
}
