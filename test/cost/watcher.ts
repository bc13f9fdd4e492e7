import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Runs in a thread of its own: asks the service for something small, over and over, and tells the longest that it had to
 * wait. The time in which the service, or this thread, waited for a core is left out.
 */

const { url, pid, paths } = workerData as { url: string; pid: number; paths: readonly string[] }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let longest = 0

/** How long a thread has waited for a core, in milliseconds: the second field of its schedstat, in nanoseconds. */
function waited(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

const waitedForCore = () => waited(`/proc/${pid}/task/${pid}/schedstat`) + waited('/proc/thread-self/schedstat')

function ask(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject)
  })
}

async function watch(): Promise<void> {
  for (let n = 0; ; n++) {
    const before = waitedForCore()
    const began = performance.now()
    await ask(paths[n % paths.length] ?? '/').catch(() => {})
    longest = Math.max(longest, performance.now() - began - (waitedForCore() - before))
    await setImmediate()
  }
}

parentPort?.on('message', (message: 'reset' | 'tell') => {
  if (message === 'reset') longest = 0
  parentPort?.postMessage(longest)
})
void watch()
