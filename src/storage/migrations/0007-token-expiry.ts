import { type Kysely, PostgresAdapter, sql } from 'kysely'

/**
 * Tokens may expire, and show when they were last used. Addresses that users signed in from are remembered, so that
 * guesses from elsewhere do not delay them. Indexes to count what quotas are about.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tokens add column expires_utc bigint`.execute(db)
  await sql`alter table tokens add column used_utc bigint`.execute(db)
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  // Ordered by code point on both databases.
  const text = isPostgres ? sql`text collate "C"` : sql`text`
  await sql`create table sign_ins (
    "user" bigint not null references users (id) on delete cascade,
    address ${text} not null,
    last_utc bigint not null,
    primary key ("user", address)
  )`.execute(db)
  await sql`create index events_unpublished on events (author) where status <> 'publish'`.execute(db)
  await sql`create index venues_unpublished on venues (author) where status <> 'publish'`.execute(db)
  await sql`create index organizers_unpublished on organizers (author) where status <> 'publish'`.execute(db)
  await sql`create index images_author on images (author, filesize)`.execute(db)
}
