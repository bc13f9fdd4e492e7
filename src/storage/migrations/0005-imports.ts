import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

/** Where records were imported from, so that importing again finds them; and how far long imports have come. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text, whole } = dialectOf(db as Kysely<Tables>).types
  await db.schema
    .createTable('imports')
    .addColumn('source', text, (c) => c.notNull())
    .addColumn('kind', text, (c) => c.notNull())
    .addColumn('uid', text, (c) => c.notNull())
    .addColumn('part', text, (c) => c.notNull())
    .addColumn('record', whole, (c) => c.notNull())
    .addColumn('hash', text, (c) => c.notNull())
    .addColumn('imported_utc', whole, (c) => c.notNull())
    .addPrimaryKeyConstraint('imports_key', ['source', 'kind', 'uid', 'part'])
    .execute()
  await db.schema.createIndex('imports_record').on('imports').columns(['kind', 'record']).execute()
  await db.schema
    .createTable('import_progress')
    .addColumn('source', text, (c) => c.primaryKey().notNull())
    .addColumn('state', text, (c) => c.notNull())
    .addColumn('saved_utc', whole, (c) => c.notNull())
    .execute()
}
