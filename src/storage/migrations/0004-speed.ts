import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'
import { RECORD_TABLE } from '../records.ts'
import type { Tables } from '../tables.ts'

const LINKS = [
  ['event_venues', 'linked'],
  ['event_organizers', 'linked'],
  ['event_terms', 'term'],
] as const

/** What answers from memory need: to know whether the data has changed, and whether a record has; and what makes first answers fast. */
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
  // Lists by term, venue or organizer look at no event outside their days.
  for (const [table, by] of LINKS) {
    await db.schema
      .alterTable(table)
      .addColumn('start_local', dialect.types.text, (c) => c.notNull().defaultTo(''))
      .execute()
    await sql`update ${sql.table(table)} set start_local =
      (select start_local from events where events.id = ${sql.table(table)}.event)`.execute(db)
    await db.schema.createIndex(`${table}_start`).on(table).columns([by, 'start_local', 'event']).execute()
    await db.schema.dropIndex(`${table}_${by}`).execute()
  }
  await dialect.keepStarts(
    db,
    LINKS.map(([table]) => table),
  )
  // So few that nothing else needs to look at them.
  await sql`create index events_secret on events (id) where password_hash is not null`.execute(db)
  await dialect.createWordIndex(db)
}
