import { statSync } from 'node:fs'

/** The database file was removed or replaced while it was open: what is written to it would be lost. */
export class MovedError extends Error {
  readonly code = 'DATABASE_MOVED'

  constructor(file: string) {
    super(`${file} was removed or replaced while it was open: put it back, or restart the service`)
  }
}

/** Tells a file from every other that may come to lie in its place; null if there is none. */
export function identityOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

/** The database file that the connections of a process have open, and its log. */
export class FileIdentity {
  readonly #file: string
  #known: string | null
  #isOpen = false
  #log: string | null = null

  constructor(file: string) {
    this.#file = file
    this.#known = identityOf(file)
  }

  /** Null if there was no file, and no connection has made it yet. */
  get known(): string | null {
    return this.#known
  }

  /** Called when a connection has opened the file: the first may have made it. */
  opened(identity: string | null): void {
    if (!this.#isOpen) this.#known = identity
    this.#isOpen = true
    this.noteLog()
  }

  /** Called while the log is there: SQLite makes it when it first needs it, and keeps it while a connection is open. */
  noteLog(): void {
    this.#log ??= identityOf(`${this.#file}-wal`)
  }

  /** Whether other files lie in their places, or none. */
  get isMoved(): boolean {
    if (this.#known === null) return false
    if (identityOf(this.#file) !== this.#known) return true
    return this.#log !== null && identityOf(`${this.#file}-wal`) !== this.#log
  }
}
