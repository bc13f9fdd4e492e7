import { setTimeout as sleep } from 'node:timers/promises'

/** When work that can wait begins, in milliseconds. */
export interface Patience {
  /** How long the event loop is watched. */
  readonly watch: number
  /** The work begins after so long, however busy the process is. */
  readonly most: number
}

/** Share of the time that the event loop of a quiet process works. */
const QUIET = 0.1

/** Waits until the process has been quiet for a while, so that work that can wait takes no time from requests. */
export async function untilQuiet({ watch, most }: Patience, signal: AbortSignal): Promise<void> {
  const last = performance.now() + most - watch
  for (;;) {
    const before = performance.eventLoopUtilization()
    await sleep(watch, undefined, { signal, ref: false })
    if (performance.eventLoopUtilization(before).utilization < QUIET || performance.now() > last) return
  }
}
