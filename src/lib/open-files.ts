import { readFileSync } from 'node:fs'

/** Descriptors that a process keeps for all but connections: the database, threads, files of images, packages loaded later. */
const RESERVE = 128

/** How many connections this process may have open, so that it can still open files; of a system that does not tell, any number. */
export function roomForConnections(): number {
  const limit = mostOpenFiles()
  return Math.max(limit - RESERVE, Math.floor(limit / 4))
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
