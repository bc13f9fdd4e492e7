import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { copyDatabase } from '../../src/storage/copy.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { type Json, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

const skip = !ON_POSTGRES && 'needs PostgreSQL'
const quiet = () => {}

describe('copying a database', { skip }, () => {
  it('moves everything to SQLite and back, takes up what was interrupted, and goes on with new ids', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-copy-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const service = await startService()
    t.after(() => service.close())
    const json = {
      title: 'Copied',
      start_date: '2031-06-10',
      end_date: '2031-06-11',
      venue: { venue: 'V', geo_lat: 1.5, geo_lng: -2.25 },
      organizer: [{ organizer: 'O' }, { organizer: 'P' }],
      tags: ['t', 'ü'],
      tickets: [{ name: 'T' }],
    }
    const ids: number[] = []
    for (let n = 0; n < 40; n++)
      ids.push(
        (
          await service.expect(201, 'editor', '/events', {
            json: { ...json, title: `Copied ${n}`, all_day: n % 2 === 0 },
          })
        ).id,
      )
    await service.expect(200, 'editor', `/events/${ids[0]}`, {
      method: 'PATCH',
      json: { parent: ids[9], password: 'x' },
    })
    const embedded = openDatabase(join(folder, 'one'))
    t.after(() => embedded.close())
    // The first attempt breaks off in the middle.
    let writes = 0
    const breaking: Database = {
      ...embedded,
      write: (work) => (++writes > 6 ? Promise.reject(new Error('gone')) : embedded.write(work)),
    }
    await assert.rejects(copyDatabase(service.db, breaking, 'a source', quiet), /gone/)
    await assert.rejects(copyDatabase(service.db, embedded, 'another source', quiet), /unfinished copy of a source/)
    const counts = await copyDatabase(service.db, embedded, 'a source', quiet)
    assert.deepEqual([counts.events, counts.event_terms, counts.tickets, counts.users], [40, 80, 40, 5])
    await assert.rejects(copyDatabase(service.db, embedded, 'a source', quiet), /not empty/)
    const store = await freshStore('')
    const back = openDatabase(store.where)
    t.after(async () => {
      await back.close()
      await store.drop()
    })
    assert.deepEqual(await copyDatabase(embedded, back, 'back', quiet), counts)
    const near = await back.read((tx) => tx.selectFrom('venues').select('geo_lat').execute())
    assert.deepEqual(near, [{ geo_lat: 1.5 }])
  })

  it('is a command', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-copy-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const run = (...args: string[]): Promise<Json> =>
      promisify(execFile)(process.execPath, [join(ROOT, 'bin/kalends.js'), ...args]).catch((error) => error)
    await run('user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--data', join(folder, 'a'))
    const store = await freshStore('')
    t.after(() => store.drop())
    const copied = await run('copy', '--from', `sqlite:${join(folder, 'a')}`, '--to', store.where)
    assert.match(copied.stdout, /users +1 of 1.*Copied and verified 1 rows/s)
    assert.match(
      (await run('copy', '--from', `sqlite:${join(folder, 'a')}`, '--to', store.where)).stderr,
      /^kalends: the target is not empty/,
    )
    assert.match((await run('copy', '--from', 'x', '--to', store.where)).stderr, /^kalends: --from must be/)
  })
})
