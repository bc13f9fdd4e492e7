import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { insertLater, prepared } from '../../src/storage/prepared.ts'
import { inSavepoint } from '../../src/storage/savepoint.ts'
import type { Tables } from '../../src/storage/tables.ts'
import { startService } from '../support/service.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

const skip = !ON_POSTGRES && 'needs PostgreSQL'

/** A database with one connection, and a table of names that are there once. */
async function withNames(work: (db: Database) => Promise<void>): Promise<void> {
  const store = await freshStore('')
  const pool = { connections: 1, connectTimeout: 3, queryTimeout: 10, idleTimeout: 30 }
  const db = openDatabase(store.where, { pool })
  try {
    await db.migrate()
    await db.write(async (tx) => {
      await sql`create table names (name text primary key)`.execute(tx)
    })
    await work(db)
  } finally {
    await db.close()
    await store.drop()
  }
}

const statement = <Row>(text: (db: Kysely<Tables>, value: unknown) => ReturnType<typeof sql<Row>>) =>
  prepared<Row, [string]>((db, value) => ({ compile: () => text(db, value).compile(db) }))
const add = statement<object>((_, name) => sql<object>`insert into names values (${name})`)
const find = statement<{ name: string }>(
  (_, name) => sql<{ name: string }>`select name from names where name = ${name}`,
)
const names = (db: Database) =>
  db.read(async (tx) => {
    const { rows } = await sql<{ name: string }>`select name from names order by name`.execute(tx)
    return rows.map(({ name }) => name).join(' ')
  })
/** An error of no table, which is not tried again. */
const fail = statement<object>((_, name) => sql<object>`select name from nowhere where name = ${name}`)
const namedStatements = (db: Database) =>
  db.read(async (tx) => {
    const found = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(tx)
    return found.rows.map(({ statement }) => statement)
  })

describe('statements that are sent together', { skip }, () => {
  it('see what those before them have done, and answer each its own', () =>
    withNames(async (db) => {
      const found = await db.write(async (tx) => {
        await add.later(tx, 'a')
        const [none, one] = await Promise.all([find(tx, 'b'), find(tx, 'a'), add.later(tx, 'c')])
        return [none, one, await find(tx, 'c')]
      })
      assert.deepEqual(found, [[], [{ name: 'a' }], [{ name: 'c' }]])
      assert.equal(await names(db), 'a c')
    }))

  it('fail with the error of the first that has failed, and undo the transaction', () =>
    withNames(async (db) => {
      const failing = db.write(async (tx) => {
        await add.later(tx, 'a')
        await fail.later(tx, 'x')
        await add.later(tx, 'b')
        await find(tx, 'a')
      })
      await assert.rejects(failing, /nowhere/)
      await assert.rejects(
        db.write(async (tx) => {
          await add(tx, 'c')
          await fail.later(tx, 'x')
        }),
        /nowhere/,
      )
      await db.write((tx) => add(tx, 'd'))
      assert.equal(await names(db), 'd')
    }))

  it('undo no more than their savepoint', () =>
    withNames(async (db) => {
      await db.write(async (tx) => {
        await add.later(tx, 'a')
        await assert.rejects(
          inSavepoint(tx, async () => {
            await add.later(tx, 'b')
            await fail.later(tx, 'x')
          }),
          /nowhere/,
        )
        const refused = inSavepoint(tx, async () => {
          await add.later(tx, 'c')
          await fail.later(tx, 'x')
          throw new Error('refused')
        })
        await assert.rejects(refused, /refused/)
        await inSavepoint(tx, () => add.later(tx, 'd'))
      })
      assert.equal(await names(db), 'a d')
    }))

  it('are tried again with their transaction after a conflict', () =>
    withNames(async (db) => {
      await db.write((tx) => add(tx, 'a'))
      let attempts = 0
      await db.write(async (tx) => {
        attempts++
        await add.later(tx, attempts === 1 ? 'a' : 'b')
        await find(tx, 'a')
      })
      assert.equal(attempts, 2)
      assert.equal(await names(db), 'a b')
    }))

  it('are as many as there are', () =>
    withNames(async (db) => {
      await db.write(async (tx) => {
        for (let n = 0; n < 350; n++) await add.later(tx, `name ${n}`)
      })
      assert.equal((await names(db)).match(/name/g)?.length, 350)
    }))

  it('are none if nothing is asked', () =>
    withNames(async (db) => {
      assert.equal(await db.read(async () => 1), 1)
      await assert.rejects(
        db.write(async () => {
          throw new Error('refused')
        }),
        /refused/,
      )
      assert.equal(await names(db), '')
    }))

  it('are refused when their transaction has ended', () =>
    withNames(async (db) => {
      const ended = await db.write(async (tx) => {
        await add(tx, 'a')
        return { tx }
      })
      await assert.rejects(add(ended.tx, 'stray'), /already/)
      await db.write(async (tx) => {
        await add(tx, 'b')
        await assert.rejects(add(ended.tx, 'stray'), /already/)
      })
      assert.equal(await names(db), 'a b')
    }))

  it('may have bytes, numbers and nothing as values, and no objects', () =>
    withNames(async (db) => {
      const stored = await db.read(async (tx) => {
        const values = sql<object>`select cast(${new Uint8Array([0, 255])} as bytea) as bytes,
          cast(${1.5} as double precision) as number, cast(${2n ** 40n} as bigint) as large, cast(${null} as text) as nothing`
        return (await values.execute(tx)).rows
      })
      assert.deepEqual(stored, [{ bytes: Buffer.from([0, 255]), number: 1.5, large: 2 ** 40, nothing: null }])
      await assert.rejects(
        db.write((tx) => insertLater(tx, 'settings', [{ name: 'x', value: { no: 'text' } }])),
        TypeError,
      )
      await db.write((tx) => add(tx, 'a'))
    }))
})

