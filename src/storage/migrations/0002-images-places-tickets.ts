import type { ColumnDefinitionBuilder, Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

const required = (column: ColumnDefinitionBuilder) => column.notNull()

/** Images of records, coordinates of venues with an index to search them by, tickets of events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const dialect = dialectOf(db as Kysely<Tables>)
  const { text, whole, real } = dialect.types
  await schema
    .createTable('images')
    .addColumn('id', whole, (c) => c.primaryKey())
    .addColumn('author', whole, (c) => c.notNull().references('users.id'))
    .addColumn('hash', text, (c) => c.notNull().unique())
    .addColumn('extension', text, required)
    .addColumn('mime', text, required)
    .addColumn('width', whole, required)
    .addColumn('height', whole, required)
    .addColumn('filesize', whole, required)
    .addColumn('sizes', text, required)
    .addColumn('date_utc', whole, required)
    .execute()
  for (const table of ['events', 'venues', 'organizers']) {
    await schema.createIndex(`${table}_image`).on(table).column('image').execute()
  }

  await schema.alterTable('venues').addColumn('geo_lat', real).execute()
  await schema.alterTable('venues').addColumn('geo_lng', real).execute()
  await dialect.createPlaceIndex(db)

  await schema
    .createTable('tickets')
    .addColumn('id', whole, (c) => dialect.identity(c))
    .addColumn('event', whole, (c) => c.notNull().references('events.id').onDelete('cascade'))
    .addColumn('position', whole, required)
    .addColumn('name', text, required)
    .addColumn('price', text)
    .addColumn('currency', text)
    .addColumn('url', text)
    .addColumn('capacity', whole)
    .addColumn('available_from', whole)
    .addColumn('available_until', whole)
    .execute()
  await schema.createIndex('tickets_event').on('tickets').columns(['event', 'position']).execute()
}
