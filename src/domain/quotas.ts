import { AppError } from '../lib/errors.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { Status } from '../schema/record.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/quotas.ts'
import { rightsOf, type User } from './access.ts'

export interface QuotaSettings {
  /** How many unpublished records one contributor may have; 0 for no limit. */
  readonly draftQuota: number
  /** How many bytes the images of one author may take; 0 for no limit. */
  readonly uploadQuota: number
}

/** How many uploads of one user may wait for each other. */
const MOST_WAITING = 20

/** What users may leave here that nobody has looked at. Editors and administrators are not limited. */
export class Quotas {
  readonly #settings: QuotaSettings
  /** The uploads of each user who has one under way. */
  readonly #uploads = new Map<number, WorkQueue>()

  constructor(settings: QuotaSettings) {
    this.#settings = settings
  }

  /** Refuses a new record that waits for somebody to publish it, to a contributor who has too many of them. */
  async checkDraft(tx: Tx, user: User | null, status: Status): Promise<void> {
    const { draftQuota: most } = this.#settings
    if (most === 0 || user === null || status === 'publish' || rightsOf(user).publish) return
    if ((await storage.countUnpublished(tx, user.id)) >= most)
      throw new AppError('draft-quota-exceeded', { fill: { most } })
  }

  /** Whether the uploads of a user are limited. */
  limitsUploads(user: User | null): user is User {
    return this.#settings.uploadQuota > 0 && user !== null && rightsOf(user).edit !== 'all'
  }

  /** Refuses so many bytes more to a user whose images take too many. */
  async checkUpload(tx: Tx, user: User, bytes: number): Promise<void> {
    const { uploadQuota: most } = this.#settings
    if ((await storage.bytesOfImages(tx, user.id)) + storage.countedBytes(bytes) > most)
      throw new AppError('upload-quota-exceeded', { fill: { megabytes: Math.floor(most / 1e5) / 10 } })
  }

  /** Lets the uploads of a user go one after the other: what is counted before one is still true when it is stored. */
  async inTurn<T>(user: User, work: () => Promise<T>): Promise<T> {
    const queue = this.#uploads.get(user.id) ?? new WorkQueue(1, MOST_WAITING)
    this.#uploads.set(user.id, queue)
    try {
      return await queue.run(work)
    } finally {
      if (!queue.isBusy) this.#uploads.delete(user.id)
    }
  }
}
