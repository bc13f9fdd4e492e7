/** Periodic background work that does not keep the process alive. */
export interface Repeated {
  stop(): void
}

/**
 * Runs work after `first` milliseconds, then `interval` milliseconds after each run. The work handles its own errors.
 */
export function repeat(work: () => Promise<void>, first: number, interval: number): Repeated {
  let isStopped = false
  let timer: NodeJS.Timeout
  const wait = (delay: number) => {
    timer = setTimeout(async () => {
      await work()
      if (!isStopped) wait(interval)
    }, delay).unref()
  }
  wait(first)
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
