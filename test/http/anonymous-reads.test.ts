import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createApp } from '../../src/app.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { clock } from '../support/calendar.ts'
import { type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const API = '/calendar/events/v1'

/** Addresses that anybody may ask for, with what is wrong in some. */
const PATHS = [
  '',
  '/events',
  '/events/',
  '/events?page=2&per_page=1',
  '/events?page=99',
  '/events?per_page=none',
  '/events?categories=music&start_date=2031-01-01&end_date=2031-12-31',
  '/events?categories=nothing',
  '/events?strict=true&other=1',
  '/events?_fields=events.id,total',
  '/events/1',
  '/events/2',
  '/events/999999',
  '/events/%32',
  '/events/%zz',
  '/events/by-slug/first',
  '/venues',
  '/categories',
  '/tags?hide_empty=true',
  '/users',
  '/audit',
  '/doc',
  '/nothing',
]
/** Pages that are answered in the same way. */
const PAGES = [
  '/events/month/2031-05',
  '/events/month/2031-05/?category=music',
  '/events/month/2031-05?category=nothing',
  '/events/month/2031-13',
  '/events/week/2031-05-06/?tag=loud&other=1',
  '/events/day/2031-05-06',
]
const HEADERS: Record<string, string>[] = [
  {},
  { accept: 'text/html' },
  { 'accept-language': 'de' },
  { accept: 'application/problem+json' },
  { 'accept-encoding': 'gzip', origin: 'https://elsewhere.example' },
  { 'if-none-match': '*' },
]
/** Headers of one answer alone. */
const OWN = new Set(['date', 'last-modified', 'ratelimit', 'x-request-id'])

async function ask(address: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${address}${path}`, { headers })
  const told = [...response.headers].filter(([name]) => !OWN.has(name)).sort()
  return { status: response.status, headers: told, body: await response.text() }
}

describe('reads of anonymous readers', () => {
  let service: Service
  let address: string
  const folder = mkdtempSync(join(tmpdir(), 'kalends-anonymous-'))

  before(async () => {
    service = await startService({ clock, folder, writesTables: true })
    address = await service.listen()
    for (const title of ['First', 'Second', 'Third']) {
      const times = { start_date: '2031-05-06 19:00', end_date: '2031-05-06 21:00' }
      await service.expect(201, 'editor', '/events', {
        json: { title, ...times, categories: ['Music'], tags: ['loud'] },
      })
    }
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })

  it('are answered as by Fastify', async () => {
    const db = openDatabase(service.where)
    const app = await createApp({ ...service.config, cache: false }, db, { clock, logger: false })
    const plain = await app.server.listen({ port: 0, host: '127.0.0.1' })
    for (const [prefix, all] of [
      ['', HEADERS],
      ['/fr', some(HEADERS, 1)],
    ] as const) {
      for (const path of [...PATHS.map((path) => `${API}${path}`), ...PAGES]) {
        for (const headers of all) {
          const given = await ask(address, `${prefix}${path}`, headers)
          const expected = await ask(plain, `${prefix}${path}`, headers)
          assert.deepEqual(given, expected, `${prefix}${path} with ${JSON.stringify(headers)}`)
        }
      }
    }
    await app.close()
    await db.close()
  })

  it('are errors, and no more, while the settings cannot be read', async () => {
    const rename = (from: string, to: string) =>
      service.db.write((tx) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx))
    await rename('settings', 'lost')
    const { status } = await ask(address, `${API}/events/1`)
    assert.ok(status >= 500, String(status))
    await rename('lost', 'settings')
    assert.equal((await ask(address, `${API}/events/1`)).status, 200)
  })
})

describe('a read that ends in an error', () => {
  it('counts once against the limit', async () => {
    const service = await startService({ clock, settings: { rateLimit: '3', rateLimitLoopback: 'yes' } })
    const address = await service.listen()
    const left: unknown[] = []
    for (let n = 0; n < 4; n++) {
      const response = await fetch(`${address}${API}/events/999`)
      left.push([response.status, /r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]])
      await response.body?.cancel()
    }
    assert.deepEqual(left, [
      [404, '2'],
      [404, '1'],
      [404, '0'],
      [429, '0'],
    ])
    await service.close()
  })
})
