import type { ColumnDefinitionBuilder, Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Tables } from '../tables.ts'

const required = (column: ColumnDefinitionBuilder) => column.notNull()

/** Images of records, coordinates of venues with an index to search them by, tickets of events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('images')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('author', 'integer', (c) => c.notNull().references('users.id'))
    .addColumn('hash', 'text', (c) => c.notNull().unique())
    .addColumn('extension', 'text', required)
    .addColumn('mime', 'text', required)
    .addColumn('width', 'integer', required)
    .addColumn('height', 'integer', required)
    .addColumn('filesize', 'integer', required)
    .addColumn('sizes', 'text', required)
    .addColumn('date_utc', 'bigint', required)
    .execute()
  for (const table of ['events', 'venues', 'organizers']) {
    await schema.createIndex(`${table}_image`).on(table).column('image').execute()
  }

  await schema.alterTable('venues').addColumn('geo_lat', 'real').execute()
  await schema.alterTable('venues').addColumn('geo_lng', 'real').execute()
  await dialectOf(db as Kysely<Tables>).createPlaceIndex(db)

  await schema
    .createTable('tickets')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('event', 'integer', (c) => c.notNull().references('events.id').onDelete('cascade'))
    .addColumn('position', 'integer', required)
    .addColumn('name', 'text', required)
    .addColumn('price', 'text')
    .addColumn('currency', 'text')
    .addColumn('url', 'text')
    .addColumn('capacity', 'integer')
    .addColumn('available_from', 'bigint')
    .addColumn('available_until', 'bigint')
    .execute()
  await schema.createIndex('tickets_event').on('tickets').columns(['event', 'position']).execute()
}
