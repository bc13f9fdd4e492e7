import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

/** What nodes have counted together, for limits that hold for all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, whole } = dialectOf(db as Kysely<Tables>).types
  await db.schema
    .createTable('limits')
    .addColumn('key', text, (c) => c.notNull())
    .addColumn('window', whole, (c) => c.notNull())
    .addColumn('count', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('limits_key', ['key', 'window'])
    .execute()
}
