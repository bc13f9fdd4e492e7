import { statfs } from 'node:fs/promises'
import { AppError, storageFull } from '../lib/errors.ts'

/** What can be wrong with the place where data is kept. */
export type Fault =
  /** There is no room. */
  | 'full'
  /** It cannot be written to, or not be opened. */
  | 'unwritable'
  /** Something that is stored cannot be read. */
  | 'damaged'
  /** The database file is no longer where it was. */
  | 'moved'

/** How much room there must be, in bytes; a write takes less. */
const LEAST_FREE = 2 ** 20

/** Remembers what is wrong with a database, so that the service can say that it is not ready. */
export class Faults {
  /** Until the service is started again: what is damaged does not mend itself. */
  isDamaged = false
  /** Whether the last write that was told of has failed, so that another has to be tried. */
  hasFailed = false
  readonly #isMoved: () => boolean

  /** `isMoved` answers whether the database file or its log is no longer where it was: what is read then may look damaged. */
  constructor(isMoved: () => boolean) {
    this.#isMoved = isMoved
  }

  /** What the client is told of a failure. */
  tell(fault: Fault, error: unknown): unknown {
    if (fault === 'damaged' && !this.#isMoved()) {
      this.isDamaged = true
      return error
    }
    this.hasFailed = true
    if (fault === 'full') return storageFull(error)
    return new AppError('rest_unavailable', { headers: { 'retry-after': '5' } }, error)
  }
}

/** Whether the disk that a folder is on has next to no room. */
export async function isFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize < LEAST_FREE
  } catch {
    // Nothing is known of it: writes will tell.
    return false
  }
}
