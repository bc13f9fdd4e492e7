import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { RECORD_TABLE } from '../records.ts'
import type { Tables } from '../tables.ts'

/** What answers from memory need: to know whether the data has changed, and whether a record has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const dialect = dialectOf(db as Kysely<Tables>)
  await dialect.createVersion(db)
  for (const table of Object.values(RECORD_TABLE)) {
    await db.schema
      .alterTable(table)
      .addColumn('revision', dialect.types.whole, (column) => column.notNull().defaultTo(1))
      .execute()
    await dialect.keepRevision(db, table)
  }
}
