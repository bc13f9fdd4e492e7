import { AppError, type Problem } from '../lib/errors.ts'
import { FetchRefused, safeFetch } from '../lib/safe-fetch.ts'
import * as storage from '../storage/imports.ts'
import * as images from './images.ts'
import * as imports from './imports.ts'
import type { Scope } from './scope.ts'

/** The images that an import names by address: each is fetched once, whoever names it and however often it is run. */
export class ImportedImages {
  /** How many were fetched. */
  fetched = 0
  readonly #scope: Scope
  readonly #run: imports.Run
  /** What could not be had is not asked for again in the same run. */
  readonly #refused = new Map<string, Problem>()

  constructor(scope: Scope, run: imports.Run) {
    this.#scope = scope
    this.#run = run
  }

  /** The id of an image here, or why there is none. */
  async bring(url: string): Promise<number | Problem> {
    const refused = this.#refused.get(url)
    if (refused !== undefined) return refused
    const known = await this.#known(url)
    if (known !== null) return known
    const made = await this.#fetch(url)
    if (typeof made !== 'number') this.#refused.set(url, made)
    return made
  }

  async #known(url: string): Promise<number | null> {
    const row = await this.#scope.db.read((tx) => storage.get(tx, this.#run.source, 'image', url))
    if (row === undefined) return null
    try {
      return (await images.get(this.#scope, row.record)).id
    } catch (error) {
      // It was removed since.
      if (error instanceof AppError) return null
      throw error
    }
  }

  async #fetch(url: string): Promise<number | Problem> {
    try {
      const bytes = await safeFetch(url, this.#scope.fetchLimits)
      const { id } = await images.create(this.#scope, async () => bytes)
      const { source } = this.#run
      const row = { source, uid: url, part: '', record: id, hash: '', imported_utc: this.#scope.clock() }
      await this.#scope.db.write((tx) => storage.putAll(tx, [{ ...row, kind: 'image' }]))
      this.fetched++
      return id
    } catch (error) {
      return error instanceof FetchRefused ? { problem: error.problem } : imports.problemOf(error)
    }
  }
}
