import type { ColumnDefinitionBuilder, CreateTableBuilder, Kysely } from 'kysely'
import { type Dialect, dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

const required = (column: ColumnDefinitionBuilder) => column.notNull()
const flag = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(0)

/** Users and their tokens, venues, organizers, categories and tags, and events with what they are linked to. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const dialect = dialectOf(db as Kysely<Tables>)
  const { text, whole } = dialect.types
  await dialect.createSequences(db)

  await schema
    .createTable('users')
    .addColumn('id', whole, (c) => dialect.identity(c))
    .addColumn('name', text, required)
    .addColumn('name_key', text, (c) => c.notNull().unique())
    .addColumn('email', text, required)
    .addColumn('email_key', text, (c) => c.notNull().unique())
    .addColumn('role', text, required)
    .addColumn('password_hash', text, required)
    .addColumn('created_utc', whole, required)
    .execute()
  await schema
    .createTable('tokens')
    .addColumn('id', whole, (c) => dialect.identity(c))
    .addColumn('user', whole, (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', text, required)
    .addColumn('hash', text, (c) => c.notNull().unique())
    .addColumn('created_utc', whole, required)
    .execute()
  await schema.createIndex('tokens_user').on('tokens').column('user').execute()

  await record(dialect, schema.createTable('venues'))
    .addColumn('venue', text, required)
    .addColumn('address', text)
    .addColumn('city', text)
    .addColumn('country', text)
    .addColumn('province', text)
    .addColumn('state', text)
    .addColumn('stateprovince', text)
    .addColumn('zip', text)
    .addColumn('phone', text)
    .addColumn('website', text)
    .addColumn('show_map', whole, flag)
    .addColumn('show_map_link', whole, flag)
    .execute()
  await record(dialect, schema.createTable('organizers'))
    .addColumn('organizer', text, required)
    .addColumn('phone', text)
    .addColumn('website', text)
    .addColumn('email', text)
    .execute()
  await record(dialect, schema.createTable('events'))
    .addColumn('title', text, required)
    .addColumn('title_search', text, required)
    .addColumn('excerpt', text)
    .addColumn('timezone', text, required)
    .addColumn('start_local', text, required)
    .addColumn('end_local', text, required)
    .addColumn('start_utc', whole, required)
    .addColumn('end_utc', whole, required)
    .addColumn('all_day', whole, flag)
    .addColumn('cost', text)
    .addColumn('website', text)
    .addColumn('show_map', whole, flag)
    .addColumn('show_map_link', whole, flag)
    .addColumn('hide_from_listings', whole, flag)
    .addColumn('sticky', whole, flag)
    .addColumn('featured', whole, flag)
    .addColumn('parent', whole, (c) => c.references('events.id').onDelete('set null'))
    .addColumn('password_hash', text)
    .execute()

  await schema
    .createTable('terms')
    .addColumn('id', whole, (c) => c.primaryKey())
    .addColumn('kind', text, required)
    .addColumn('name', text, required)
    .addColumn('name_key', text, required)
    .addColumn('slug', text, required)
    .addColumn('description', text)
    .addColumn('parent', whole, flag)
    .addColumn('count', whole, flag)
    .execute()
  for (const table of ['event_venues', 'event_organizers'] as const) {
    const linked = table === 'event_venues' ? 'venues.id' : 'organizers.id'
    await schema
      .createTable(table)
      .addColumn('event', whole, (c) => c.notNull().references('events.id').onDelete('cascade'))
      .addColumn('linked', whole, (c) => c.notNull().references(linked).onDelete('cascade'))
      .addColumn('position', whole, required)
      .addPrimaryKeyConstraint(`${table}_key`, ['event', 'linked'])
      .execute()
    await schema.createIndex(`${table}_linked`).on(table).columns(['linked', 'event']).execute()
  }
  await schema
    .createTable('event_terms')
    .addColumn('event', whole, (c) => c.notNull().references('events.id').onDelete('cascade'))
    .addColumn('term', whole, (c) => c.notNull().references('terms.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('event_terms_key', ['event', 'term'])
    .execute()
  await indexes(db)
  await dialect.createSearchIndexes(db)
}

/** The columns of RecordColumns. */
function record(
  { types: { text, whole } }: Dialect,
  table: CreateTableBuilder<never, never>,
): CreateTableBuilder<never, never> {
  return table
    .addColumn('id', whole, (c) => c.primaryKey())
    .addColumn('author', whole, (c) => c.notNull().references('users.id'))
    .addColumn('status', text, required)
    .addColumn('trashed_from', text)
    .addColumn('slug', text, (c) => c.notNull().unique())
    .addColumn('restore_slug', text)
    .addColumn('description', text)
    .addColumn('date_utc', whole, required)
    .addColumn('modified_utc', whole, required)
    .addColumn('image', whole)
    .addColumn('search', text, required) as CreateTableBuilder<never, never>
}

async function indexes({ schema }: Kysely<unknown>): Promise<void> {
  for (const [table, name] of [
    ['venues', 'venue'],
    ['organizers', 'organizer'],
  ] as const) {
    await schema.createIndex(`${table}_newest`).on(table).columns(['status', 'date_utc', 'id']).execute()
    await schema.createIndex(`${table}_name`).on(table).column(name).execute()
    await schema.createIndex(`${table}_author`).on(table).column('author').execute()
  }
  await schema.createIndex('events_start').on('events').columns(['start_local', 'id']).execute()
  // The lists that everybody reads, counted and put in order without a look at the rows themselves.
  const listed = ['status', 'hide_from_listings'] as const
  await schema
    .createIndex('events_listed')
    .on('events')
    .columns([...listed, 'start_local', 'id', 'end_local'])
    .execute()
  await schema
    .createIndex('events_instants')
    .on('events')
    .columns([...listed, 'start_utc', 'end_utc', 'start_local', 'id'])
    .execute()
  await schema.createIndex('events_scheduled').on('events').columns(['status', 'date_utc']).execute()
  await schema.createIndex('events_author').on('events').column('author').execute()
  await schema.createIndex('events_parent').on('events').columns(['parent', 'start_local']).execute()
  await schema.createIndex('event_terms_term').on('event_terms').columns(['term', 'event']).execute()
  await schema.createIndex('terms_slug').on('terms').columns(['kind', 'slug']).unique().execute()
  await schema.createIndex('terms_sibling').on('terms').columns(['kind', 'parent', 'name_key']).execute()
  await schema.createIndex('terms_name').on('terms').columns(['kind', 'name_key', 'id']).execute()
}
