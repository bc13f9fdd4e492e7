import type { Scope } from '../../domain/scope.ts'
import type { ImportedImages } from '../images.ts'
import * as imports from '../import-run.ts'
import * as saving from '../saving.ts'
import { isNewer, type Version } from './versions.ts'

/** Events held back until they are stored, as a newer version may follow, and characters of their descriptions. */
const MAX_HELD = 2000
const MAX_HELD_TEXT = 2_000_000

/** Characters of descriptions that are stored in one transaction. */
const BATCH_TEXT = 500_000

interface Held {
  readonly item: imports.Item
  /** Length of its description. */
  readonly size: number
}

/** Events of a calendar that are not stored yet. Of the versions of one event, the newest is stored. */
export class PendingItems {
  readonly #scope: Scope
  readonly #run: imports.ImportRun
  readonly #images: ImportedImages
  readonly #most: number
  readonly #seen = new Map<string, Version>()
  readonly #held = new Map<string, Held>()
  #size = 0

  constructor(scope: Scope, run: imports.ImportRun, images: ImportedImages, most: number) {
    this.#scope = scope
    this.#run = run
    this.#images = images
    this.#most = most
  }

  /** Number of different events so far. */
  get count(): number {
    return this.#seen.size
  }

  get isFull(): boolean {
    return this.#seen.size >= this.#most
  }

  /** The version of an event that is in the file before. */
  seen(uid: string, part: string): Version | undefined {
    return this.#seen.get(imports.hashOf([uid, part]))
  }

  /** Notes that an entry is skipped because of the limit on events. */
  refuse(line: number, uid: string): void {
    imports.note(this.#run, { line, uid, problem: { problem: 'too_many_events', most: this.#most } })
  }

  async add(item: imports.Item, version: Version, size: number): Promise<void> {
    const key = imports.hashOf([item.uid, item.part])
    const before = this.#seen.get(key)
    const { line, uid } = item
    if (before !== undefined && !isNewer(version, before)) {
      imports.note(this.#run, { line, uid, problem: { problem: 'entry_repeated' } })
      return
    }
    if (before !== undefined)
      imports.note(this.#run, { line: before.line, uid, problem: { problem: 'entry_superseded' } })
    else if (this.isFull) return this.refuse(line, uid)
    this.#seen.set(key, version)
    this.#size += size - (this.#held.get(key)?.size ?? 0)
    this.#held.set(key, { item, size })
    if (this.#held.size >= MAX_HELD || this.#size >= MAX_HELD_TEXT) await this.flush()
  }

  /** Stores all events, in batches. */
  async flush(): Promise<void> {
    const held = [...this.#held.values()]
    this.#held.clear()
    this.#size = 0
    for (let begin = 0; begin < held.length; ) {
      let end = begin
      for (let size = 0; end < held.length && end - begin < saving.BATCH && size < BATCH_TEXT; end++)
        size += held[end]?.size ?? 0
      const items = held.slice(begin, end).map(({ item }) => item)
      await saving.save(this.#scope, this.#run, await this.#images.bringAll(items))
      begin = end
    }
  }
}
