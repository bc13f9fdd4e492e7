import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

/** Events are found by their words, and words by their parts: see word-index.ts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await dialectOf(db as Kysely<Tables>).renewWordIndex(db)
}