describe('names of statements', { skip }, () => {
  it('are those of statements that are sent often in writes', () =>
    withNames(async (db) => {
      for (let n = 0; n < 5; n++)
        await db.write(async (tx) => {
          await add(tx, `${n}`)
          if (n < 2) await find(tx, 'a')
        })
      const named = await namedStatements(db)
      assert.equal(named.filter((text) => text.startsWith('insert into names')).length, 1)
      assert.equal(named.filter((text) => text.startsWith('select name from names')).length, 0)
    }))

  it('are given up behind a pooler that does not know them, and nothing is written twice', () =>
    withNames(async (db) => {
      for (let n = 0; n < 5; n++) await db.write((tx) => add(tx, `${n}`))
      await db.write(async (tx) => {
        await sql`deallocate all`.execute(tx)
      })
      for (let n = 5; n < 8; n++) await db.write((tx) => add(tx, `${n}`))
      assert.equal(await names(db), '0 1 2 3 4 5 6 7')
      assert.deepEqual(await namedStatements(db), [])
    }))

  it('stay when a statement of a savepoint has failed', () =>
    withNames(async (db) => {
      for (let n = 0; n < 3; n++) await db.write((tx) => add(tx, `${n}`))
      let attempts = 0
      await db.write(async (tx) => {
        attempts++
        // The server skips the statement that has its name for the first time.
        const failing = inSavepoint(tx, async () => {
          await fail.later(tx, 'x')
          await add.later(tx, '3')
        })
        await assert.rejects(failing, /nowhere/)
        await add(tx, '4')
      })
      await db.write((tx) => add(tx, '5'))
      assert.equal(attempts, 1)
      assert.equal(await names(db), '0 1 2 4 5')
      assert.ok((await namedStatements(db)).some((text) => text.startsWith('insert into names')))
    }))

  it('that are missing do not fail a question for the version', () =>
    withNames(async (db) => {
      for (let n = 0; n < 6; n++) assert.equal(await db.isCurrent('0'), false)
      await db.write(async (tx) => {
        await sql`deallocate all`.execute(tx)
      })
      assert.equal(await db.isCurrent('0'), false)
      assert.equal(await db.isCurrent(await db.version()), true)
    }))

  it('are given anew when a later version adds columns', async () => {
    const service = await startService({ writesTables: true })
    const json = { title: 'One', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00', tags: ['t'] }
    const createSome = () =>
      Promise.all(Array.from({ length: 12 }, () => service.expect(201, 'administrator', '/events', { json })))
    for (let n = 0; n < 3; n++) await createSome()
    await service.db.write(async (tx) => {
      await sql`alter table events add column later text`.execute(tx)
      await sql`alter table terms add column later text`.execute(tx)
    })
    for (let n = 0; n < 3; n++) await createSome()
    await service.close()
  })
})
