import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { openDatabase } from '../../src/storage/database.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

const PAGE = 4096

/** A folder with a database of 200 events, of which a page is damaged. */
async function damagedFolder(t: TestContext, table: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-damage-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const served = await serveProcesses(['--data', folder])
  const connection = served.connect()
  for (let n = 0; n < 50; n++) {
    const json = { title: `Event ${n}`, start_date: '2031-06-10', end_date: '2031-06-11', description: 'x'.repeat(900) }
    assert.equal((await connection.send('POST', '/events', json)).status, 201)
  }
  connection.close()
  served.child.kill('SIGTERM')
  await served.closed
  const file = join(folder, 'kalends.sqlite')
  const database = new DatabaseSync(file)
  const root = database.prepare('select rootpage from sqlite_schema where name = ?').get(table)?.rootpage
  database.close()
  const opened = openSync(file, 'r+')
  writeSync(opened, Buffer.alloc(PAGE, 0xa5), 0, PAGE, (Number(root) - 1) * PAGE)
  closeSync(opened)
  assert.ok(statSync(file).size > PAGE * Number(root))
  return folder
}

describe('a damaged database', () => {
  it('makes the service say that it is not ready, once a reader has met the damage', async (t) => {
    const folder = await damagedFolder(t, 'events')
    const served = await serveProcesses(['--data', folder], {}, { isNew: false })
    t.after(() => served.child.kill('SIGKILL'))
    const response = await fetch(`${served.url}/calendar/events/v1/events?start_date=2031-01-01`)
    assert.equal(response.status, 500)
    const ready = await fetch(`${served.url}/readyz`)
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'not ready', trouble: 'damaged' }])
    await eventually(() => /database disk image is malformed/.test(served.out()))
  })

  it('is found when it is looked through', async (t) => {
    const folder = await damagedFolder(t, 'imports')
    const db = openDatabase(folder)
    t.after(() => db.close())
    await db.migrate()
    assert.equal(await db.trouble(), null)
    assert.match((await db.inspect()) ?? '', /imports|page|malformed/i)
    assert.equal(await db.trouble(), 'damaged')
  })

  it('is not found where there is none', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-damage-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const db = openDatabase(folder)
    await db.migrate()
    assert.deepEqual([await db.inspect(), await db.trouble()], [null, null])
    await db.close()
  })
})
