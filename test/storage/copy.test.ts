import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { copyDatabase } from '../../src/storage/copy.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { add } from '../../src/storage/jobs.ts'
import { openAddress } from '../../src/store.ts'
import { runCommand } from '../support/commands.ts'
import { serveRefused } from '../support/processes.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'
import { some } from '../support/thorough.ts'

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
    await service.db.write((tx) => add(tx, { kind: 'mail', key: '7', payload: { to: 'ü' } }))
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
    assert.deepEqual([counts.events, counts.event_terms, counts.tickets, counts.users, counts.jobs], [40, 80, 40, 5, 1])
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
    await runCommand([
      'user',
      'add',
      'zoe',
      '--role',
      'editor',
      '--email',
      'zoe@example.org',
      '--data',
      join(folder, 'a'),
    ])
    const store = await freshStore('')
    t.after(() => store.drop())
    const copied = await runCommand(['copy', '--from', `sqlite:${join(folder, 'a')}`, '--to', store.where])
    assert.match(copied.out, /users +1 of 1.*audit +1 of 1.*Copied and verified 2 rows/s)
    assert.match(
      (await runCommand(['copy', '--from', `sqlite:${join(folder, 'a')}`, '--to', store.where])).err,
      /^kalends: the target is not empty/,
    )
    assert.match((await runCommand(['copy', '--from', 'x', '--to', store.where])).err, /^kalends: --from must be/)
  })

  it('may take longer than a request', async (t) => {
    const store = await freshStore('')
    const db = openAddress(store.where)
    t.after(async () => {
      await db?.close()
      await store.drop()
    })
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      const shown = await db?.readMany((tx) => sql<Record<string, string>>`show ${sql.raw(name)}`.execute(tx))
      assert.equal(shown?.rows[0]?.[name], '0', name)
    }
  })
})

describe('a copy of a source that is in use', () => {
  const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }

  async function start(t: TestContext): Promise<{ service: Service; folder: string; target: string }> {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-copy-'))
    const service = await startService({ folder: join(folder, 'source') })
    t.after(async () => {
      await service.close()
      rmSync(folder, { recursive: true })
    })
    return { service, folder, target: join(folder, 'target') }
  }

  const create = (service: Service, title: string) =>
    service.expect(201, 'editor', '/events', {
      json: { title, ...WHEN, tags: ['all', title], venue: { venue: `Venue ${title}` } },
    })

  /** A target whose connection breaks after some writes. */
  const breaking = (db: Database, after: number): Database => {
    let writes = 0
    return { ...db, write: (work) => (++writes > after ? Promise.reject(new Error('gone')) : db.write(work)) }
  }

  it('is of one moment, and ends', async (t) => {
    const { service, target } = await start(t)
    for (let n = 0; n < 20; n++) await create(service, `Before ${n}`)
    const copied = openDatabase(target)
    t.after(() => copied.close())
    let isRunning = true
    let written = 0
    const writing = (async () => {
      for (; isRunning; written++) {
        const { id } = await create(service, `During ${written}`)
        await service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json: { title: `Changed ${written}` } })
        if (written % 3 === 0) await service.expect(200, 'editor', `/events/${id}?force=true`, { method: 'DELETE' })
      }
    })()
    const counts = await copyDatabase(service.db, copied, 'a source', quiet).finally(() => {
      isRunning = false
    })
    await writing
    assert.ok(written > 0)
    const [events, all] = await copied.read(async (tx) => [
      await tx.selectFrom('events').select('id').execute(),
      await tx.selectFrom('terms').select('count').where('name', '=', 'all').executeTakeFirstOrThrow(),
    ])
    assert.equal(events.length, counts.events)
    assert.equal(all.count, counts.events)
    assert.equal(await copied.unfinishedCopy(), null)
  })

  it('is refused by every command while it is unfinished, also as a source, and can be finished', async (t) => {
    const { service, folder, target } = await start(t)
    for (let n = 0; n < 5; n++) await create(service, `Event ${n}`)
    const copied = openDatabase(target)
    await assert.rejects(copyDatabase(service.db, breaking(copied, 8), 'a source', quiet), /gone/)
    await copied.close()
    const refused = /^kalends: the database holds an unfinished copy of a source: .*--restart/
    for (const args of [
      ['user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org'],
      ['user', 'list'],
      ['token', 'create', 'editor'],
      ['migrate'],
      ['export', '--format', 'json'],
      ['import', join(ROOT, 'package.json')],
    ]) {
      const { code, err } = await runCommand([...args, '--data', target])
      assert.deepEqual([code, refused.test(err)], [1, true], `${args.join(' ')}: ${err}`)
    }
    for (const workers of some(['2', '1'], 1))
      assert.match((await serveRefused(['--data', target, '--workers', workers])).err, refused)
    const again = openDatabase(target)
    t.after(() => again.close())
    const third = openDatabase(join(folder, 'third'))
    await assert.rejects(copyDatabase(again, third, 'a copy', quiet), /the source itself holds an unfinished copy/)
    await third.close()
    await copyDatabase(service.db, again, 'a source', quiet)
    assert.equal((await again.read((tx) => tx.selectFrom('events').select('id').execute())).length, 5)
    await again.migrate()
  })

  it('that was interrupted, and whose source was changed then, says so and begins anew', async (t) => {
    const { service, target } = await start(t)
    const events: Json[] = []
    for (let n = 0; n < 5; n++) events.push(await create(service, `Event ${n}`))
    await service.expect(200, 'editor', `/events/${events[0].id}`, { method: 'PATCH', json: { parent: events[4].id } })
    const copied = openDatabase(target)
    t.after(() => copied.close())
    await assert.rejects(copyDatabase(service.db, breaking(copied, 14), 'a source', quiet), /gone/)
    await service.expect(200, 'editor', `/events/${events[1].id}`, { method: 'PATCH', json: { title: 'Changed' } })
    await assert.rejects(
      copyDatabase(service.db, copied, 'a source', quiet),
      /changed after the copy was begun.*--restart/,
    )
    await assert.rejects(copyDatabase(service.db, copied, 'other', quiet), /unfinished copy of a source: --restart/)
    const counts = await copyDatabase(service.db, copied, 'other', quiet, { restart: true })
    assert.equal(counts.events, 5)
    const titles = await copied.read((tx) => tx.selectFrom('events').select('title').orderBy('id').execute())
    assert.equal(titles[1]?.title, 'Changed')
    // What is no unfinished copy is not removed.
    await assert.rejects(copyDatabase(service.db, copied, 'other', quiet, { restart: true }), /not empty/)
  })
})
