import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-threads-'))
  const store = await freshStore(folder)
  const db = openDatabase(store.where)
  await db.migrate()
  await db.write((tx) => sql`create table numbers (n bigint not null unique)`.execute(tx).then(() => {}))
  try {
    await work(db)
  } finally {
    await db.close()
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A query that takes about a second. */
const SLOW = sql<{ n: number }>`with recursive numbers(n) as
  (select 1 union all select n + 1 from numbers where n < ${sql.lit(ON_POSTGRES ? 2_000_000 : 4_000_000)})
  select max(n) as n from numbers`

/** The longest time in which the event loop did not turn while something was done, in milliseconds. */
async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  await work()
  longest = Math.max(longest, performance.now() - last)
  clearInterval(timer)
  return longest
}

describe('reads and writes of many rows', () => {
  it('leave the event loop to others while they run', async () => {
    await withDatabase(async (db) => {
      let took = 0
      const hold = await longestHold(async () => {
        const began = performance.now()
        await db.readMany(async (tx) => (await SLOW.execute(tx)).rows)
        await db.writeMany(async (tx) => (await SLOW.execute(tx)).rows)
        took = performance.now() - began
      })
      assert.ok(hold < took / 4, `the loop stood still for ${hold} of ${took} ms`)
    })
  })

  it('are of one moment, and see what was committed before they began', async () => {
    await withDatabase(async (db) => {
      await db.write((tx) => sql`insert into numbers values (1)`.execute(tx).then(() => {}))
      const count = sql<{ count: number }>`select count(*) as count from numbers`
      const counts = await db.readMany(async (tx) => {
        const first = await count.execute(tx)
        await db.write((other) => sql`insert into numbers values (2)`.execute(other).then(() => {}))
        return [first, await count.execute(tx)].map(({ rows }) => Number(rows[0]?.count))
      })
      assert.deepEqual(counts, [1, 1])
      assert.equal(Number((await db.readMany((tx) => count.execute(tx))).rows[0]?.count), 2)
    })
  })

  it('fail as others do, leave nothing behind, and go on', async () => {
    await withDatabase(async (db) => {
      await assert.rejects(
        db.readMany((tx) => sql`select * from nowhere`.execute(tx)),
        /nowhere/,
      )
      await assert.rejects(
        db.writeMany(async (tx) => {
          await sql`insert into numbers values (1)`.execute(tx)
          throw new Error('changed my mind')
        }),
        /changed my mind/,
      )
      const { rows } = await db.readMany((tx) => sql`select * from numbers`.execute(tx))
      assert.deepEqual(rows, [])
      const one = await db.readMany(async () => 1)
      assert.equal(one, 1)
    })
  })

  it('move the version of the data as other writes do', async () => {
    await withDatabase(async (db) => {
      const before = await db.version()
      await db.writeMany((tx) => sql`insert into numbers values (1)`.execute(tx).then(() => {}))
      assert.notEqual(await db.version(), before)
    })
  })
})

describe('a snapshot of few rows', () => {
  const countRows = sql<{ count: number }>`select count(*) as count from numbers`
  const countIn = async (read: Database['read']) => Number((await read((tx) => countRows.execute(tx))).rows[0]?.count)
  const add = (db: Database, n: number) =>
    db.write((tx) => sql`insert into numbers values (${n})`.execute(tx).then(() => {}))

  it('is of one moment, and is left as soon as many are read', async () => {
    await withDatabase(async (db) => {
      await add(db, 1)
      const began: number[] = []
      const counts = await db.snapshot(async (shared) => {
        began.push(await countIn(shared.read))
        await add(db, 1 + began.length)
        return [await countIn(shared.read), await countIn(shared.readMany), await countIn(shared.read)]
      }, 'few')
      const last = began.at(-1)
      assert.deepEqual(counts, [last, last, last])
      // On PostgreSQL all reads are alike.
      assert.deepEqual(began, ON_POSTGRES ? [1] : [1, 2])
      const few = await db.snapshot(async (shared) => [await countIn(shared.read), await countIn(shared.read)], 'few')
      assert.deepEqual(few, [began.length + 1, began.length + 1])
    })
  })

  it('is made again though the work has caught why, and fails as others do', async () => {
    await withDatabase(async (db) => {
      const found = await db.snapshot((shared) => countIn(shared.readMany).catch(() => 'nothing'), 'few')
      assert.equal(found, 0)
      const failing = db.snapshot(async (shared) => {
        await countIn(shared.read)
        throw new Error('changed my mind')
      }, 'few')
      await assert.rejects(failing, /changed my mind/)
      assert.equal(await db.snapshot((shared) => countIn(shared.read), 'few'), 0)
    })
  })

  it('leaves the event loop to others while many are read', async () => {
    await withDatabase(async (db) => {
      let took = 0
      const hold = await longestHold(async () => {
        const began = performance.now()
        await db.snapshot((shared) => shared.readMany(async (tx) => (await SLOW.execute(tx)).rows), 'few')
        took = performance.now() - began
      })
      assert.ok(hold < took / 4, `the loop stood still for ${hold} of ${took} ms`)
    })
  })
})
