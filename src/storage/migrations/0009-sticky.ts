import { type Kysely, sql } from 'kysely'

/** Lists on pages look for the sticky events of the days they show, of which there are few. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index events_sticky on events (start_local, id) where sticky = 1`.execute(db)
}
