import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createApp } from '../../src/app.ts'
import { doOnce, forgettingKeys } from '../../src/domain/idempotency.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { type Call, type Json, request, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'Once', start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }

describe('a claim of a key', () => {
  let service: Service
  before(async () => {
    service = await startService({ writesTables: true })
  })
  after(() => service.close())

  /** A request under a key, which waits before it writes; and what becomes of it. */
  function begin(key: string) {
    const running = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    const answer = doOnce(service.db, {
      user: service.ids.editor,
      key,
      request: key,
      inOneTransaction: true,
      async run(db) {
        running.resolve()
        await waiting.promise
        await db.write((tx) => tx.insertInto('settings').values({ name: key, value: '"written"' }).execute())
        return { status: 201, headers: {}, body: Buffer.from('{}') }
      },
      count: async () => {},
      answerTo: () => null,
    })
    answer.catch(() => {})
    return { running: running.promise, answer, goOn: waiting.resolve }
  }
  const setClaim = (claim: { claim?: string; claimed_until: number }) =>
    service.db.write((tx) => tx.updateTable('idempotency_keys').set(claim).execute())
  const claimedUntil = async () =>
    (await service.db.read((tx) => tx.selectFrom('idempotency_keys').select('claimed_until').execute()))[0]

  it('that another process has taken over writes nothing', async () => {
    const first = begin('lost')
    await first.running
    await setClaim({ claim: 'other', claimed_until: 4_000_000_000 })
    first.goOn()
    await assert.rejects(first.answer, { code: 'rest_idempotency_key_in_use' })
    const rows = await service.db.read((tx) =>
      tx.selectFrom('settings').selectAll().where('name', '=', 'lost').execute(),
    )
    assert.deepEqual(rows, [])
    await service.db.write((tx) => tx.deleteFrom('idempotency_keys').execute())
  })

  it('is renewed as long as its request runs', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const first = begin('slow')
    await first.running
    await setClaim({ claimed_until: 1 })
    t.mock.timers.tick(5000)
    for (let turn = 0; turn < 1000 && Number((await claimedUntil())?.claimed_until) === 1; turn++) await nextTurn()
    await assert.rejects(begin('slow').answer, { code: 'rest_idempotency_key_in_use' })
    first.goOn()
    assert.equal((await first.answer).answer.status, 201)
  })
})

