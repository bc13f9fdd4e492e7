import { statSync } from 'node:fs'

/** The database file was removed or replaced while open: further writes would be lost. */
export class MovedError extends Error {
  readonly code = 'DATABASE_MOVED'

  constructor(file: string) {
    super(`${file} was removed or replaced while it was open: put it back, or restart the service`)
  }
}

/** Device and inode, which identify a file even if another takes its path; null if there is none. */
export function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

/** Identity of the database file that this process has open, and of its WAL. */
export class FileIdentity {
  readonly #file: string
  #known: string | null
  #isOpen = false
  #log: string | null = null

  constructor(file: string) {
    this.#file = file
    this.#known = identityOf(file)
  }

  /** Null if there was no file and no connection has created it yet. */
  get known(): string | null {
    return this.#known
  }

  /** Called when a connection has opened the file. The first may have created it. */
  opened(identity: string | null): void {
    if (!this.#isOpen) this.#known = identity
    this.#isOpen = true
    this.recordLog()
  }

  /** Called while the WAL exists: SQLite creates it on first use, and keeps it while a connection is open. */
  recordLog(): void {
    this.#log ??= identityOf(`${this.#file}-wal`)
  }

  /** Whether the file or its WAL was removed or replaced. */
  get isMoved(): boolean {
    if (this.#known === null) return false
    if (identityOf(this.#file) !== this.#known) return true
    return this.#log !== null && identityOf(`${this.#file}-wal`) !== this.#log
  }
}
