import { sql } from 'kysely'
import type { LooksUp, Lookup } from '../lookup.ts'

/**
 * Events by word, read from the pages of the full-text index `event_words`. A query of that index returns its events row by
 * row: that takes ten times as long, and as text to be parsed even longer. The format is described at
 * https://sqlite.org/fts5.html#fts5_data_structures. Whatever is not as expected is left to a query: see docs/decisions/event-search.md.
 */

/** Version of the format, as the index tells. */
const VERSION = 4
/** A word is looked up in each part of the index. For more, a query does. */
const MAX_LOOKUPS = 32
/** Pages with the numbers of removed events, of all parts. They are read after each change. */
const MAX_REMOVED_PAGES = 16

/** Begins the description of the parts of an index that notes what was removed. */
const WITH_REMOVED = Buffer.from([0xff, 0, 0, 1])
/** Begins every word of the index. */
const MAIN = '0'
/** Length of what a page begins with, in bytes. */
const HEADER = 4
/** The index knows no capital letters, and texts are stored without. */
const CAPITAL = /[A-Z]/

/** A part of the index: each commit adds one, and several are merged to one now and then. */
interface Part {
  readonly id: number
  readonly firstPage: number
  readonly lastPage: number
  /** Events whose words in this part do not count any more. */
  readonly removed: ReadonlySet<number>
  /** Its page, if it has only one, once it was read: most parts are of a few commits. */
  only?: Leaf
}

interface Page {
  readonly block: Uint8Array
}

/** Describes the parts. */
const PARTS: Lookup<Page & { version: unknown }> = {
  build: (db) => ({
    compile: () =>
      sql<Page & { version: unknown }>`select (select v from event_words_config where k = 'version') as version, block
        from event_words_data where id = 10`.compile(db),
  }),
}

/** The page of a part that has a word, if one has. */
const PAGE_WITH: Lookup<Page & { page: number }> = {
  build: (db, part, first, word) => ({
    compile: () =>
      sql<Page & { page: number }>`select id - (${part} << 37) as page, block from event_words_data
        where id = (${part} << 37) + max(cast(${first} as integer), coalesce((
          select pgno >> 1 from event_words_idx where segid = ${part} and term <= cast(${word} as blob)
          order by term desc limit 1
        ), 0))`.compile(db),
  }),
}

/** Some pages of a part, in order. Numbers are given as floating-point numbers, which are exact up to 2^53. */
const PAGES: Lookup<Page> = {
  build: (db, part, from, to) => ({
    compile: () =>
      sql<Page>`select block from event_words_data where id between (${part} << 37) + cast(${from} as integer)
        and (${part} << 37) + cast(${to} as integer) order by id`.compile(db),
  }),
}

/** Numbers of removed events lie beside the parts. */
const REMOVED = 65_536

/** The parts of an index as they were described. */
interface Parts {
  readonly version: string
  readonly described: Uint8Array
  readonly parts: readonly Part[] | null
}

const known = new WeakMap<LooksUp, Parts>()

/**
 * Ids of the events that have one of some words, in no order, and possibly more than once. Null if a query is to find them. Stops when
 * there are more than `most`. `version` is that of the data; if the data has changed since, what is found may be wrong.
 */
export function eventsWithAny(db: LooksUp, version: string, words: readonly string[], most: number): number[] | null {
  try {
    const parts = partsAt(db, version)
    if (parts === null || parts.length * words.length > MAX_LOOKUPS || words.some((word) => CAPITAL.test(word)))
      return null
    const found: number[] = []
    for (const word of words) for (const part of parts) if (found.length <= most) addEvents(db, part, word, most, found)
    return found
  } catch (error) {
    if (error instanceof Unexpected) return null
    throw error
  }
}

/** What is read is not as described. */
class Unexpected extends Error {}

/** SQLite answers at once, unless a transaction asks: then its own changes are not in the pages yet. */
function lookUp<Row>(db: LooksUp, question: Lookup<Row>, ...values: (string | number)[]): Row[] {
  const rows = db.lookUp(question, ...values)
  if (!(rows instanceof Promise)) return rows
  rows.catch(() => {})
  throw new Unexpected()
}

/** Parts are merged without another version of the data. */
function partsAt(db: LooksUp, version: string): readonly Part[] | null {
  const [found] = lookUp(db, PARTS)
  if (found === undefined || found.version !== VERSION) return null
  const { block: described } = found
  const last = known.get(db)
  if (last?.version === version && Buffer.compare(last.described, described) === 0) return last.parts
  const parts = readParts(db, described)
  known.set(db, { version, described, parts })
  return parts
}

function readParts(db: LooksUp, block: Uint8Array): Part[] | null {
  if (Buffer.compare(block.subarray(4, 8), WITH_REMOVED) !== 0) return null
  const bytes = new Bytes(block, 8)
  const levels = bytes.number()
  bytes.skip(2)
  const parts: Part[] = []
  let removedPages = 0
  for (let level = 0; level < levels; level++) {
    bytes.skip(1)
    for (let left = bytes.number(); left > 0; left--) {
      const [id, firstPage, lastPage] = [bytes.number(), bytes.number(), bytes.number()]
      bytes.skip(2)
      const pages = bytes.number()
      bytes.skip(2)
      removedPages += pages
      if (removedPages > MAX_REMOVED_PAGES) return null
      parts.push({ id, firstPage, lastPage, removed: pages === 0 ? NONE : readRemoved(db, id, pages) })
    }
  }
  return parts
}

const NONE: ReadonlySet<number> = new Set()

