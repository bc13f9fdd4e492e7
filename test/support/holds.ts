import { existsSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { threadTime } from './cost.ts'

/** The longest time in milliseconds that a request may keep others waiting. */
export const LONGEST_HOLD = 50

/** How often something is tried that took too long: others use the processor too. */
const ATTEMPTS = 8

/** For how long some work keeps everything else in this process from running, at most, in milliseconds. */
export async function holdOf(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const before = machineTime()
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
  // A virtual machine counts the time that its host takes away as time of the thread that was running.
  const after = machineTime()
  const [busy, stolen] = [after.busy - before.busy, after.stolen - before.stolen]
  return stolen > 0 ? longest * (busy / (busy + stolen)) : longest
}

/** Time that the processors of this machine have worked, and time that the host gave to others, in ticks of the system. */
function machineTime(): { busy: number; stolen: number } {
  if (!existsSync('/proc/stat')) return { busy: 0, stolen: 0 }
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = readFileSync('/proc/stat', 'utf8')
    .slice(0, 200)
    .split('\n', 1)
    .join()
    .split(/\s+/)
    .map(Number)
  return { busy: user + nice + system + irq + softirq, stolen }
}

/** The least of a few attempts at work that may be done again, or the first that is short enough. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < ATTEMPTS && least > LONGEST_HOLD; n++) {
    collectGarbage()
    least = Math.min(least, await holdOf(work))
  }
  return least
}

setFlagsFromString('--expose-gc')
/** Collects what earlier work has left, so that its collection is not counted. */
const collectGarbage: () => void = runInNewContext('gc')
