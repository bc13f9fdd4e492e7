import type { LooksUp } from './lookup.ts'

/** A query for events with any of some words. */
export interface WordQuery {
  readonly text: string
  readonly words: readonly string[]
}

/** Looks up events by the words that contain a text. The main thread waits for it, so it gives up if there is much to read. */
export interface FewWords {
  /** A query for all words that contain a text; null if there are many, or the text cannot be found by words. */
  queryFor(db: LooksUp, part: string): Promise<WordQuery | null>
  /**
   * Ids of the events with one of the words; null if there are many. At most `inAll` events exist. They are true if the data is still
   * at this version when they are found.
   */
  find(db: LooksUp, version: string, query: WordQuery, inAll: number): Promise<number[] | null>
}