/** Each page is a hash table: after a header of eight bytes, numbers of four or eight bytes; zero where there is none. */
function readRemoved(db: LooksUp, part: number, pages: number): Set<number> {
  const removed = new Set<number>()
  const read = lookUp(db, PAGES, part + REMOVED, 0, pages - 1)
  if (read.length !== pages) throw new Unexpected()
  for (const { block } of read) {
    const view = new DataView(block.buffer, block.byteOffset, block.length)
    const size = block[0]
    if (size !== 4 && size !== 8) throw new Unexpected()
    for (let at = 8; at + size <= block.length; at += size) {
      const id = size === 4 ? view.getUint32(at) : Number(view.getBigUint64(at))
      if (id !== 0) removed.add(id)
    }
  }
  return removed
}

/** Adds the events that have a word by a part of the index. */
function addEvents(db: LooksUp, part: Part, word: string, most: number, found: number[]): void {
  const term = MAIN + word
  const [first, leaf] = pageWith(db, part, term)
  let begin = found.length
  let isLast = leaf.addIdsOf(Buffer.from(term), found)
  dropRemoved(part, found, begin)
  for (let page = first + 1, some = 1; isLast && page <= part.lastPage && found.length <= most; some *= 2) {
    const next = lookUp(db, PAGES, part.id, page, Math.min(page + some - 1, part.lastPage))
    if (next.length === 0) throw new Unexpected()
    begin = found.length
    for (const { block } of next) if (isLast) isLast = new Leaf(block).addFirstIds(found)
    dropRemoved(part, found, begin)
    page += next.length
  }
}

/** Leaves out the removed events from a place on: before the others are counted. */
function dropRemoved({ removed }: Part, found: number[], begin: number): void {
  if (removed.size === 0) return
  let kept = begin
  for (let at = begin; at < found.length; at++) {
    const id = found[at] as number
    if (!removed.has(id)) found[kept++] = id
  }
  found.length = kept
}

/** The page of a part that has a word, if any has it, and its number. */
function pageWith(db: LooksUp, part: Part, term: string): [page: number, leaf: Leaf] {
  const { id, firstPage, lastPage, only } = part
  if (only !== undefined) return [firstPage, only]
  const [row] = lookUp(db, PAGE_WITH, id, firstPage, term)
  if (row === undefined) throw new Unexpected()
  const leaf = new Leaf(row.block)
  if (firstPage === lastPage) part.only = leaf
  return [row.page, leaf]
}

/** A page: words in order, each followed by the ids of its events, and then the places where words begin. */
class Leaf {
  readonly #block: Uint8Array
  /** Where the places begin. */
  readonly #end: number

  constructor(block: Uint8Array) {
    this.#block = block
    this.#end = u16(block, 2)
    if (this.#end > block.length || this.#end < HEADER) throw new Unexpected()
  }

  /** Adds the ids of a word. Answers whether it is the last one of the page: then more may follow in the next page. */
  addIdsOf(word: Uint8Array, found: number[]): boolean {
    const block = this.#block
    const places = new Bytes(block, this.#end)
    const bytes = new Bytes(block, 0)
    /** How many bytes the last word has in common with the one that is looked for. */
    let common = 0
    for (let place = 0; !places.isAtEnd; ) {
      const isFirst = place === 0
      place += places.number()
      bytes.at = place
      // All but the first tell how many bytes they have in common with the one before.
      const same = isFirst ? 0 : bytes.number()
      const more = bytes.number()
      if (same > common) continue
      if (same < common) return false
      const from = bytes.at
      let n = 0
      while (n < more && common < word.length && block[from + n] === word[common]) {
        n++
        common++
      }
      if (n === more && common === word.length) {
        const isLast = places.isAtEnd
        this.#add(from + more, isLast ? this.#end : place + places.number(), found)
        return isLast
      }
      const isBefore = common < word.length && (n === more || (block[from + n] ?? 0) < (word[common] ?? 0))
      if (!isBefore) return false
    }
    return false
  }

  /** Adds the ids that the page begins with: they belong to the last word of the page before. Answers whether more may follow. */
  addFirstIds(found: number[]): boolean {
    const isWhole = this.#end < this.#block.length
    this.#add(HEADER, isWhole ? new Bytes(this.#block, this.#end).number() : this.#end, found)
    return !isWhole
  }

  /** The first id is whole, and each other is what is to be added to the one before. */
  #add(from: number, to: number, found: number[]): void {
    const block = this.#block
    let id = 0
    let added = 0
    for (let at = from; at < to; at++) {
      const byte = block[at] ?? 0
      added = added * 128 + (byte & 0x7f)
      if (byte >= 0x80) continue
      id += added
      // Zero marks a removal, which this index notes elsewhere.
      if (added === 0 || id > Number.MAX_SAFE_INTEGER) throw new Unexpected()
      added = 0
      found.push(id)
    }
    if (added !== 0) throw new Unexpected()
  }
}

/** Numbers of seven bits a byte, the highest first. */
class Bytes {
  readonly #block: Uint8Array
  at: number

  constructor(block: Uint8Array, at: number) {
    this.#block = block
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at >= this.#block.length
  }

  number(): number {
    let value = 0
    for (;;) {
      const byte = this.#block[this.at++]
      if (byte === undefined) throw new Unexpected()
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
  }

  skip(numbers: number): void {
    for (let left = numbers; left > 0; left--) {
      for (let n = 0; n < 8 && (this.#block[this.at] ?? 0) >= 0x80; n++) this.at++
      this.at++
    }
  }
}

function u16(block: Uint8Array, at: number): number {
  return 256 * (block[at] ?? 0) + (block[at + 1] ?? 0)
}
