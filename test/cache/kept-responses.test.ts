import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { type App, createApp } from '../../src/app.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { DATABASE_FILE } from '../../src/storage/sqlite/private-files.ts'
import { API, receive } from '../support/answers.ts'
import { NOON } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { times } from '../support/thorough.ts'

const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const

let folder: string
let service: Service
let base: string
let now = NOON
/** Queries for records. */
let queries = 0

async function start(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'kalends-kept-'))
  const onQuery = (sql: string) => {
    if (/"(events|event_terms|terms)"/.test(sql)) queries++
  }
  service = await startService({ folder, settings: SETTINGS, clock: () => now, writesTables: true, onQuery })
  base = await service.listen()
}

async function stop(): Promise<void> {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}

const add = async (path: string, json: object): Promise<number> =>
  (await service.expect(201, 'administrator', path, { json })).id
const change = (id: number, json: object) =>
  service.expect(200, 'administrator', `/events/${id}`, { method: 'PUT', json })
const on = (day: string, json: object = {}) =>
  add('/events', { title: 'An evening', start_date: `${day} 19:00`, end_date: `${day} 22:00`, ...json })

describe('a response that a write does not concern', () => {
  let music: number
  let dance: number
  let lights: number
  let concert: number
  before(async () => {
    await start()
    music = await add('/categories', { name: 'Music' })
    dance = await add('/categories', { name: 'Dance' })
    lights = await add('/tags', { name: 'Lights' })
    concert = await on('2031-06-12', { categories: [music], tags: [lights] })
    await on('2031-06-13', { categories: [dance] })
  })
  after(stop)

  const june = () => `/events?categories=${music}&start_date=2031-06-01&end_date=2031-06-30`

  /** When a response was made. It is asked for twice, later and later. */
  async function madeAt(path: string): Promise<string | null> {
    const response = await fetch(`${base}${API}${path}`)
    await response.text()
    return response.headers.get('last-modified')
  }

  async function isKept(path: string, write: () => Promise<unknown>): Promise<boolean> {
    const first = await madeAt(path)
    now += 2
    await write()
    return (await madeAt(path)) === first
  }

  beforeEach(async () => {
    // An own commit that everything depends on: the cache begins anew.
    await add('/venues', { venue: 'A hall' })
  })

  it('is kept after a write to an event of another category, another month, or one that is no longer public', async () => {
    assert.equal(await isKept(june(), () => on('2031-06-20', { categories: [dance] })), true)
    const other = await on('2031-06-21', { categories: [dance], status: 'draft' })
    assert.equal(await isKept(june(), () => change(other, { title: 'A draft' })), true)
    assert.equal(await isKept(`/events/${concert}`, () => on('2031-06-22', { categories: [dance] })), true)
    assert.equal(await isKept(june(), () => on('2031-08-01')), true)
  })

  it('is made anew if the event is in its list, was in it, or is of a term that it shows', async () => {
    assert.equal(await isKept(june(), () => on('2031-06-20', { categories: [music] })), false)
    // In another month, but it counts.
    assert.equal(await isKept(june(), () => on('2031-08-20', { categories: [music] })), false)
    assert.equal(await isKept(june(), () => on('2031-08-20', { tags: [lights] })), false)
    assert.equal(await isKept(`/events/${concert}`, () => on('2031-08-20', { tags: [lights] })), false)
    const moved = await on('2031-06-25', { categories: [dance] })
    assert.equal(await isKept(june(), () => change(moved, { categories: [music] })), false)
    assert.equal(await isKept(june(), () => change(moved, { start_date: '2031-07-02', end_date: '2031-07-03' })), false)
    assert.equal(await isKept(`/events/${moved}`, () => change(moved, { title: 'Moved' })), false)
  })

  it('gets the new counts of its terms, and is not made anew for them', async () => {
    type Listed = { events: { categories: { id: number; count: number }[] }[] }
    const countsIn = (body: Listed) => body.events.flatMap(({ categories }) => categories.map(({ count }) => count))
    const read = async () => {
      const response = await fetch(`${base}${API}${june()}`)
      return { body: (await response.json()) as Listed, etag: response.headers.get('etag') }
    }
    let added = 0
    const before = await read()
    const [first = 0] = countsIn(before.body)
    const expect = async (write: () => Promise<unknown>, by: number) => {
      await write()
      queries = 0
      const { body, etag } = await read()
      assert.equal(queries, 0)
      added += by
      assert.deepEqual(
        countsIn(body),
        countsIn(before.body).map(() => first + added),
      )
      assert.equal(etag === before.etag, added === 0)
    }
    let other = 0
    await expect(async () => {
      other = await on('2031-10-20', { categories: [music] })
    }, 1)
    await expect(() => change(other, { title: 'Another title' }), 0)
    await expect(() => change(other, { password: 'sesame' }), -1)
    await expect(() => change(other, { password: '' }), 1)
    await expect(() => change(other, { status: 'draft' }), -1)
    await expect(() => change(other, { status: 'publish' }), 1)
    await expect(() => change(other, { categories: [dance] }), -1)
    for (let n = 0; n < 3; n++) await expect(() => on('2031-10-21', { categories: [music] }), 1)
  })

  it('is made anew after a write of very many events, and after very many writes', async () => {
    const event = { title: 'An evening', start_date: '2031-08-20 19:00', end_date: '2031-08-20 22:00' }
    const batch = (length: number) => () =>
      service.expect(200, 'administrator', '/batch', {
        json: {
          requests: Array.from({ length }, () => ({ method: 'POST', path: '/calendar/events/v1/events', body: event })),
        },
      })
    assert.equal(await isKept(june(), batch(20)), true)
    assert.equal(await isKept(june(), batch(21)), false)
    const often = (times: number) => async () => {
      for (let n = 0; n < times; n++) await batch(20)()
    }
    assert.equal(await isKept(june(), often(12)), true)
    assert.equal(await isKept(june(), often(13)), false)
  })

  it('is made anew after any other write', async () => {
    let series = 0
    for (const write of [
      () => add('/venues', { venue: 'Another hall' }),
      () => add('/tags', { name: `Tag ${now}` }),
      () =>
        service.expect(200, 'administrator', `/categories/${dance}`, { method: 'PUT', json: { name: `Dance ${now}` } }),
      async () => {
        series = await on('2031-09-01', { recurrence: 'FREQ=WEEKLY;COUNT=3' })
      },
      // Its siblings show it.
      () => change(series, { start_date: '2031-09-02 19:00', end_date: '2031-09-02 22:00' }),
    ])
      assert.equal(await isKept(june(), write), false)
  })

  it('is kept after a write that was refused, and after one that no response shows', async () => {
    const refused = () => service.expect(400, 'administrator', '/events', { json: { title: '' } })
    assert.equal(await isKept(june(), refused), true)
    assert.equal(await isKept(june(), () => service.db.writeWithoutInvalidating(async () => {})), true)
  })

  it('is made anew after a write of another process, whatever is written here at the same time', async () => {
    const elsewhere = async () => {
      const other = openDatabase(service.where)
      await other.write(async (tx) => {
        await tx
          .updateTable('events')
          .set({ title: `Elsewhere ${now}`, revision: 1000 + now })
          .where('id', '=', concert)
          .execute()
      })
      await other.close()
    }
    const titleOf = async () => ((await (await fetch(`${base}${API}/events/${concert}`)).json()) as Json).title
    for (const writes of [
      [elsewhere],
      [elsewhere, () => on('2031-06-20', { categories: [dance] })],
      [() => on('2031-06-20', { categories: [dance] }), elsewhere],
      [elsewhere, () => service.db.writeWithoutInvalidating(async () => {})],
    ]) {
      await titleOf()
      now += 2
      for (const write of writes) await write()
      assert.equal(await titleOf(), `Elsewhere ${now}`)
    }
  })

  it('is made anew after a statement by hand, also with a write here before or after it', async () => {
    const byHand = async (title: string) => {
      const statement = `update events set title = '${title}', revision = revision + 1 where id = ${concert}`
      if (ON_POSTGRES) {
        // On a server, whoever writes by hand changes the version, too: see docs/decisions/data-version.md.
        const client = new pg.Client(service.where)
        await client.connect()
        await client.query(`begin; ${statement}; update data_version set version = version + 1 where share = 0; commit`)
        await client.end()
      } else {
        const file = new DatabaseSync(join(folder, DATABASE_FILE))
        file.exec(statement)
        file.close()
      }
    }
    const titleOf = async () => ((await (await fetch(`${base}${API}/events/${concert}`)).json()) as Json).title
    const here = () => on('2031-06-20', { categories: [dance] })
    await titleOf()
    await byHand('One')
    assert.equal(await titleOf(), 'One')
    await here()
    await byHand('Two')
    assert.equal(await titleOf(), 'Two')
    await byHand('Three')
    await here()
    assert.equal(await titleOf(), 'Three')
    await here()
    await byHand('Four')
    await here()
    assert.equal(await titleOf(), 'Four')
  })
})

