import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** An index to which every write adds a part. A search reads all parts, so it is faster when they are merged. */
export interface PartedIndex {
  countParts(tx: Kysely<Tables>): Promise<number>
  /** Begins to merge all parts, or goes on. Does some milliseconds of work; returns false once there was nothing to do. */
  mergeSome(tx: Kysely<Tables>, isFirst: boolean): Promise<boolean>
}
