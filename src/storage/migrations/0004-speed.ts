import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

/** What answers from memory need: to know whether the data has changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const dialect = dialectOf(db as Kysely<Tables>)
  await dialect.createVersion(db)
}