describe('lists and events after writes of events', () => {
  let uncached: App
  let plain: string
  before(async () => {
    await start()
    uncached = await createApp({ ...service.config, cache: false }, service.db, { clock: () => now, logger: false })
    plain = await uncached.server.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await uncached.server.close()
    await stop()
  })

  const isSame = async (path: string) =>
    assert.deepEqual(await receive(`${base}${API}${path}`, {}), await receive(`${plain}${API}${path}`, {}), path)

  it('are the same if the parent that they are asked for is no longer public, or gone', async () => {
    for (const json of [{ status: 'draft' }, null]) {
      const parent = await on('2032-06-10')
      const child = await on('2031-06-11', { parent })
      const paths = [
        `/events?post_parent=${parent}&start_date=2031-06-01&end_date=2031-06-30`,
        `/events?post_parent=${parent}&start_date=2031-07-01&end_date=2031-07-31`,
        '/events?start_date=2031-06-11&end_date=2031-06-11',
      ]
      for (const path of paths) await isSame(path)
      if (json === null)
        await service.expect(200, 'administrator', `/events/${parent}?force=true`, { method: 'DELETE' })
      else await change(parent, json)
      await isSame(`/events/${child}`)
      for (const path of paths) await isSame(path)
    }
  })

  it('are the same if a write decides which terms everybody may see', async () => {
    const june = 'start_date=2031-06-01&end_date=2031-06-30'
    const hidden = await on('2032-06-10', { tags: ['Only here'], password: 'sesame' })
    await isSame(`/events?tags=only-here&${june}`)
    await change(hidden, { tags: [] })
    await isSame(`/events?tags=only-here&${june}`)
    await add('/tags', { name: 'foo', slug: 'bar1' })
    await on('2031-06-12', { tags: ['foo'] })
    const other = await on('2032-06-12', { tags: ['Foo!'], status: 'draft' })
    await isSame(`/events?tags=foo&${june}`)
    await change(other, { status: 'publish' })
    await isSame(`/events?tags=foo&${june}`)
  })

  it('are the same after a write that was answered, whatever is written next', async () => {
    const id = await on('2031-06-14')
    const titleOf = async () => ((await (await fetch(`${base}${API}/events/${id}`)).json()) as Json).title
    const many = () =>
      service.db.writeMany(async (tx) => {
        for (let n = 0; n < 5; n++)
          await tx.updateTable('users').set({ name: 'editor' }).where('name', '=', 'editor').execute()
      })
    const group = () =>
      Promise.all(Array.from({ length: 15 }, () => on('2032-06-14', { description: 'word '.repeat(2000) })))
    for (let n = 0; n < times(60, 4); n++) {
      await titleOf()
      const next = n % 2 === 0 ? group() : null
      await change(id, { title: `Title ${n}` })
      const last = n % 2 === 0 ? null : many()
      for (let k = 0; k < 4; k++) assert.equal(await titleOf(), `Title ${n}`)
      await Promise.all([next, last])
    }
  })

  it('are stored again after writes that readers saw before they were answered', async () => {
    const path = '/events?start_date=2031-05-01&end_date=2031-05-31'
    const read = async () => {
      const response = await fetch(`${base}${API}${path}`)
      await response.text()
      return response.headers.get('last-modified')
    }
    for (let n = 0; n < 5; n++)
      await Promise.all([on('2032-05-05'), ...Array.from({ length: 10 }, read), on('2032-05-06'), read()])
    const first = await read()
    now += 2
    assert.equal(await read(), first)
  })
})
