import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { ON_POSTGRES } from '../support/store.ts'

/** The database has no tables of ours, so no version of the data. */
const all = (db: Database) =>
  db.writeWithoutInvalidating(async (tx) => (await sql`select * from things`.execute(tx)).rows)
const run = (db: Database, ...statements: string[]) =>
  db.writeWithoutInvalidating(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })

describe('rows', { skip: ON_POSTGRES && 'of the embedded database' }, () => {
  it('are named as the columns of their table are when they are read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-rows-'))
    const [db, other] = [openDatabase(folder), openDatabase(folder)]
    try {
      await run(db, 'create table things (one text, two text)', "insert into things values ('1', '2')")
      assert.deepEqual(await all(db), [{ one: '1', two: '2' }])
      await run(other, "alter table things add column three text default '3'")
      assert.deepEqual(await all(db), [{ one: '1', two: '2', three: '3' }])
      await run(db, 'drop table things', 'create table things (two text, one text, three text)')
      await run(db, "insert into things values ('2', '1', null)")
      assert.deepEqual(await all(db), [{ two: '2', one: '1', three: null }])
    } finally {
      await Promise.all([db.close(), other.close()])
      rmSync(folder, { recursive: true })
    }
  })
})
