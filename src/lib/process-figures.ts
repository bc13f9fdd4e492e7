import { monitorEventLoopDelay } from 'node:perf_hooks'
import { beforeReading, counter, gauge } from './metrics.ts'
import { version } from './version.ts'

/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 20
const NANOSECONDS = 1e9
const QUANTILES = [50, 90, 99, 100]

const delays = gauge('kalends_event_loop_delay_quantile_seconds', 'Delay of the event loop since the last reading.')
const cpu = counter('process_cpu_seconds_total', 'Processor time, in seconds.')
const memory = gauge('process_resident_memory_bytes', 'Resident memory, in bytes.')
const heap = gauge('nodejs_heap_used_bytes', 'Memory that JavaScript uses, in bytes.')
const processes = gauge('kalends_processes', 'Processes that answer requests.')
const info = gauge('kalends_info', 'Version of Kalends.')

/** Begins to measure this process. Only where figures are read: the timer wakes the process. */
export function measureProcess(): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  info.with({ version: version() }).set(1)
  processes.with().set(1)
  beforeReading(() => {
    // The timer itself counts as its interval.
    for (const quantile of QUANTILES)
      delays
        .with({ quantile: String(quantile / 100) })
        .set(Math.max(0, delay.percentile(quantile) / NANOSECONDS - RESOLUTION / 1000))
    delay.reset()
    const { user, system } = process.cpuUsage()
    cpu.with().set((user + system) / 1e6)
    const { rss, heapUsed } = process.memoryUsage()
    memory.with().set(rss)
    heap.with().set(heapUsed)
  })
}
