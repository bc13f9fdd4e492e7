import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { eventFields } from '../../src/schema/event.ts'
import type { Fields } from '../../src/schema/field.ts'
import { LINKED_FIELDS } from '../../src/schema/linked.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'

const RECORD = [
  'id',
  'author',
  'status',
  'trashed_from',
  'slug',
  'restore_slug',
  'date_utc',
  'modified_utc',
  'image',
  'search',
  'revision',
]
/** Place of an event in a series. */
const SERIES = ['series', 'original_start', 'own_fields']
const TIMES = ['timezone', 'start_local', 'end_local', 'start_utc', 'end_utc']
const TABLES: [string, Fields, string[]][] = [
  ...Object.entries(LINKED_FIELDS).map(([kind, fields]): [string, Fields, string[]] => [
    `${kind}s`,
    fields,
    kind === 'venue' ? [...RECORD, 'moves'] : RECORD,
  ]),
  ['events', eventFields, [...RECORD, ...TIMES, 'title_search', 'parent', 'password_hash', 'sequence', ...SERIES]],
]

describe('schema and tables', () => {
  let db: Database
  before(async () => {
    db = openDatabase(':memory:')
    await db.migrate()
  })
  after(() => db.close())

  for (const [table, fields, kept] of TABLES) {
    it(`agree on the columns of ${table}`, async () => {
      const { rows } = await db.read((tx) =>
        sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(tx),
      )
      const stored = Object.entries(fields).filter(([, field]) => field.stored)
      assert.deepEqual(
        rows.map((row) => row.name).sort(),
        [...kept, ...stored.map(([name]) => name)].sort(),
        `the columns of ${table} are not its stored fields: add a migration to src/storage/migrations`,
      )
    })
  }
})
