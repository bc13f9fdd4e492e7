import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** Index of the words of events: the part of a search by words that differs between the databases. See word-search.ts. */
export interface TextIndex {
  /** Stores the words of an event, in place of those it had: when the transaction ends, or `settle` is called. */
  put(tx: Kysely<Tables>, texts: EventWords, isNew: boolean): Promise<void>
  /** Stores what still waits in a transaction: before the index is read, and events are removed. */
  settle(tx: Kysely<Tables>): Promise<void>
  /** Query for the ids of events that have, for each of these words, one that begins with it. */
  having(words: readonly string[], column: 'title' | 'words'): RawBuilder<number>
  /** Ids of the events that have all marks. The query has rows with `marks` and `ids`, a JSON list of events that have them. */
  marked(tx: Kysely<Tables>, rows: RawBuilder<unknown>, all: number): Promise<number[]>
  /** Stores words that may be suggested, each with its letters reversed; at the same time as `put`. */
  suggest(tx: Kysely<Tables>, words: readonly string[]): Promise<void>
  /** Forgets those of some words that no event and no name has any more, after what waits is stored. */
  forgetUnused(tx: Kysely<Tables>, words: readonly string[]): Promise<void>
  /** Query for pairs of numbers, as `id` and `marks`. */
  pairs(list: readonly (readonly [id: number, marks: number])[]): RawBuilder<unknown>
  /** Ids of those events whose words in the index are others. */
  findDiffering(tx: Kysely<Tables>, events: readonly EventWords[]): Promise<number[]>
  /** Query for the items of a list, as `value`. */
  each(list: readonly string[]): RawBuilder<string>
}

export interface EventWords {
  readonly id: number
  readonly title: readonly string[]
  /** Including those of the title. */
  readonly words: readonly string[]
}

/** The letters of a word in reverse order: words that end alike begin alike so. */
export function reversed(text: string): string {
  return [...text].reverse().join('')
}
