import { readFileSync } from 'node:fs'

/** Descriptors reserved for everything but connections: the database file, threads, images, packages that are loaded later. */
const RESERVE = 128

/**
 * The most connections of clients that leave this process enough descriptors for everything else; `others` are sockets that
 * it may open besides. Infinite where the system does not tell the limit.
 */
export function roomForConnections(others = 0): number {
  const limit = mostOpenFiles()
  return Math.max(limit - RESERVE - others, Math.floor(limit / 4))
}

/** How many files this process may open. */
function mostOpenFiles(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
