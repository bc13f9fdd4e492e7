import { execFileSync } from 'node:child_process'
import { startProcess } from './processes.ts'
import { eventually } from './workers.ts'

/** Why tests of faulty disks do not run here, or false. */
export const NO_STRACE: string | false = canTrace() ? false : 'needs the command strace, and the right to use it'

function canTrace(): boolean {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** What the system does for each fault. SQLite writes with `pwrite64`, and nothing else here does. */
const FAULTS = {
  slow: ['fsync,fdatasync:delay_enter=150000', 'pwrite64:delay_enter=3000'],
  'read-only': ['pwrite64,fsync,fdatasync,ftruncate:error=EROFS'],
  failing: ['fsync,fdatasync:error=EIO'],
} as const
export type DiskFault = keyof typeof FAULTS
export const DISK_FAULTS = Object.keys(FAULTS) as DiskFault[]

/** Lets the disk of a process fail, until the function that is returned is called. */
export async function breakDisk(pid: number, fault: DiskFault): Promise<() => Promise<void>> {
  const inject = FAULTS[fault].flatMap((how) => ['-e', `inject=${how}`])
  const args = ['-f', '-e', 'trace=pwrite64,fsync,fdatasync,ftruncate', ...inject, '-o', '/dev/null', '-p', String(pid)]
  const tracer = startProcess('strace', args)
  let told = ''
  tracer.stderr.on('data', (text) => (told += text))
  const closed = new Promise((resolve) => tracer.once('close', resolve))
  await eventually(() => {
    if (tracer.exitCode !== null) throw new Error(`strace ended: ${told}`)
    return /attached/.test(told)
  })
  return async () => {
    tracer.kill('SIGINT')
    // It does not end by itself if the process was killed meanwhile.
    const timer = setTimeout(() => tracer.kill('SIGKILL'), 1000)
    await closed
    clearTimeout(timer)
  }
}
