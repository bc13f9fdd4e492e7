import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Runs in a thread of its own: asks the service for something small, over and over, and tells the longest that it had to
 * wait. Two measures of a wait are taken, and the smaller counts: the time that passed, without the time in which the
 * service or this thread waited for a core, and the time in which the service's main thread ran. The second leaves out
 * waiting for the threads that collect garbage, which wait for a core themselves on a busy machine.
 */

const { url, pid, paths } = workerData as { url: string; pid: number; paths: readonly string[] }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let longest = 0

/** How long a thread has run and how long it has waited for a core, in milliseconds; schedstat counts nanoseconds. */
function timesOf(file: string): { readonly ran: number; readonly waited: number } {
  try {
    const [ran, waited] = readFileSync(file, 'utf8').split(' ').map(Number)
    return { ran: (ran ?? 0) / 1e6, waited: (waited ?? 0) / 1e6 }
  } catch {
    return { ran: performance.now(), waited: 0 }
  }
}

function measure() {
  const service = timesOf(`/proc/${pid}/task/${pid}/schedstat`)
  return {
    ran: service.ran,
    waited: service.waited + timesOf('/proc/thread-self/schedstat').waited,
    at: performance.now(),
  }
}

function ask(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject)
  })
}

async function watch(): Promise<void> {
  for (let n = 0; ; n++) {
    const before = measure()
    await ask(paths[n % paths.length] ?? '/').catch(() => {})
    const after = measure()
    const passed = after.at - before.at - (after.waited - before.waited)
    longest = Math.max(longest, Math.min(passed, after.ran - before.ran))
    await setImmediate()
  }
}

parentPort?.on('message', (message: 'reset' | 'tell') => {
  if (message === 'reset') longest = 0
  parentPort?.postMessage(longest)
})
void watch()
