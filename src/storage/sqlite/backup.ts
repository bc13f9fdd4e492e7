import { backup, DatabaseSync } from 'node:sqlite'

/** Pages per step: the thread pool is free for others between two steps. */
const PAGES = 1000
/** How long it waits for a lock, in milliseconds. */
const BUSY_TIMEOUT = 5000

/**
 * Copies a database file as it is at one moment, while others read and write it. The read transaction keeps the moment:
 * without it, SQLite begins anew with every write of another connection.
 */
export async function backUpFile(
  file: string,
  to: string,
  onProgress: (done: number, of: number) => void,
): Promise<void> {
  const source = new DatabaseSync(file, { timeout: BUSY_TIMEOUT })
  try {
    source.exec('begin')
    source.prepare('select count(*) from sqlite_master').all()
    await backup(source, to, {
      rate: PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    })
  } finally {
    source.close()
  }
}
