import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/dialect.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

/** A database with a table of names, and what tells of every query. */
async function withDatabase(work: (db: Database, where: string, queries: string[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-commits-'))
  const store = await freshStore(folder)
  const queries: string[] = []
  const db = openDatabase(store.where, { onQuery: (text) => queries.push(text) })
  await db.migrate()
  await db.write((tx) => sql`create table names (name text not null)`.execute(tx).then(() => {}))
  queries.length = 0
  try {
    await work(db, store.where, queries)
  } finally {
    await db.close()
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const add = (tx: Tx, name: string) => sql`insert into names values (${name})`.execute(tx)
const names = async (db: Database) =>
  db.read(async (tx) => {
    const { rows } = await sql<{ name: string }>`select name from names order by name`.execute(tx)
    return rows.map(({ name }) => name).join(' ')
  })

describe('writers at the same time', () => {
  it('go on after a row whose id is larger than a number, as full-text indexes have', { skip: ON_POSTGRES }, () =>
    withDatabase(async (db) => {
      const large = sql`insert into names (rowid, name) values (9009535716950016, 'large')`
      await db.write((tx) => large.execute(tx).then(() => {}))
      await assert.rejects(
        db.write(async (tx) => {
          await add(tx, 'refused')
          throw new Error('refused')
        }),
        /refused/,
      )
      await db.write((tx) => add(tx, 'next'))
      assert.equal(await names(db), 'large next')
    }),
  )

  it('are told when others can see what they wrote', () =>
    withDatabase(async (db, where) => {
      const other = openDatabase(where)
      await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (name) => {
          await db.write((tx) => add(tx, name))
          assert.ok((await names(other)).split(' ').includes(name))
        }),
      )
      await other.close()
    }))

  it('fail each by itself', () =>
    withDatabase(async (db) => {
      const told = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((name) =>
          db.write(async (tx) => {
            await add(tx, name)
            if (name === 'b') throw new Error('no')
            if (name === 'c') await sql`insert into names values (null)`.execute(tx)
            return name
          }),
        ),
      )
      assert.deepEqual(
        told.map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
        ['a', 'failed', 'failed', 'd'],
      )
      assert.equal(await names(db), 'a d')
    }))

  it('do not wait for one who writes much', () =>
    withDatabase(async (db) => {
      let finish = () => {}
      const finished = new Promise<void>((resolve) => {
        finish = resolve
      })
      const before = db.write((tx) => add(tx, 'before'))
      const much = db.writeMany(async (tx) => {
        await add(tx, 'much')
        await finished
      })
      await before
      assert.equal(await names(db), 'before')
      finish()
      await Promise.all([much, db.write((tx) => add(tx, 'behind'))])
      assert.equal(await names(db), 'before behind much')
    }))

  it('are all heard before the database is closed', { skip: ON_POSTGRES && 'nobody waits there' }, () =>
    withDatabase(async (db, where) => {
      const again = openDatabase(where)
      const writing = Promise.all(['a', 'b'].map((name) => again.write((tx) => add(tx, name))))
      await again.close()
      await writing
      assert.equal(await names(db), 'a b')
    }),
  )

  it('share commits', { skip: ON_POSTGRES && 'PostgreSQL does that by itself' }, () =>
    withDatabase(async (db, _, queries) => {
      await Promise.all(Array.from({ length: 10 }, (_, n) => db.write((tx) => add(tx, String(n)))))
      assert.equal(queries.filter((text) => text === 'commit').length, 1)
      assert.equal(await names(db), '0 1 2 3 4 5 6 7 8 9')
    }),
  )

  it('have savepoints once one of them was refused', { skip: ON_POSTGRES && 'each has a transaction of its own' }, () =>
    withDatabase(async (db, _, queries) => {
      const together = (refused: string) =>
        Promise.allSettled(
          ['a', 'b', 'c'].map((name) =>
            db.write(async (tx) => {
              await add(tx, name)
              if (name === refused) throw new Error('no')
            }),
          ),
        )
      const savepoints = () => queries.filter((text) => text === 'savepoint part').length
      await together('')
      assert.equal(savepoints(), 0)
      await together('b')
      await together('')
      assert.equal(savepoints(), 6)
      assert.equal(await names(db), 'a a a b b c c c')
    }),
  )

  it('who fail to be committed are all told', { skip: ON_POSTGRES && 'each has a commit of its own' }, () =>
    withDatabase(async (db) => {
      await db.write((tx) =>
        sql`create table parts (event integer references events (id) deferrable initially deferred)`.execute(tx),
      )
      const version = await db.version()
      const told = await Promise.allSettled([
        db.write((tx) => add(tx, 'a')),
        // Looked at when it is committed.
        db.write((tx) => sql`insert into parts values (1)`.execute(tx)),
      ])
      assert.deepEqual(
        told.map(({ status }) => status),
        ['rejected', 'rejected'],
      )
      assert.equal(await names(db), '')
      assert.notEqual(await db.version(), version)
    }),
  )
})
