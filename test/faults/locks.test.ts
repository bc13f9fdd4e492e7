import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/storage/database.ts'
import { NO_SQLITE, runSqlite } from '../support/sqlite.ts'
import { serveProcesses } from '../support/workers.ts'

/**
 * SQLite locks the database file for as long as it is open. A process that opens the file by itself and closes it loses all
 * of its locks. Then another program takes itself for the last user, and removes the log with the latest writes.
 */
describe('a database file in use', () => {
  const skip = !existsSync('/proc/locks') && 'needs /proc/locks'

  it('is locked, whichever connections were opened and however often', { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-locks-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const db = openDatabase(folder)
    t.after(() => db.close())
    await db.migrate()
    await db.read(async () => {})
    await db.readMany((tx) => tx.selectFrom('users').select('id').execute())
    await db.writeMany((tx) => tx.deleteFrom('limits').execute())
    await db.version()
    const again = openDatabase(folder)
    await again.migrate()
    await again.close()
    const { ino } = statSync(join(folder, 'kalends.sqlite'))
    assert.match(readFileSync('/proc/locks', 'utf8'), new RegExp(`\\b${process.pid} \\w+:\\w+:${ino}\\b`))
  })

  for (const workers of ['1', '2']) {
    it(`loses no write when sqlite3 opens and closes it, with ${workers} workers`, { skip: NO_SQLITE }, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'kalends-locks-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const file = join(folder, 'kalends.sqlite')
      const served = await serveProcesses(['--data', folder, '--workers', workers])
      const connection = served.connect()
      const create = async (title: string) => {
        const json = { title, start_date: '2031-06-10', end_date: '2031-06-11' }
        assert.equal((await connection.send('POST', '/events', json)).status, 201)
      }
      // A list is read on another connection.
      await connection.send('GET', '/events')
      await create('Before')
      assert.equal((await runSqlite(file, 'select count(*) from events')).out, '1\n')
      assert.ok(existsSync(`${file}-wal`), 'the log was removed')
      await create('After')
      served.child.kill('SIGKILL')
      await served.closed
      const database = new DatabaseSync(file)
      const titles = database.prepare('select title from events order by id').all()
      database.close()
      assert.deepEqual(
        titles.map(({ title }) => title),
        ['Before', 'After'],
      )
    })
  }
})
