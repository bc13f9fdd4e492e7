import { CHECKPOINT } from './connection.ts'
import type { FileIdentity } from './file-identity.ts'
import { SqliteThread } from './thread.ts'

/** Beyond it, writers wait until what was begun is copied. */
const MANY = 2 * CHECKPOINT
/** Beyond it, a commit copies them in the main thread: if the thread cannot, or somebody reads for long. */
const FALLBACK = 4 * CHECKPOINT

/** Runs a statement in the main thread; answers its first row. */
type Ask = (sql: string) => readonly unknown[]

/** Copies the WAL to the database file in a thread. A commit that did it would hold the main thread for 30 ms, and on a slow disk for longer. */
export class Checkpoints {
  readonly #thread: SqliteThread
  readonly #ask: Ask
  #running: Promise<void> | null = null
  /** Whether writers have gone on while the WAL was copied. */
  #hasRest = false

  /** `ask` asks the connection that commits. */
  constructor(file: string, identity: FileIdentity | null, ask: Ask) {
    this.#thread = new SqliteThread(file, identity)
    this.#ask = ask
    ask(`pragma wal_autocheckpoint = ${FALLBACK}`)
  }

  /** After a commit. */
  committed(): void {
    if (this.#running !== null || this.#left < CHECKPOINT) return
    this.#running = this.#copy().finally(() => {
      this.#running = null
      this.#hasRest = true
    })
  }

  /** Before a write: copies what was written meanwhile. Only when all is copied does SQLite write from the beginning of the WAL again. */
  async beforeWrite(): Promise<void> {
    if (this.#running !== null && this.#left > MANY) await this.#running
    if (!this.#hasRest) return
    this.#hasRest = false
    if (this.#left > 0) await this.#copy()
  }

  async close(): Promise<void> {
    await this.#running
    await this.#thread.close()
  }

  /** How many pages are not copied. What is committed stays so if this cannot be told. */
  get #left(): number {
    try {
      const [, pages, copied] = this.#ask('pragma wal_checkpoint(noop)')
      return Number(pages) - Number(copied)
    } catch {
      return 0
    }
  }

  /** If it fails, all is still in the WAL, and the next commit tries again. */
  async #copy(): Promise<void> {
    await this.#thread.execute('pragma wal_checkpoint(passive)', []).catch(() => {})
  }
}
