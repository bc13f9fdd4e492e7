import assert from 'node:assert/strict'
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { runKalends, serveRefused } from '../support/processes.ts'
import { type Served, serveProcesses } from '../support/workers.ts'

const REFUSED = /kalends\.sqlite-wal, do not belong together.*remove kalends\.sqlite-wal and kalends\.sqlite-shm/

const PAGE = 4096

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-log-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The ways in which people copy a database that is in use. */
const COPIES: Record<string, (from: string, to: string) => Promise<unknown> | unknown> = {
  'VACUUM INTO': (from, to) => {
    const database = new DatabaseSync(from)
    database.exec(`vacuum into '${to}'`)
    database.close()
  },
  'the backup interface': async (from, to) => {
    const database = new DatabaseSync(from)
    await backup(database, to)
    database.close()
  },
}

async function create(served: Served, title: string): Promise<void> {
  const json = { title, start_date: '2031-06-10', end_date: '2031-06-11' }
  const connection = served.connect()
  assert.equal((await connection.send('POST', '/events', json, { authorization: served.authorization })).status, 201)
  connection.close()
}

async function kill(served: Served): Promise<void> {
  served.child.kill('SIGKILL')
  await served.closed
}

function titlesIn(file: string): unknown[] {
  const database = new DatabaseSync(file)
  const titles = database.prepare('select title from events order by id').all()
  const [checked] = database.prepare('pragma integrity_check').all()
  database.close()
  assert.equal(checked?.integrity_check, 'ok')
  return titles.map(({ title }) => title)
}

describe('a service on a database file that was replaced beside its log', () => {
  for (const [way, copy] of Object.entries(COPIES)) {
    it(`is refused, whenever the copy was made by ${way}, and starts without the log`, async (t) => {
      const folder = folderOf(t)
      const file = join(folder, 'kalends.sqlite')
      const first = await serveProcesses(['--data', folder])
      await copy(file, join(folder, 'at-the-start'))
      await create(first, 'One')
      await copy(file, join(folder, 'after-one'))
      await create(first, 'Two')
      await copy(file, join(folder, 'after-two'))
      await create(first, 'Three')
      await kill(first)
      const wal = readFileSync(`${file}-wal`)
      for (const name of ['at-the-start', 'after-one', 'after-two']) {
        copyFileSync(join(folder, name), file)
        const { code, err } = await serveRefused(['--data', folder])
        assert.deepEqual([code, REFUSED.test(err)], [1, true], err)
        assert.deepEqual(readFileSync(`${file}-wal`), wal)
        assert.deepEqual(readFileSync(file), readFileSync(join(folder, name)))
      }
      assert.match((await serveRefused(['--workers', '2', '--data', folder])).err, REFUSED)
      assert.match((await runKalends(['user', 'list', '--data', folder])).err, REFUSED)
      rmSync(`${file}-wal`)
      rmSync(`${file}-shm`, { force: true })
      await kill(await serveProcesses(['--data', folder], {}, { isNew: false }))
      assert.deepEqual(titlesIn(file), ['One', 'Two'])
    })
  }

  it('is refused when the copy was made while the service was stopped', async (t) => {
    const folder = folderOf(t)
    const file = join(folder, 'kalends.sqlite')
    const first = await serveProcesses(['--data', folder])
    await create(first, 'One')
    first.child.kill('SIGTERM')
    await first.closed
    copyFileSync(file, join(folder, 'copy'))
    const second = await serveProcesses(['--data', folder], {}, { isNew: false })
    await create({ ...second, authorization: first.authorization }, 'Two')
    await kill(second)
    copyFileSync(join(folder, 'copy'), file)
    assert.match((await serveRefused(['--data', folder])).err, REFUSED)
  })

  it('is refused when the file is missing or empty', async (t) => {
    const folder = folderOf(t)
    const file = join(folder, 'kalends.sqlite')
    await kill(await serveProcesses(['--data', folder]))
    writeFileSync(file, '')
    const refused = /is missing or empty, and the log of a former database lies beside it/
    assert.match((await serveRefused(['--data', folder])).err, refused)
    rmSync(file)
    assert.match((await serveRefused(['--data', folder])).err, refused)
    assert.ok(!existsSync(file))
  })
})

describe('a service that was killed', () => {
  it('starts again with all that was written, also from a copy of the whole folder', async (t) => {
    const folder = folderOf(t)
    const data = join(folder, 'data')
    const first = await serveProcesses(['--data', data])
    for (let n = 1; n <= 3; n++) await create(first, `Event ${n}`)
    await kill(first)
    cpSync(data, join(folder, 'moved'), { recursive: true })
    for (const place of [data, join(folder, 'moved')]) {
      // Killed again, and started once more, with the same log.
      await kill(await serveProcesses(['--data', place], {}, { isNew: false }))
      await kill(await serveProcesses(['--data', place, '--workers', '2'], {}, { isNew: false }))
      assert.deepEqual(titlesIn(join(place, 'kalends.sqlite')), ['Event 1', 'Event 2', 'Event 3'])
    }
  })
})

