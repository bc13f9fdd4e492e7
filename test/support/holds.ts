import { setImmediate } from 'node:timers/promises'
import { threadTime } from './cost.ts'

/** The longest time in milliseconds that a request may keep others waiting. */
export const LONGEST_HOLD = 50

/** How often something is tried that took too long: others use the processor too. */
const ATTEMPTS = 8

/** For how long some work keeps everything else in this process from running, at most, in milliseconds. */
export async function holdOf(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const watch = async () => {
    for (let last = threadTime(); !isDone; ) {
      await setImmediate()
      const now = threadTime()
      longest = Math.max(longest, now - last)
      last = now
    }
  }
  const watching = watch()
  await work().finally(() => {
    isDone = true
  })
  await watching
  return longest
}

/** The least of a few attempts at work that may be done again, or the first that is short enough. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < ATTEMPTS && least > LONGEST_HOLD; n++) least = Math.min(least, await holdOf(work))
  return least
}
