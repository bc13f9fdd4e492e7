import { statfs } from 'node:fs/promises'
import { AppError, storageFull } from '../lib/errors.ts'

/** Faults of the storage. */
export type Fault =
  /** No space left. */
  | 'full'
  /** It cannot be opened or written. */
  | 'unwritable'
  /** Stored data cannot be read. */
  | 'damaged'
  /** The database file was moved or replaced. */
  | 'moved'

/** Minimum free space, in bytes; a write takes less. */
const MIN_FREE_BYTES = 2 ** 20

/** Records faults of a database, for the readiness check. */
export class Faults {
  /** Set until restart: damage does not repair itself. */
  isDamaged = false
  /** Whether the last write failed, so that another has to be attempted. */
  hasFailed = false
  readonly #isMoved: () => boolean

  /** `isMoved` tells whether the database file or its log was moved or replaced: reads may then look damaged. */
  constructor(isMoved: () => boolean) {
    this.#isMoved = isMoved
  }

  /** Records a fault and returns the error for the client. */
  report(fault: Fault, error: unknown): unknown {
    if (fault === 'damaged' && !this.#isMoved()) {
      this.isDamaged = true
      return error
    }
    this.hasFailed = true
    if (fault === 'full') return storageFull(error)
    return new AppError('rest_unavailable', { headers: { 'retry-after': '5' } }, error)
  }
}

/** Whether the disk of a folder is nearly full. */
export async function isFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize < MIN_FREE_BYTES
  } catch {
    // Unknown: writes will report it.
    return false
  }
}
