import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { AppError } from '../../src/lib/errors.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/dialect.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

async function withDatabase(work: (db: Database, other: Database) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-single-'))
  const store = await freshStore(folder)
  const db = openDatabase(store.where)
  const other = openDatabase(store.where)
  await db.migrate()
  await db.write((tx) => sql`create table numbers (n bigint not null unique)`.execute(tx).then(() => {}))
  try {
    await work(db, other)
  } finally {
    await Promise.all([db.close(), other.close()])
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const add = (db: Database, n: number) =>
  db.write((tx) => sql`insert into numbers values (${n})`.execute(tx).then(() => {}))
const count = async (tx: Tx) =>
  Number((await sql<{ count: number }>`select count(*) as count from numbers`.execute(tx)).rows[0]?.count)

describe('reads at a version of the data', () => {
  for (const writer of ['this process', 'another one'])
    it(`never mix two versions when ${writer} writes in between`, async () => {
      await withDatabase(async (db, other) => {
        const version = await db.version()
        const counts = await db.readAt(version, async (tx) => {
          const before = await count(tx)
          await add(writer === 'this process' ? db : other, 1)
          return [before, await count(tx)]
        })
        // A transaction of PostgreSQL goes on with what it has seen at first.
        assert.deepEqual(counts, ON_POSTGRES ? [0, 0] : undefined)
        assert.equal(await db.readAt(version, count), undefined)
        assert.equal(await db.readAt(await db.version(), count), 1)
      })
    })

  it('go on while another one has not ended', async () => {
    await withDatabase(async (db) => {
      const version = await db.version()
      const inner = Promise.withResolvers<number | undefined>()
      const outer = db.readAt(version, async (tx) => [await count(tx), await inner.promise, await count(tx)])
      inner.resolve(await db.readAt(version, count))
      assert.deepEqual(await outer, [0, 0, 0])
    })
  })

  it('cannot write', async () => {
    await withDatabase(async (db) => {
      const insert = (tx: Tx) => sql`insert into numbers values (1)`.execute(tx)
      assert.equal(await db.readAt(await db.version(), insert).catch(() => undefined), undefined)
      assert.equal(await db.read(count), 0)
    })
  })

  it('throw what the work throws about data that is still there', async () => {
    await withDatabase(async (db) => {
      const fail = async (tx: Tx) => {
        await count(tx)
        throw new AppError('rest_no_route')
      }
      await assert.rejects(db.readAt(await db.version(), fail), AppError)
      const outdated = await db.version()
      await add(db, 1)
      // What was thrown may be about data of another version.
      if (!ON_POSTGRES) assert.equal(await db.readAt(outdated, fail), undefined)
    })
  })

  it('share the transaction of a snapshot', async () => {
    await withDatabase(async (db) => {
      const version = await db.version()
      const counts = await db.snapshot(async (shared) => {
        const before = await shared.readAt(version, count)
        await add(db, 1)
        return [before, await shared.readAt(version, count), await shared.readMany(count)]
      })
      assert.deepEqual(counts, [0, 0, 0])
    })
  })
})
