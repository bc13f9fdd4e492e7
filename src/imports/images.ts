import * as images from '../domain/images.ts'
import type { Scope } from '../domain/scope.ts'
import { AppError, type Problem } from '../lib/errors.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import { fileNameIn, Upload } from '../lib/upload.ts'
import * as imageStorage from '../storage/images.ts'
import * as storage from '../storage/imports.ts'
import * as imports from './import-run.ts'

/** Limit on cached addresses. */
const MAX_FOUND = 10_000

/** Images that an import references by address. Each is fetched once, also across runs. */
export class ImportedImages {
  /** Number of fetched images. */
  fetched = 0
  readonly #scope: Scope
  readonly #run: imports.ImportRun
  readonly #most: number
  readonly #fetchFile: (url: string) => Promise<Buffer>
  #asked = 0
  /** Results of this run by address. Failures are not retried in the same run. */
  readonly #found = new Map<string, number | Problem>()

  constructor(
    scope: Scope,
    run: imports.ImportRun,
    {
      most = Number.POSITIVE_INFINITY,
      fetchFile = (url: string) => safeFetch(url, scope.fetchLimits),
    }: { readonly most?: number | undefined; readonly fetchFile?: (url: string) => Promise<Buffer> } = {},
  ) {
    this.#scope = scope
    this.#run = run
    this.#most = most
    this.#fetchFile = fetchFile
  }

  /**
   * Adds images to events that have changed. If an image cannot be fetched, the event is imported without it and with a note,
   * and gets another hash, so that the next run tries again.
   */
  async bringAll(items: readonly imports.Item[]): Promise<readonly imports.Item[]> {
    const named = items.filter((item) => item.image !== undefined)
    if (named.length === 0 || this.#run.dryRun) return items
    const uids = [...new Set(named.map(({ uid }) => uid))]
    const rows = await this.#scope.db.read((tx) => storage.listEvents(tx, this.#run.source, uids, null))
    const known = new Map(rows.map(({ uid, part, hash, status }) => [`${uid}\n${part}`, status === null ? '' : hash]))
    const brought: imports.Item[] = []
    for (const item of items) {
      const isDone = item.image === undefined || item.cancelled || known.get(`${item.uid}\n${item.part}`) === item.hash
      brought.push(isDone ? item : await this.#with(item, item.image ?? ''))
    }
    return brought
  }

  async #with(item: imports.Item, url: string): Promise<imports.Item> {
    const image = await this.bring(url)
    if (typeof image === 'number') return { ...item, fields: { ...item.fields, image } }
    const isLimit = image.problem === 'too_many_images'
    const problem: Problem = isLimit ? image : { problem: 'field_not_brought', name: 'image', details: { image } }
    imports.note(this.#run, { line: item.line, uid: item.uid, problem }, false)
    return { ...item, hash: `${item.hash}-` }
  }

  /** Id of the image, or the problem. */
  async bring(url: string): Promise<number | Problem> {
    const found = this.#found.get(url) ?? (await this.#known(url)) ?? (await this.#fetch(url))
    if (this.#found.size >= MAX_FOUND) this.#found.clear()
    this.#found.set(url, found)
    return found
  }

  /** Image that was fetched before and still exists, or that belongs to this site. */
  async #known(url: string): Promise<number | null> {
    const [file, base] = /\/images\/([0-9a-f]{64})\.\w+$/.exec(url) ?? []
    const isOwn = file !== undefined && url === `${this.#scope.site.home}${file}`
    const id = await this.#scope.db.read(async (tx) => {
      if (isOwn && base !== undefined) return (await imageStorage.findByFile(tx, base))?.id
      const before = await storage.get(tx, this.#run.source, 'image', url)
      return before && (await imageStorage.get(tx, before.record))?.id
    })
    return id ?? null
  }

  async #fetch(url: string): Promise<number | Problem> {
    if (++this.#asked > this.#most) return { problem: 'too_many_images', most: this.#most }
    try {
      const file = new Upload(await this.#fetchFile(url), fileNameIn(url))
      const { id } = await images.create(this.#scope, async () => file)
      const { source } = this.#run
      const row = { source, uid: url, part: '', record: id, hash: '', imported_utc: this.#scope.clock() }
      await this.#scope.db.write((tx) => storage.putAll(tx, [{ ...row, kind: 'image' }]))
      this.fetched++
      return id
    } catch (error) {
      if (error instanceof FetchRefused) return { problem: error.problem }
      if (!(error instanceof AppError) || error.cause !== undefined) throw error
      // Reported like a problem with an uploaded file.
      return error.details.params?.file ?? imports.problemOf(error)
    }
  }
}
