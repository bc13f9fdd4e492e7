import { AppError } from '../lib/errors.ts'
import { WorkQueue } from '../lib/work-queue.ts'
import type { Status } from '../schema/record.ts'
import * as audit from '../storage/audit/log.ts'
import type { Database } from '../storage/database.ts'
import type { Tx } from '../storage/dialect.ts'
import * as keys from '../storage/idempotency.ts'
import * as storage from '../storage/quotas.ts'
import { rightsOf, type User } from './access.ts'
import { StoredBytes } from './stored-bytes.ts'

export interface QuotaSettings {
  /** Limit on unpublished records per contributor; 0 for none. */
  readonly draftQuota: number
  /** Limit on bytes of images per author; 0 for none. */
  readonly uploadQuota: number
  /** Limit on bytes of history per user, and on those of stored answers; 0 for none. */
  readonly historyQuota: number
}

/** Limit on waiting uploads of one user. */
const MAX_WAITING = 100
/** Limit on counted images of one user that may have no row yet. */
const MAX_UNCONFIRMED = 100

/** Recent uploads of a user. */
interface Uploads {
  readonly queue: WorkQueue
  /** Bytes by hash of counted images whose rows were not seen yet. */
  readonly unconfirmed: Map<string, number>
  /** Bytes of files without a row, because their requests were refused. */
  wasted: number
}

/** Quotas for unreviewed content, of which editors and administrators have none, and for what everybody leaves. */
export class Quotas {
  readonly #settings: QuotaSettings
  readonly #uploads = new Map<number, Uploads>()
  /** The audit log, and stored answers to keys: of all users, whatever their rights. */
  readonly history: StoredBytes
  readonly answers: StoredBytes

  constructor(settings: QuotaSettings) {
    this.#settings = settings
    this.history = new StoredBytes(
      { kind: 'history', newest: audit.newestOf, forget: audit.forgetOf },
      settings.historyQuota,
    )
    this.answers = new StoredBytes(
      { kind: 'answers', newest: keys.newestOf, forget: keys.forgetOf },
      settings.historyQuota,
    )
  }

  /** Throws if a contributor has too many unpublished records with so many more. */
  async checkDraft(tx: Tx, user: User | null, status: Status, more = 1): Promise<void> {
    const { draftQuota: most } = this.#settings
    if (most === 0 || user === null || status === 'publish' || rightsOf(user).publish) return
    if ((await storage.countUnpublished(tx, user.id)) + more > most)
      throw new AppError('draft-quota-exceeded', { fill: { most } })
  }

  /**
   * Counts an upload before its files are stored. Throws if the quota is exceeded. It stays counted until its row is
   * seen: files without a row take space, too.
   */
  async countUpload(db: Database, user: User | null, { hash, bytes }: Upload): Promise<void> {
    if (this.#settings.uploadQuota === 0 || user === null || rightsOf(user).edit === 'all') return
    const uploads = this.#uploads.get(user.id) ?? newUploads()
    this.#uploads.set(user.id, uploads)
    await uploads.queue.run(async () => {
      const { unconfirmed } = uploads
      const { stored, found } = await db.read((tx) => storage.imagesOf(tx, user.id, [hash, ...unconfirmed.keys()]))
      for (const one of found) unconfirmed.delete(one)
      // The same bytes are the same image, whoever uploaded it.
      if (found.has(hash) || unconfirmed.has(hash)) return
      const pending = [...unconfirmed.values()].reduce((sum, one) => sum + one, 0)
      this.#throwIfOver(stored + pending + uploads.wasted + storage.countedBytes(bytes))
      unconfirmed.set(hash, storage.countedBytes(bytes))
      const [oldest] = unconfirmed
      if (unconfirmed.size <= MAX_UNCONFIRMED || oldest === undefined) return
      unconfirmed.delete(oldest[0])
      uploads.wasted += oldest[1]
    })
  }

  /** Throws if so many bytes of pictures are more than one author may have. */
  checkUploads(bytes: number): void {
    if (this.#settings.uploadQuota !== 0) this.#throwIfOver(bytes)
  }

  /** The same without a limit on unpublished records, for records that are counted elsewhere. */
  withoutDrafts(): Quotas {
    return new Quotas({ ...this.#settings, draftQuota: 0 })
  }

  /** Called when an image was removed. */
  removed(hash: string): void {
    for (const { unconfirmed } of this.#uploads.values()) unconfirmed.delete(hash)
  }

  #throwIfOver(bytes: number): void {
    const { uploadQuota: most } = this.#settings
    if (bytes > most) throw new AppError('upload-quota-exceeded', { fill: { megabytes: Math.floor(most / 1e5) / 10 } })
  }
}

interface Upload {
  readonly hash: string
  readonly bytes: number
}

function newUploads(): Uploads {
  return { queue: new WorkQueue(1, MAX_WAITING), unconfirmed: new Map(), wasted: 0 }
}
