import { AppError } from '../lib/errors.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { Status } from '../schema/record.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/quotas.ts'
import { rightsOf, type User } from './access.ts'

export interface QuotaSettings {
  /** How many unpublished records one contributor may have; 0 for no limit. */
  readonly draftQuota: number
  /** How many bytes the images of one author may take; 0 for no limit. */
  readonly uploadQuota: number
}

/** How many uploads of one user may wait to be counted. */
const MAX_WAITING = 100
/** How many images of one user are looked for that were counted and may have no row. */
const MAX_UNSETTLED = 100

/** What a user has uploaded lately. */
interface Uploads {
  readonly queue: WorkQueue
  /** Bytes by hash of images that were counted, and whose rows were not seen yet. */
  readonly unsettled: Map<string, number>
  /** Bytes of files that have no row: the requests that named them were refused. */
  wasted: number
}

/** What users may leave here that nobody has looked at. Editors and administrators are not limited. */
export class Quotas {
  readonly #settings: QuotaSettings
  readonly #uploads = new Map<number, Uploads>()

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

  /**
   * Counts an image that a user brings, before its files are kept; refuses it if theirs take too much room. It stays counted
   * until its row is seen: files of which the row was never made take room as well.
   */
  async countUpload(db: Database, user: User | null, { hash, bytes }: Upload): Promise<void> {
    if (this.#settings.uploadQuota === 0 || user === null || rightsOf(user).edit === 'all') return
    const uploads = this.#uploads.get(user.id) ?? newUploads()
    this.#uploads.set(user.id, uploads)
    await uploads.queue.run(async () => {
      const { unsettled } = uploads
      const { stored, found } = await db.read((tx) => storage.imagesOf(tx, user.id, [hash, ...unsettled.keys()]))
      for (const one of found) unsettled.delete(one)
      // The same bytes are the same image, whoever brought it.
      if (found.has(hash) || unsettled.has(hash)) return
      const pending = [...unsettled.values()].reduce((sum, one) => sum + one, 0)
      this.#refuseOver(stored + pending + uploads.wasted + storage.countedBytes(bytes))
      unsettled.set(hash, storage.countedBytes(bytes))
      const [oldest] = unsettled
      if (unsettled.size <= MAX_UNSETTLED || oldest === undefined) return
      unsettled.delete(oldest[0])
      uploads.wasted += oldest[1]
    })
  }

  /** An image was removed, with its files. */
  removed(hash: string): void {
    for (const { unsettled } of this.#uploads.values()) unsettled.delete(hash)
  }

  #refuseOver(bytes: number): void {
    const { uploadQuota: most } = this.#settings
    if (bytes > most) throw new AppError('upload-quota-exceeded', { fill: { megabytes: Math.floor(most / 1e5) / 10 } })
  }
}

interface Upload {
  readonly hash: string
  readonly bytes: number
}

function newUploads(): Uploads {
  return { queue: new WorkQueue(1, MAX_WAITING), unsettled: new Map(), wasted: 0 }
}
