import { readFileSync } from 'node:fs'

/** File descriptors reserved for the database, threads, images and lazily loaded packages. */
const RESERVE = 128

/**
 * Limit on client connections that leaves this process enough file descriptors. `others` are further sockets that it
 * may open. Infinite if the system does not report a limit.
 */
export function roomForConnections(others = 0): number {
  const limit = maxOpenFiles()
  return Math.max(limit - RESERVE - others, Math.floor(limit / 4))
}

/** Soft limit on open files of this process. */
function maxOpenFiles(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
