import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'Many', start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }
const create = (title: string, more: object = {}) => ({
  method: 'POST',
  path: '/events',
  body: { ...EVENT, title, ...more },
})

describe('a batch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-batch-'))
  let service: Service
  before(async () => {
    service = await startService({ folder })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const send = async (role: Role, requests: Json[], more: object = {}, headers: Record<string, string> = {}) =>
    (await service.expect(200, role, '/batch', { json: { requests, ...more }, headers })).responses as Json[]
  const statuses = (answers: Json[]) => answers.map(({ status }) => status)
  const total = async (search: string) =>
    (await service.expect(200, 'editor', '/events', { query: { search, start_date: '2031-01-01' } })).total

  it('does its requests in order, and answers each like a single one', async () => {
    const answers = await send('editor', [
      { method: 'POST', path: '/venues', body: { venue: 'Shed' } },
      create('Ordered', { venue: { venue: 'Shed' } }),
      { method: 'GET', path: '/venues?search=shed' },
      { method: 'get', path: 'events/by-slug/ordered?_fields=title' },
      { method: 'PATCH', path: '/events/by-slug/ordered', body: { title: 'Changed' } },
      { method: 'DELETE', path: '/events/by-slug/ordered?force=true' },
      { method: 'GET', path: '/events/by-slug/ordered' },
    ])
    assert.deepEqual(statuses(answers), [201, 201, 200, 200, 200, 200, 404])
    assert.equal(answers[1].body.venue.id, answers[0].body.id)
    assert.equal(answers[2].body.venues.length, 1)
    assert.deepEqual(answers[3].body, { title: 'Ordered' })
    assert.equal(answers[4].body.title, 'Changed')
    assert.equal(answers[6].body.code, 'rest-event-not-found')
  })

  it('does the others if one is refused, unless it is atomic', async () => {
    const requests = [
      create('Kept one'),
      { method: 'POST', path: '/events', body: { title: 'No dates' } },
      { method: 'POST', path: '/nothing' },
      { method: 'PUT', path: '/events', body: {} },
      create('Kept two', { venue: { venue: 'New', geo_lat: 1 } }),
    ]
    const answers = await send('editor', requests)
    assert.deepEqual(statuses(answers), [201, 400, 404, 405, 400])
    assert.equal(answers[1].body.code, 'rest_missing_callback_param')
    assert.equal(await total('Kept'), 1)
    const none = await send('editor', requests, { atomic: true })
    assert.deepEqual(statuses(none), [424, 400, 404, 405, 400])
    assert.equal(none[0].body.code, 'rest_batch_rolled_back')
    assert.equal(await total('Kept'), 1)
    const all = await send('editor', [create('All one'), create('All two')], { atomic: true })
    assert.deepEqual(statuses(all), [201, 201])
    assert.equal(await total('All'), 2)
  })

  it('says in one field whether a request of an atomic batch was refused', async () => {
    const bad = { method: 'GET', path: '/events/999999' }
    for (const requests of [
      [create('Told'), bad],
      [{ method: 'GET', path: '/tags' }, bad],
    ])
      for (const atomic of [true, false]) {
        const answer = await service.expect(200, 'editor', '/batch', { json: { requests, atomic } })
        assert.equal(answer.rolled_back, atomic)
        assert.equal(answer.responses[0].status === 424, atomic)
      }
  })

  it('reaches every address below the namespace, and says which methods it has', async () => {
    const { id } = await service.expect(201, 'editor', '/events', { json: { ...EVENT, title: 'Brought back' } })
    await service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json: { title: 'Changed' } })
    const { versions } = await service.expect(200, 'editor', `/events/${id}/versions`)
    const hook = await service.expect(201, 'administrator', '/webhooks', { json: { url: 'https://example.org/hook' } })
    const answers = await send('administrator', [
      { method: 'GET', path: `/events/${id}/versions/${versions[1].version}` },
      { method: 'POST', path: `/events/${id}/versions/${versions[1].version}/restore` },
      { method: 'POST', path: `/webhooks/${hook.id}/deliveries/nothing/resend` },
      { method: 'PATCH', path: '/events' },
      { method: 'DELETE', path: `/events/${id}/versions` },
      { method: 'GET', path: '/calendar/events/v1' },
    ])
    assert.deepEqual(statuses(answers), [200, 200, 404, 405, 405, 200])
    assert.equal(answers[1].body.title, 'Brought back')
    assert.notEqual(answers[2].body.code, 'rest_no_route')
    assert.match(answers[3].body.message, /use one of GET, POST/)
    assert.match(answers[4].body.message, /use one of GET/)
  })

  it('has the rights of its sender', async () => {
    const { id } = await service.expect(201, 'editor', '/events', { json: EVENT })
    const change = { method: 'PATCH', path: `/events/${id}`, body: { title: 'Taken' } }
    assert.deepEqual(statuses(await send('author', [change, create('Own')])), [403, 201])
    assert.deepEqual(statuses(await send('subscriber', [create('None'), { method: 'GET', path: '/tags' }])), [403, 200])
    assert.equal((await service.call(null, '/batch', { json: { requests: [create('x')] } })).statusCode, 401)
    assert.deepEqual(statuses(await send('contributor', [{ method: 'GET', path: '/users' }])), [403])
  })

  it('is bounded, and holds no batch, import or image', async () => {
    const many = Array.from({ length: 101 }, (_, n) => create(`Too ${n}`))
    for (const requests of [many, [], 'x', [{ method: 'BREW', path: '/' }], [{ method: 'GET' }], [{ path: '/' }]])
      await service.expect(400, 'editor', '/batch', { json: { requests } })
    assert.equal(await total('Too'), 0)
    const not = await send('editor', [
      { method: 'POST', path: '/batch', body: { requests: [] } },
      { method: 'POST', path: '/import', body: { url: 'https://example.org' } },
      { method: 'POST', path: '/images', body: {} },
    ])
    assert.deepEqual(statuses(not), [400, 400, 400])
    assert.ok(not.every(({ body }) => body.code === 'rest_not_in_batch'))
  })

  it('is done once for an Idempotency-Key, with all that it writes', async () => {
    const requests = [create('Keyed one'), { method: 'POST', path: '/events', body: {} }, create('Keyed two')]
    for (const atomic of [true, false]) {
      const headers = { 'idempotency-key': `batch ${atomic}` }
      const first = await send('editor', requests, { atomic }, headers)
      assert.deepEqual(await send('editor', requests, { atomic }, headers), first)
      assert.equal(await total('Keyed'), atomic ? 0 : 2)
    }
  })

  it('is refused in words from the answer on that does not fit, and does nothing of it and after it', async () => {
    const description = `${'word '.repeat(19_000)}`
    const { id } = await service.expect(201, 'editor', '/events', { json: { ...EVENT, title: 'Huge', description } })
    const read = { method: 'GET', path: `/events/${id}` }
    const change = (title: string) => ({ method: 'PATCH', path: `/events/${id}`, body: { title } })
    const one = (await service.call('editor', `/events/${id}`)).body.length
    const most = Math.floor(10_000_000 / one)
    assert.ok(most < 99, `${most} fit`)
    const reads = Array.from({ length: 100 }, () => read)
    const many = await service.call('editor', '/batch', { json: { requests: reads } })
    assert.ok(many.body.length < 10_100_000, `${many.body.length} bytes`)
    const codes = (many.json() as Json).responses.map(({ status, body }: Json) => (status === 200 ? status : body.code))
    assert.deepEqual([codes[most - 1], codes[most], codes[99]], [200, 'rest_batch_too_long', 'rest_batch_too_long'])
    const writes = [change('Fits'), ...reads.slice(0, most - 1), change('Does not fit')]
    assert.deepEqual(statuses(await send('editor', writes)), [...Array(most).fill(200), 400])
    assert.equal((await service.expect(200, 'editor', `/events/${id}`)).title, 'Fits')
    const atomic = await send('editor', [change('Other'), ...reads.slice(1)], { atomic: true })
    assert.deepEqual([atomic[0].status, atomic[99].status], [424, 400])
    assert.equal((await service.expect(200, 'editor', `/events/${id}`)).title, 'Fits')
  })

  it('counts each request against the limits', async () => {
    const limited = await startService({ settings: { rateLimitLoopback: 'yes', userRateLimit: '20', rateLimit: '0' } })
    try {
      const json = { requests: Array.from({ length: 30 }, () => ({ method: 'GET', path: '/tags' })) }
      await limited.expect(429, 'editor', '/batch', { json })
    } finally {
      await limited.close()
    }
  })
})