describe('a database file and its log, as a crash leaves them', () => {
  /** Writes rows, of which some are large, so that the file grows and pages are freed. */
  async function write(db: Database, n: number): Promise<void> {
    await db.write(async (tx) => {
      await sql`insert into rows values (${n}, ${'x'.repeat((n * 977) % 9000)})`.execute(tx)
      if (n % 3 === 0) await sql`delete from rows where n = ${n - 2}`.execute(tx)
    })
  }

  /** The file after a checkpoint that was interrupted when some of the pages were written. */
  function mixed(before: Buffer, after: Buffer, pages: number): Buffer {
    return Buffer.concat([after.subarray(0, pages * PAGE), before.subarray(pages * PAGE)])
  }

  const open = async (folder: string) => {
    const db = openDatabase(folder)
    try {
      await db.read((tx) => sql`select count(*) from rows`.execute(tx))
    } finally {
      await db.close()
    }
  }

  it('are opened at every moment, and with every other copy either refused or found undamaged', async (t) => {
    const folder = folderOf(t)
    const data = join(folder, 'data')
    const file = join(data, 'kalends.sqlite')
    const outside = join(folder, 'outside')
    const copies: string[] = []
    const crashes: [database: Buffer, log: Buffer][] = []
    const db = openDatabase(data)
    await db.migrate()
    await db.write((tx) => sql`create table rows (n integer primary key, text text)`.execute(tx).then(() => {}))
    const other = new DatabaseSync(file)
    for (let n = 1; n <= 40; n++) {
      const before = readFileSync(file)
      await write(db, n)
      // Another program writes, too, and moves the log to the file in its own time.
      if (n % 7 === 0) other.exec(`insert into rows values (${1000 + n}, 'by another')`)
      if (n % 11 === 0) other.exec(`create table other_${n} (n)`)
      if (n % 5 === 0) {
        const log = readFileSync(`${file}-wal`)
        other.exec('pragma wal_checkpoint(passive)')
        const after = readFileSync(file)
        for (const pages of [1, 2, Math.floor(after.length / PAGE / 2)])
          crashes.push([mixed(before, after, pages), log])
      }
      crashes.push([readFileSync(file), readFileSync(`${file}-wal`)])
      if (n % 4 === 0) {
        const way = Object.keys(COPIES)[(n / 4) % 2] ?? ''
        const name = join(folder, `copy-${n}`)
        await COPIES[way]?.(file, name)
        copies.push(name)
      }
    }
    other.close()
    await db.close()
    const restore = (database: Buffer | string, log: Buffer) => {
      rmSync(outside, { recursive: true, force: true })
      cpSync(data, outside, { recursive: true })
      if (typeof database === 'string') copyFileSync(database, join(outside, 'kalends.sqlite'))
      else writeFileSync(join(outside, 'kalends.sqlite'), database)
      writeFileSync(join(outside, 'kalends.sqlite-wal'), log)
    }
    for (const [database, log] of crashes) {
      restore(database, log)
      await open(outside)
    }
    let refused = 0
    for (const [n, [, log]] of crashes.entries()) {
      const copy = copies[n % copies.length] ?? ''
      restore(copy, log)
      try {
        await open(outside)
        titlesIn(join(outside, 'kalends.sqlite'))
      } catch (error) {
        assert.match(String(error), REFUSED)
        refused++
      }
    }
    assert.ok(refused > crashes.length * 0.9, `${refused} of ${crashes.length} were refused`)
  })

  it('are opened if they are of a version that wrote no stamps', async (t) => {
    const folder = folderOf(t)
    const data = join(folder, 'data')
    const file = join(data, 'kalends.sqlite')
    const made = openDatabase(data)
    await made.migrate()
    await made.close()
    const old = new DatabaseSync(file)
    old.exec('pragma user_version = 0; pragma wal_checkpoint(truncate); create table rows (n integer)')
    for (let n = 0; n < 100; n++) old.exec(`insert into rows values (${n})`)
    cpSync(data, join(folder, 'crashed'), { recursive: true })
    old.exec(`vacuum into '${join(folder, 'copy')}'`)
    old.close()
    await open(join(folder, 'crashed'))
    const again = openDatabase(join(folder, 'crashed'))
    await again.migrate()
    await again.close()
    rmSync(join(folder, 'crashed'), { recursive: true })
  })
})
