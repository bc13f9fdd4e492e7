/** The processor time that this thread has used, in milliseconds: while it waits for a core, nobody is to blame. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The processor time that all threads of this process have used, in milliseconds. */
export function processTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Processor time that this thread spends on something, in milliseconds: the best of three, waiting for a core excluded. */
export async function cpuTime(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < 3; n++) {
    const start = threadTime()
    await work()
    best = Math.min(best, threadTime() - start)
  }
  return best
}
