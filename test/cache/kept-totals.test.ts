import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type App, createApp } from '../../src/app.ts'
import { insertRows } from '../../src/storage/prepared.ts'
import { reserveIds } from '../../src/storage/records.ts'
import { API, receive } from '../support/answers.ts'
import { NOON } from '../support/calendar.ts'
import { seeded } from '../support/random-site.ts'
import { type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

/** Longer lists are counted, and not read whole. */
const EVENTS = 2100
const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const

describe('the total of a long list', () => {
  let folder: string
  let service: Service
  let uncached: App
  let base: string
  let plain: string
  let music: number
  let dance: number
  let sample: number
  let now = NOON
  /** Statements that count events. */
  let counts = 0

  const add = async (path: string, json: object): Promise<number> =>
    (await service.expect(201, 'administrator', path, { json })).id
  const change = (id: number, json: object) =>
    service.expect(200, 'administrator', `/events/${id}`, { method: 'PUT', json })

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-totals-'))
    const onQuery = (sql: string) => {
      if (/^select count\(\*\)/.test(sql) && !sql.includes('limit')) counts++
    }
    service = await startService({ folder, settings: SETTINGS, clock: () => now, writesTables: true, onQuery })
    base = await service.listen()
    uncached = await createApp({ ...service.config, cache: false }, service.db, { clock: () => now, logger: false })
    plain = await uncached.server.listen({ port: 0, host: '127.0.0.1' })
    music = await add('/categories', { name: 'Music' })
    dance = await add('/categories', { name: 'Dance' })
    const event = { title: 'An evening', start_date: '2031-06-12 19:00', end_date: '2031-06-12 22:00' }
    sample = await add('/events', { ...event, categories: [music] })
    await service.db.write(async (tx) => {
      const { id, ...row } = await tx
        .selectFrom('events')
        .selectAll()
        .where('id', '=', sample)
        .executeTakeFirstOrThrow()
      const ids = await reserveIds(tx, EVENTS)
      const copies = ids.map((id) => ({ ...row, id, slug: `copy-${id}` }))
      await insertRows(tx, 'events', copies)
      const links = ids.map((event) => ({ event, term: music, start_local: row.start_local }))
      await insertRows(tx, 'event_terms', links)
    })
  })
  after(async () => {
    await uncached.server.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const paths = () => [
    '/events',
    '/events?start_date=2031-06-12&end_date=2031-06-12',
    '/events?start_date=2031-06-01&end_date=2031-06-30&page=3',
    `/events?categories=${music}`,
    `/events?categories=${music},${dance}&start_date=2031-06-12&end_date=2031-06-30`,
    '/events?hide_from_listings=true&start_date=2031-06-01',
    '/events?featured=false',
    '/events?start_date=2031-06-12T12:00:00Z&end_date=2031-06-20T12:00:00Z&strict_dates=true',
  ]

  const read = async () => {
    now += 1
    for (const path of paths()) await receive(`${base}${API}${path}`, {})
  }

  it('is not counted again after a write that tells what it has changed', async () => {
    const other = await add('/events', {
      title: 'Another',
      start_date: '2031-06-20 19:00',
      end_date: '2031-06-20 22:00',
    })
    const path = `${base}${API}/events`
    const totalOf = async () => JSON.parse((await receive(path, {})).body).total as number
    const first = await totalOf()
    const expect = async (write: () => Promise<unknown>, total: number) => {
      await write()
      counts = 0
      assert.equal(await totalOf(), total)
      assert.equal(counts, 0)
    }
    await expect(() => change(other, { title: 'Another title' }), first)
    await expect(() => change(other, { hide_from_listings: true }), first - 1)
    await expect(() => change(other, { hide_from_listings: false }), first)
    await expect(() => change(other, { status: 'draft' }), first - 1)
    await expect(() => change(other, { status: 'publish' }), first)
    await expect(() => change(other, { password: 'sesame' }), first)
    await expect(() => change(other, { start_date: '2021-06-20 19:00', end_date: '2021-06-20 22:00' }), first - 1)
    await expect(() => add('/events', { title: 'New', start_date: '2031-07-20', end_date: '2031-07-20' }), first)
  })

  it('is the same as without the cache, after any write', async () => {
    const pick = seeded(18)
    const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T
    const events = [sample, sample + 1, sample + 2, sample + 3]
    const day = () => `20${one(['21', '31', '31'])}-06-${String(11 + pick(3))}`
    const details = (): object => {
      const [start, end] = [day(), day()].toSorted()
      return one<object>([
        { start_date: `${start} 00:00:00`, end_date: `${end} 23:59:59` },
        { start_date: `${start} 19:00`, end_date: `${start} 22:00`, timezone: one(['UTC', 'Pacific/Auckland']) },
        { categories: [one([music, dance])] },
        { categories: [] },
        { status: one(['publish', 'draft', 'private']) },
        { password: one(['', 'sesame']) },
        { hide_from_listings: pick(2) === 0 },
        { featured: pick(2) === 0 },
      ])
    }
    const create = async () => {
      const start = day()
      const event = { title: 'New', start_date: `${start} 19:00`, end_date: `${start} 22:00` }
      events.push(await add('/events', { ...event, ...details(), status: 'publish' }))
    }
    const write = (): Promise<unknown> => {
      const id = one(events)
      const send = (method: 'PUT' | 'DELETE', json?: object) =>
        service.call('administrator', `/events/${id}`, { method, ...(json && { json }) })
      return one([
        () => send('PUT', details()),
        () => send('PUT', details()),
        () => send('DELETE'),
        create,
        () => Promise.all([create(), create(), send('PUT', details())]),
      ])()
    }
    await read()
    for (let round = 0; round < times(60, 8); round++) {
      for (let n = pick(3); n >= 0; n--) await write()
      if (pick(4) === 0) continue
      now += 1
      for (const path of paths())
        assert.deepEqual(
          await receive(`${base}${API}${path}`, {}),
          await receive(`${plain}${API}${path}`, {}),
          `${path}, round ${round}`,
        )
    }
  })
})
