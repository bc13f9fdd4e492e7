/** Processor time that this thread spends on something, in milliseconds: the best of three, waiting for a core excluded. */
export async function cpuTime(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < 3; n++) {
    const start = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