describe('an Idempotency-Key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-keys-'))
  let service: Service
  let keys = 0
  before(async () => {
    service = await startService({ folder })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const keyed = (key: string, call: Call = {}): Call => ({
    ...call,
    headers: { ...call.headers, 'idempotency-key': key },
  })
  const fresh = () => `key-${++keys}`
  const count = async () =>
    (await service.expect(200, 'editor', '/events', { query: { start_date: '2031-01-01' } })).total

  it('makes a repeated POST one event, with the same answer', async () => {
    const key = fresh()
    const first = await service.call('editor', '/events', keyed(key, { json: EVENT }))
    assert.equal(first.statusCode, 201)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    const again = await service.call('editor', '/events', keyed(key, { json: EVENT }))
    assert.equal(again.statusCode, 201)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.body, first.body)
    for (const name of ['etag', 'location', 'content-type'])
      assert.equal(again.headers[name], first.headers[name], name)
    assert.equal(await count(), 1)
  })

  it('is answered on another node and after a restart', async () => {
    const key = fresh()
    const first = await service.expect(201, 'editor', '/events', keyed(key, { json: EVENT }))
    const other = await createApp(service.config, openDatabase(service.where), { logger: false })
    try {
      const again = await other.server.inject(request('editor', '/events', keyed(key, { json: EVENT })))
      assert.equal(again.headers['idempotent-replayed'], 'true')
      assert.deepEqual(again.json(), first)
    } finally {
      await other.close()
    }
  })

  it('refuses another request under the same key, and is not shared by users', async () => {
    const key = fresh()
    await service.expect(201, 'editor', '/events', keyed(key, { json: EVENT }))
    const other = await service.expect(422, 'editor', '/events', keyed(key, { json: { ...EVENT, title: 'Two' } }))
    assert.equal(other.code, 'rest_idempotency_key_reused')
    await service.expect(422, 'editor', '/venues', keyed(key, { json: EVENT }))
    const author = await service.call('author', '/events', keyed(key, { json: EVENT }))
    assert.equal(author.statusCode, 201)
    assert.equal(author.headers['idempotent-replayed'], undefined)
  })

  it('is one request, however often it is sent at once', async () => {
    const key = fresh()
    const before = await count()
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service.call('editor', '/events', keyed(key, { json: EVENT }))),
    )
    const statuses = answers.map(({ statusCode }) => statusCode)
    assert.ok(statuses.includes(201))
    assert.ok(
      statuses.every((status) => status === 201 || status === 409),
      String(statuses),
    )
    const running = answers.find(({ statusCode }) => statusCode === 409)
    if (running !== undefined) assert.equal(running.json().code, 'rest_idempotency_key_in_use')
    assert.equal(await count(), before + 1)
  })

  it('is 409 while the first request runs, and is free again if its process died', async () => {
    const key = fresh()
    const first = await service.expect(201, 'editor', '/events', keyed(key, { json: EVENT }))
    const before = await count()
    // As the process would have left it: claimed, without an answer.
    const claim = (claimed_until: number) =>
      service.db.write((tx) =>
        tx
          .updateTable('idempotency_keys')
          .set({ status: null, headers: null, body: null, claimed_until, claim: 'other' })
          .where('user', '=', service.ids.editor)
          .where('created_utc', '=', (eb) =>
            eb.selectFrom('idempotency_keys').select((max) => max.fn.max('created_utc').as('m')),
          )
          .execute(),
      )
    await claim(4_000_000_000)
    const waiting = await service.call('editor', '/events', keyed(key, { json: EVENT }))
    assert.equal(waiting.statusCode, 409)
    assert.equal(waiting.headers['retry-after'], '1')
    await claim(1)
    const again = await service.expect(201, 'editor', '/events', keyed(key, { json: EVENT }))
    assert.notEqual(again.id, first.id)
    assert.equal(await count(), before + 1)
  })

  it('keeps what was refused, but not what was not tried', async () => {
    const key = fresh()
    const refused = await service.call('editor', '/events', keyed(key, { json: { title: 'No dates' } }))
    assert.equal(refused.statusCode, 400)
    const again = await service.call('editor', '/events', keyed(key, { json: { title: 'No dates' } }))
    assert.equal(again.statusCode, 400)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.deepEqual(again.json(), refused.json())
    await service.expect(401, null, '/events', keyed(key, { json: EVENT }))
    for (const bad of ['', 'x'.repeat(256)]) {
      const answer = await service.expect(400, 'editor', '/events', keyed(bad, { json: EVENT }))
      assert.deepEqual(Object.keys(answer.data.params), ['Idempotency-Key'])
    }
    await service.expect(201, 'editor', '/events', keyed('y'.repeat(255), { json: EVENT }))
  })

  it('works for every method and resource, and in forms', async () => {
    const twice = async (status: number, path: string, call: Call) => {
      const key = fresh()
      const first = await service.call('administrator', path, keyed(key, call))
      assert.equal(first.statusCode, status, `${path}: ${first.body}`)
      const again = await service.call('administrator', path, keyed(key, call))
      assert.equal(again.headers['idempotent-replayed'], 'true', path)
      assert.equal(again.body, first.body)
      return first.json() as Json
    }
    const event = await twice(201, '/events', { form: { ...EVENT, tags: 'a,b' } })
    await twice(200, `/events/${event.id}`, { method: 'PUT', json: { title: 'Other', password: 'sesame' } })
    await twice(200, `/events/${event.id}`, { method: 'PATCH', json: { description: 'x'.repeat(60_000) } })
    await twice(200, `/events/${event.id}`, { method: 'DELETE' })
    const venue = await twice(201, '/venues', { json: { venue: 'Hall' } })
    await twice(200, `/venues/${venue.id}`, { json: { city: 'Lyon' } })
    await twice(200, `/venues/${venue.id}?force=true`, { method: 'DELETE' })
    const tag = await twice(201, '/tags', { json: { name: 'once' } })
    await twice(200, `/tags/${tag.id}`, { method: 'DELETE' })
    await twice(201, '/users', { json: { name: 'mara', email: 'mara@example.org', role: 'editor' } })
    const token = await twice(201, '/users/me/tokens', { json: { token_name: 'mine' } })
    await twice(200, `/users/me/tokens/${token.id}`, { method: 'DELETE' })
    const boundary = (name: string) => ({
      headers: { 'content-type': `multipart/form-data; boundary=${name}` },
      raw: `--${name}\r\ncontent-disposition: form-data; name="venue"\r\n\r\nForm\r\n--${name}--\r\n`,
    })
    const key = fresh()
    await service.expect(201, 'editor', '/venues', keyed(key, boundary('one')))
    const again = await service.call('editor', '/venues', keyed(key, boundary('two')))
    assert.equal(again.headers['idempotent-replayed'], 'true')
    const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'END:VCALENDAR', ''].join('\r\n')
    const file = { headers: { 'content-type': 'text/calendar' }, raw: calendar }
    await twice(200, '/import', file)
  })

  it('stores no answer of a request that was too many', async () => {
    let now = 1_900_000_000
    const settings = { rateLimitLoopback: 'yes', userRateLimit: '20', rateLimit: '0' }
    const limited = await startService({ settings, clock: () => now })
    try {
      const requests = [
        { method: 'POST', path: '/events', body: EVENT },
        ...Array(25).fill({ path: '/tags', method: 'GET' }),
      ]
      await limited.expect(429, 'editor', '/batch', keyed('many', { json: { requests } }))
      now += 60
      const few = { requests: requests.slice(0, 1) }
      await limited.expect(200, 'editor', '/batch', keyed('many', { json: few }))
    } finally {
      await limited.close()
    }
  })

  it('stores no answer that can be read without the key', async () => {
    const { token } = await service.expect(
      201,
      'author',
      '/users/me/tokens',
      keyed('a secret key', { json: { token_name: 'hidden' } }),
    )
    const rows = await service.db.read((tx) => tx.selectFrom('idempotency_keys').selectAll().execute())
    assert.ok(rows.length > 0)
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(`a secret key|${token}`))
  })

  it('stores no answer to reads, but refusals of writes', async () => {
    const stored = async (work: (key: string) => Promise<Json>) => {
      const keysBefore = await service.db.read((tx) => tx.selectFrom('idempotency_keys').select('key').execute())
      await work(fresh())
      const keysAfter = await service.db.read((tx) => tx.selectFrom('idempotency_keys').select('key').execute())
      return keysAfter.length - keysBefore.length
    }
    const get = { method: 'GET', path: '/events?per_page=50' }
    const batch = (requests: Json[]) => (key: string) =>
      service.expect(200, 'subscriber', '/batch', keyed(key, { json: { requests } }))
    assert.equal(await stored(batch([get, { ...get, method: 'get' }])), 0)
    for (const method of ['GET', 'HEAD'] as const)
      assert.equal(await stored((key) => service.call('subscriber', '/events', keyed(key, { method }))), 0)
    assert.equal(await stored(batch([get, { method: 'POST', path: '/events', body: EVENT }])), 1)
    assert.equal(await stored((key) => service.expect(403, 'subscriber', '/events', keyed(key, { json: EVENT }))), 1)
    assert.equal(await stored((key) => service.expect(400, 'subscriber', '/batch', keyed(key, { json: {} }))), 1)
    assert.equal(
      await stored((key) =>
        service.call('subscriber', '/batch', keyed(key, { raw: '{', headers: { 'content-type': 'application/json' } })),
      ),
      1,
    )
  })

  it('stores so many bytes of answers for each user, and still does nothing twice', async () => {
    const small = await startService({ settings: { historyQuota: '100000' } })
    try {
      // Text that does not get smaller: answers are compressed.
      const description = Array.from({ length: 800 }, () => Math.random().toString(36).slice(2)).join(' ')
      const json = { ...EVENT, description }
      const first = await small.expect(201, 'editor', '/events', keyed('first', { json }))
      await small.expect(201, 'author', '/events', keyed('first', { json }))
      // A second is the least by which times of keys differ.
      const age = () =>
        small.db.write(async (tx) => {
          await tx
            .updateTable('idempotency_keys')
            .set((eb) => ({ created_utc: eb('created_utc', '-', 60) }))
            .execute()
          await tx
            .updateTable('stored_bytes')
            .set((eb) => ({ upto: eb('upto', '-', 60) }))
            .where('kind', '=', 'answers')
            .execute()
        })
      for (let n = 0; n < 20; n++) {
        await age()
        await small.expect(201, 'editor', '/events', keyed(`key ${n}`, { json }))
      }
      const bodies = await small.db.read((tx) => tx.selectFrom('idempotency_keys').select(['user', 'body']).execute())
      const bytes = (user: number) =>
        bodies.filter((one) => one.user === user).reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
      assert.ok(
        bytes(small.ids.editor) > 20_000 && bytes(small.ids.editor) < 120_000,
        `${bytes(small.ids.editor)} bytes`,
      )
      assert.ok(bytes(small.ids.author) > 5000)
      const again = await small.call('editor', '/events', keyed('first', { json }))
      assert.deepEqual([again.statusCode, again.headers['idempotent-replayed']], [201, 'true'])
      assert.equal(again.headers.location, `http://calendar.example.org:8080/calendar/events/v1/events/${first.id}`)
    } finally {
      await small.close()
    }
  })

  it('is forgotten after a day', async () => {
    const key = fresh()
    const first = await service.expect(201, 'editor', '/events', keyed(key, { json: EVENT }))
    await service.db.write((tx) => tx.updateTable('idempotency_keys').set({ created_utc: 1 }).execute())
    const again = await service.expect(201, 'editor', '/events', keyed(key, { json: EVENT }))
    assert.notEqual(again.id, first.id)
    await forgettingKeys(service).run(null, new AbortController().signal)
    const rows = await service.db.read((tx) => tx.selectFrom('idempotency_keys').select('key').execute())
    assert.equal(rows.length, 1)
  })
})
