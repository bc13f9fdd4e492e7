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

/** The database file that the connections of a process have open. */
export class FileIdentity {
  readonly #file: string
  /** Null until a connection has opened it. */
  known: string | null = null

  constructor(file: string) {
    this.#file = file
  }

  /** Whether another file lies in its place, or none. */
  get isMoved(): boolean {
    return this.known !== null && identityOf(this.#file) !== this.known
  }
}
