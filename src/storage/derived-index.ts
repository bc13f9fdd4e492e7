import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** An index beside a table that can be made again from it. */
export interface DerivedIndex {
  readonly name: 'places' | 'parts of words' | 'links to events'
  /** Number of rows that are not, or wrongly, in the index. */
  countWrong(tx: Kysely<Tables>): Promise<number>
  rebuild(tx: Kysely<Tables>): Promise<void>
}
