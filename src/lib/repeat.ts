/** Work in the background that is done again and again, and keeps no process alive. */
export interface Repeated {
  stop(): void
}

/** Does work after a while, and then each time so many milliseconds after it was done; it takes care of its own failures. */
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
