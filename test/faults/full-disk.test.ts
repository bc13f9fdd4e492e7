import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { runKalends, serveRefused } from '../support/processes.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { mountDisk, NO_DISK, NO_LIMIT, type SmallDisk } from '../support/small-disk.ts'
import { addressOf, ON_POSTGRES, onServer } from '../support/store.ts'
import { eventually, type Served, serveProcesses } from '../support/workers.ts'

const EVENT = { title: 'An event', start_date: '2031-06-10', end_date: '2031-06-11' }

/** A calendar with many events. */
const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//test//EN',
  ...Array.from({ length: 500 }, (_, n) => [
    'BEGIN:VEVENT',
    `UID:${n}@example.org`,
    'DTSTART:20310610T100000Z',
    `SUMMARY:Imported ${n}`,
    'END:VEVENT',
  ]).flat(),
  'END:VCALENDAR',
  '',
].join('\r\n')

describe('a service whose disk is full', { skip: NO_DISK || (ON_POSTGRES && 'is about files') }, () => {
  let disk: SmallDisk
  let served: Served
  let picture: Buffer
  before(async () => {
    disk = mountDisk(48)
    served = await serveProcesses(['--data', join(disk.folder, 'data')])
    const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const
    picture = await sharp({ create: { width: 900, height: 900, channels: 3, background: '#fff', noise } })
      .jpeg()
      .toBuffer()
  })
  after(async () => {
    served.child.kill('SIGKILL')
    await served.closed
    disk.remove()
  })

  const send = (path: string, type: string, body: string | Buffer) =>
    fetch(`${served.url}/calendar/events/v1${path}`, {
      method: 'POST',
      headers: { authorization: served.authorization, 'content-type': type },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
  const create = (title: string) => send('/events', 'application/json', JSON.stringify({ ...EVENT, title }))
  const upload = () => send('/images', 'image/jpeg', picture)
  const ready = async () => (await fetch(`${served.url}/readyz`)).status
  const total = async () => {
    const response = await fetch(`${served.url}/calendar/events/v1/events?start_date=2031-01-01&per_page=1`)
    assert.equal(response.status, 200)
    return ((await response.json()) as { total: number }).total
  }
  const files = () =>
    readdirSync(join(disk.folder, 'data'), { recursive: true }).filter((name) => /\./.test(String(name)))

  it('says so to whoever writes, answers readers, is not ready, leaves nothing behind, and goes on when there is room', async () => {
    assert.equal((await create('Before')).status, 201)
    const before = files()
    for (let round = 1; round <= 2; round++) {
      disk.fill()
      const answers = [
        ...(await Promise.all(Array.from({ length: 20 }, (_, n) => create(`Refused ${n}`)))),
        await upload(),
        await send('/import', 'text/calendar', CALENDAR),
        await create('Refused'),
      ]
      for (const answer of answers) {
        const { code, message } = (await answer.json()) as { code: string; message: string }
        assert.deepEqual([answer.status, code], [507, 'rest_storage_full'])
        assert.match(message, /no room/)
        assert.ok(Number(answer.headers.get('retry-after')) > 0)
      }
      assert.equal(await ready(), 503)
      assert.equal(await total(), round)
      assert.deepEqual(files(), before)
      disk.empty()
      await eventually(async () => (await ready()) === 200)
      assert.equal((await create(`After ${round}`)).status, 201)
      assert.equal(await total(), round + 1)
    }
    await eventually(() => /database or disk is full/.test(served.out()))
    assert.doesNotMatch(served.out(), /cannot rollback|no such savepoint|"statusCode":500/)
  })

  it('keeps no part of an image that has no room, where the database has some', async () => {
    const before = files()
    disk.fill(150_000)
    const refused = await upload()
    assert.deepEqual([refused.status, ((await refused.json()) as Json).code], [507, 'rest_storage_full'])
    assert.deepEqual(files(), before)
    disk.empty()
    assert.equal((await upload()).status, 201)
    await eventually(() => /ENOSPC/.test(served.out()))
  })

  it('answers readers who sign in, also with a token that is used for the first time', async () => {
    const { code, out } = await runKalends(['token', 'create', 'admin', '--data', join(disk.folder, 'data')])
    assert.equal(code, 0)
    const token = /kal_\S+/.exec(out)?.[0] ?? out.trim()
    disk.fill()
    for (const authorization of [served.authorization, `Bearer ${token}`]) {
      const response = await fetch(`${served.url}/calendar/events/v1/images`, { headers: { authorization } })
      assert.equal(response.status, 200, await response.text())
    }
    disk.empty()
  })

  it('starts, and is not ready', async () => {
    served.child.kill('SIGKILL')
    await served.closed
    disk.fill()
    const { authorization } = served
    served = { ...(await serveProcesses(['--data', join(disk.folder, 'data')], {}, { isNew: false })), authorization }
    assert.equal(await ready(), 503)
    assert.equal((await create('Refused')).status, 507)
    assert.equal(await total(), 3)
    disk.empty()
    await eventually(async () => (await ready()) === 200)
    assert.equal((await create('At last')).status, 201)
  })

  it('does not start without room for the log of its database, and says why', async () => {
    served.child.kill('SIGTERM')
    await served.closed
    disk.fill()
    const { code, err } = await serveRefused(['--data', join(disk.folder, 'data')])
    disk.empty()
    assert.equal(code, 1)
    assert.match(err, /^kalends: .*(full|disk|room)/)
  })
})

describe('a service whose files may not grow', { skip: NO_LIMIT || (ON_POSTGRES && 'is about files') }, () => {
  it('answers writers that it cannot write, is not ready, and goes on when they may', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-limit-'))
    const served = await serveProcesses(['--data', folder])
    t.after(async () => {
      served.child.kill('SIGKILL')
      await served.closed
      rmSync(folder, { recursive: true })
    })
    /** The system refuses to write beyond this many bytes of any file (RLIMIT_FSIZE). */
    const limit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', String(served.child.pid), `--fsize=${bytes}:unlimited`])
    const send = (path: string, type: string, body: string) =>
      fetch(`${served.url}/calendar/events/v1${path}`, {
        method: 'POST',
        headers: { authorization: served.authorization, 'content-type': type },
        body,
      })
    const create = () => send('/events', 'application/json', JSON.stringify(EVENT))
    const ready = async () => (await fetch(`${served.url}/readyz`)).status
    assert.equal((await create()).status, 201)
    limit(statSync(join(folder, 'kalends.sqlite-wal')).size)
    const answers = [
      await create(),
      await send('/import', 'text/calendar', CALENDAR),
      ...(await Promise.all(Array.from({ length: 10 }, create))),
    ]
    for (const { status, headers } of answers) {
      assert.ok([503, 507].includes(status), String(status))
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
    assert.equal(await ready(), 503)
    limit('unlimited')
    await eventually(async () => (await ready()) === 200)
    assert.equal((await create()).status, 201)
    const list = await fetch(`${served.url}/calendar/events/v1/events?start_date=2031-01-01&per_page=1`)
    assert.equal(((await list.json()) as Json).total, 2)
    assert.match(served.out(), /disk I\/O error/)
  })
})

describe('a database that may not grow', { skip: ON_POSTGRES && 'is about SQLite' }, () => {
  let service: Service
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-full-'))
    service = await startService({ folder })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  /** Lets the database have so many pages more than it has. */
  const allow = (pages: number) =>
    service.db.writeWithoutInvalidating(async (tx) => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(tx)
      await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + pages)}`.execute(tx)
    })

  it('refuses what has no room, together with what was to be written with it, and goes on when it may', async () => {
    const json = { ...EVENT, description: 'x'.repeat(3000) }
    await allow(10)
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.call('editor', '/events', { json })))
    const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
    assert.ok(count(507) > 0)
    assert.equal(count(201) + count(507), 40)
    await allow(100_000)
    assert.equal((await service.inject({ url: '/readyz' })).statusCode, 200)
    await service.expect(201, 'editor', '/events', { json })
    const { total } = await service.expect(200, null, '/events', { query: { start_date: '2031-01-01' } })
    assert.equal(total, count(201) + 1)
  })
})

describe('a server of a database whose disk is full', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  const FAILING = `create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`

  it('is told of, and goes on when there is room', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    const run = (statement: string) =>
      service.db.writeWithoutInvalidating((tx) =>
        sql
          .raw(statement)
          .execute(tx)
          .then(() => {}),
      )
    await run(FAILING)
    for (const table of ['events', 'data_version'])
      await run(`create trigger refuse before insert or update on ${table} for each row execute function refuse()`)
    const refused = await service.call('editor', '/events', { json: EVENT })
    assert.deepEqual([refused.statusCode, refused.json().code], [507, 'rest_storage_full'])
    const unready = await service.inject({ url: '/readyz' })
    assert.deepEqual([unready.statusCode, unready.json().trouble], [503, 'full'])
    await run('drop function refuse cascade')
    assert.equal((await service.inject({ url: '/readyz' })).statusCode, 200)
    await service.expect(201, 'editor', '/events', { json: EVENT })
  })
})

describe('a PostgreSQL on a small disk', { skip: !ON_POSTGRES ? 'needs PostgreSQL' : NO_DISK }, () => {
  it('is told of when it is full, and goes on when there is room', async (t) => {
    const disk = mountDisk(64)
    const cleanUp: (() => unknown)[] = [() => disk.remove()]
    t.after(async () => {
      for (const step of cleanUp.toReversed()) await step()
    })
    const space = join(disk.folder, 'space')
    mkdirSync(space)
    const [user, group] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'postgres'])))
    chownSync(space, user ?? 0, group ?? 0)
    try {
      await onServer((client) => client.query(`create tablespace small location '${space}'`))
    } catch (error) {
      return t.skip(`the server cannot reach the disk: ${error}`)
    }
    cleanUp.push(() => onServer((client) => client.query('drop tablespace small')))
    await onServer((client) =>
      client.query(`create database small template template0 encoding 'UTF8' tablespace small`),
    )
    cleanUp.push(() => onServer((client) => client.query('drop database small with (force)')))
    const served = await serveProcesses([], { KALENDS_DATABASE_URL: addressOf('small') })
    const connection = served.connect()
    cleanUp.push(async () => {
      connection.close()
      served.child.kill('SIGTERM')
      await served.closed
    })
    const create = () =>
      connection.send('POST', '/events', { ...EVENT, description: randomBytes(50_000).toString('hex') })
    const ready = async () => (await fetch(`${served.url}/readyz`)).status
    assert.equal((await create()).status, 201)
    assert.equal(await ready(), 200)
    disk.fill()
    let refused = await create()
    for (let n = 0; n < 100 && refused.status === 201; n++) refused = await create()
    assert.deepEqual([refused.status, refused.body.code], [507, 'rest_storage_full'])
    assert.equal(await ready(), 503)
    assert.equal((await connection.send('GET', '/events?start_date=2031-01-01')).status, 200)
    disk.empty()
    await eventually(async () => (await ready()) === 200)
    assert.equal((await create()).status, 201)
    assert.match(served.out(), /No space left on device/)
  })
})
