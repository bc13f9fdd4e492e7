import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { CHECKPOINT } from '../../src/storage/sqlite/connection.ts'
import { ON_POSTGRES } from '../support/store.ts'

const PAGE = 4096
/** Pages that one write changes. */
const PAGES = 50

describe('the WAL of SQLite', { skip: ON_POSTGRES && 'PostgreSQL has its own' }, () => {
  let folder: string
  let db: Database
  let number = 0

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-checkpoints-'))
    db = openDatabase(folder)
    await db.migrate()
    await db.write((tx) => sql`create table blobs (n integer primary key, content blob)`.execute(tx))
  })
  after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })

  const path = () => join(folder, 'kalends.sqlite')
  const pagesOfLog = () => statSync(`${path()}-wal`).size / PAGE
  const pagesOfFile = () => statSync(path()).size / PAGE
  const writeMuch = async (times: number) => {
    for (let n = 0; n < times; n++)
      await db.write((tx) => sql`insert into blobs values (${++number}, zeroblob(${PAGES * PAGE}))`.execute(tx))
  }
  const writers = (count: number, times: number) => Promise.all(Array.from({ length: count }, () => writeMuch(times)))

  it('is copied to the file, and begins anew, while writers go on', async () => {
    await writers(4, 150)
    const written = number * PAGES
    assert.ok(written > 6 * CHECKPOINT)
    assert.ok(pagesOfLog() < 3 * CHECKPOINT, `the WAL has ${pagesOfLog()} of ${written} pages`)
    assert.ok(pagesOfFile() > written - 3 * CHECKPOINT, `the file has ${pagesOfFile()} of ${written} pages`)
  })

  it('begins anew after a reader that needed it is gone', async () => {
    const reader = new DatabaseSync(path(), { readOnly: true })
    reader.exec('begin; select count(*) from blobs')
    const read = reader.prepare('select count(*) as n from blobs')
    const seen = read.get()?.n
    await writers(4, 60)
    assert.equal(read.get()?.n, seen)
    const grown = pagesOfLog()
    assert.ok(grown > 240 * PAGES, 'the WAL was overwritten while somebody read it')
    reader.exec('rollback')
    reader.close()
    await writers(4, 150)
    assert.ok(pagesOfLog() <= grown + 3 * CHECKPOINT, `the WAL has grown from ${grown} to ${pagesOfLog()} pages`)
    const { rows } = await db.read((tx) => sql<{ n: number }>`select count(*) as n from blobs`.execute(tx))
    assert.equal(rows[0]?.n, number)
  })

  it('is copied by another thread', async () => {
    const other = new DatabaseSync(path())
    const state = other.prepare('pragma wal_checkpoint(noop)')
    // What a commit in the main thread copies is copied when it is over.
    let most = 0
    for (let n = 0; n < 6 * (CHECKPOINT / PAGES); n++) {
      await writeMuch(1)
      const { log, checkpointed } = state.get() as Record<string, number>
      most = Math.max(most, Number(log) - Number(checkpointed))
    }
    other.close()
    assert.ok(most >= CHECKPOINT, `at most ${most} pages waited`)
  })
})
