import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The longest time for which work keeps the event loop from its next turn, in milliseconds. Measured in processor time of
 * this thread: waiting for a core, which other processes have, does not count.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = used()
  let isOver = false
  const watch = () => {
    const now = used()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  try {
    await work()
    // The turn in which it ended counts too.
    await nextTurn()
    await nextTurn()
  } finally {
    isOver = true
  }
  return longest
}

function used(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
