import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** How large it may become, in pages of 8 KiB. */
const MOST_PAGES = 2 ** 19

/** A value that is kept with a number that tells whether it is still the right one. */
export type Kept = [revision: number, head: string, body: Uint8Array]

/**
 * Room for more than should be in memory, for what can be made again: a file of this process alone, which SQLite makes
 * in the system's folder for such files and removes by itself. It never outlives the process.
 */
export class Scratch {
  #file: { database: DatabaseSync; get: StatementSync; put: StatementSync } | null = null

  get(key: number): Kept | undefined {
    return this.#open().get.get(key) as Kept | undefined
  }

  put(key: number, ...[revision, head, body]: Kept): void {
    try {
      this.#open().put.run(key, revision, head, body)
    } catch (error) {
      // Full, or no room on the disk: begun anew, since all of it can be made again.
      this.close()
      if (!(error instanceof Error && 'errcode' in error)) throw error
    }
  }

  close(): void {
    this.#file?.database.close()
    this.#file = null
  }

  #open(): { get: StatementSync; put: StatementSync } {
    if (this.#file === null) {
      const database = new DatabaseSync('')
      database.exec(
        'pragma page_size = 8192; pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -4000',
      )
      database.exec(`pragma max_page_count = ${MOST_PAGES}`)
      database.exec('create table kept (key integer primary key, revision integer, head text, body blob)')
      // Never committed: nobody else reads it, and nothing of it is to last.
      database.exec('begin')
      const get = database.prepare('select revision, head, body from kept where key = ?')
      get.setReturnArrays(true)
      const put = database.prepare('insert or replace into kept values (?, ?, ?, ?)')
      this.#file = { database, get, put }
    }
    return this.#file
  }
}
