import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '../../src/domain/access.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import { PAUSES } from '../../src/domain/webhooks/delivering.ts'
import * as records from '../../src/storage/records.ts'
import { isSigned, type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'
import { eventually } from '../support/workers.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const HOST = { settings: { fetchHosts: '127.0.0.1' } }

/** A service that sends, and a receiver. */
async function started(t: TestContext, options: { clock?: () => number } = {}): Promise<[Service, Receiver]> {
  const service = await startService({ ...HOST, ...options })
  const receiver = await startReceiver()
  t.after(async () => {
    await receiver.close()
    await service.close()
  })
  service.startJobs()
  return [service, receiver]
}
const hook = (service: Service, json: object) => service.expect(201, 'administrator', '/webhooks', { json })
const patch = (service: Service, path: string, json: object) =>
  service.expect(200, 'editor', path, { method: 'PATCH', json })
const types = (received: readonly Received[]) => received.map(({ body }) => body.type)
const listed = async (service: Service, id: number, query: Record<string, string> = {}): Promise<Json[]> =>
  (await service.expect(200, 'administrator', `/webhooks/${id}/deliveries`, { query })).deliveries
const toldOf = async (service: Service, id: number) => (await listed(service, id)).map(({ type }) => type)

describe('webhooks', () => {
  it('are made, listed, changed and removed by administrators, and show their secret once', async (t) => {
    const [service, receiver] = await started(t)
    const made = await hook(service, {
      url: receiver.url,
      events: ['event.created', 'tag.removed'],
      description: 'Site',
    })
    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{40,}=*$/)
    const { secret: _, ...shown } = made
    assert.deepEqual([shown.active, shown.payload, shown.description], [true, 'thin', 'Site'])
    assert.deepEqual(await service.expect(200, 'administrator', `/webhooks/${made.id}`), shown)
    const list = await service.expect(200, 'administrator', '/webhooks')
    assert.deepEqual([list.webhooks, list.total], [[shown], 1])
    const changed = await service.expect(200, 'administrator', `/webhooks/${made.id}`, {
      method: 'PUT',
      json: { ...shown, active: false, payload: 'full' },
    })
    assert.deepEqual(changed, { ...shown, active: false, payload: 'full' })
    for (const role of ['editor', 'author', 'subscriber'] as Role[]) {
      await service.expect(403, role, '/webhooks')
      await service.expect(403, role, '/webhooks', { json: { url: receiver.url } })
      await service.expect(403, role, `/webhooks/${made.id}/deliveries`)
    }
    await service.expect(401, null, '/webhooks')
    await service.expect(200, 'administrator', `/webhooks/${made.id}`, { method: 'DELETE' })
    const gone = await service.expect(404, 'administrator', `/webhooks/${made.id}`)
    assert.equal(gone.code, 'webhook-not-found')
    const bad = await service.expect(400, 'administrator', '/webhooks', {
      json: { url: 'ftp://x.org', events: ['event.eaten'], payload: 'fat' },
    })
    assert.deepEqual(Object.keys(bad.data.params).sort(), ['events', 'payload', 'url'])
  })

  it('refuse addresses that must not be fetched when they are saved', async (t) => {
    const [service, receiver] = await started(t)
    const urls = [
      'http://10.0.0.1/x',
      'http://[::1]/',
      'http://localhost:99/',
      'http://localhost./',
      'http://ip6-localhost/',
      'http://IP6-Loopback.:80/',
      'http://a.localhost/',
      'http://printer.local/',
      'http://metadata.google.internal./',
      'http://intranet/',
      'https://169.254.169.254/latest',
      'http://u:p@example.org/',
    ]
    for (const url of urls) {
      const error = await service.expect(400, 'administrator', '/webhooks', { json: { url } })
      assert.deepEqual(Object.keys(error.data.params), ['url'], url)
    }
    const { id } = await hook(service, { url: receiver.url })
    await service.expect(400, 'administrator', `/webhooks/${id}`, { method: 'PATCH', json: { url: urls[0] } })
    assert.equal((await service.expect(200, 'administrator', `/webhooks/${id}`)).url, receiver.url)
  })

  it('are told of a change when it is answered, also after changes that nobody was told of', async () => {
    const service = await startService(HOST)
    for (let n = 0; n < 3; n++) await service.expect(201, 'editor', '/events', { json: EVENT })
    const { id } = await hook(service, { url: 'http://127.0.0.1:1/', payload: 'full' })
    const created = await service.expect(201, 'editor', '/events', { json: EVENT })
    assert.deepEqual(await toldOf(service, id), ['event.published', 'event.created'])
    await patch(service, `/events/${created.id}`, { title: 'Later' })
    assert.equal((await toldOf(service, id))[0], 'event.updated')
    await service.close()
  })

  it('tell of each change in order, signed, with the record as it was after that change', async (t) => {
    const [service, receiver] = await started(t)
    const { id, secret } = await hook(service, { url: receiver.url, payload: 'full' })
    const event = await service.expect(201, 'editor', '/events', { json: { ...EVENT, title: 'One', status: 'draft' } })
    for (const title of ['Two', 'Three']) await patch(service, `/events/${event.id}`, { title })
    await patch(service, `/events/${event.id}`, { status: 'publish' })
    await patch(service, `/events/${event.id}`, { password: 'secret' })
    await service.expect(200, 'editor', `/events/${event.id}`, { method: 'DELETE' })
    await patch(service, `/events/${event.id}`, { status: 'publish', password: '' })
    await service.expect(200, 'editor', `/events/${event.id}?force=true`, { method: 'DELETE' })
    await eventually(() => receiver.received.length >= 12)
    assert.deepEqual(types(receiver.received), [
      'event.created',
      'event.updated',
      'event.updated',
      'event.updated',
      'event.published',
      'event.updated',
      'event.unpublished',
      'event.removed',
      'event.updated',
      'event.published',
      'event.removed',
      'event.unpublished',
    ])
    const bodies = receiver.received.map(({ body }) => body)
    for (const { data } of bodies) assert.deepEqual([data.type, data.id], ['event', event.id])
    assert.deepEqual(
      bodies.map(({ data }) => data.record && `${data.record.title} ${data.record.status}`),
      [
        'One draft',
        'Two draft',
        ...['Three draft', 'Three publish', 'Three publish', 'Three publish', 'Three publish'],
        'Three trash',
        ...['Three publish', 'Three publish'],
        ...[undefined, undefined],
      ],
    )
    for (const { headers, text, body } of receiver.received) {
      assert.ok(isSigned(text, headers, secret))
      assert.equal(isSigned(`${text} `, headers, secret), false)
      assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(headers['content-type'], 'application/json')
    }
    await eventually(async () => (await listed(service, id, { status: 'pending' })).length === 0)
    const all = await listed(service, id)
    assert.deepEqual(
      all.map((one) => one.id).reverse(),
      receiver.received.map(({ headers }) => headers['webhook-id']),
    )
    assert.deepEqual([all[0].status, all[0].attempts, all[0].type], ['delivered', 1, 'event.unpublished'])
  })

  it('tell of all kinds of records, of those that change with others, and only of what was asked for', async (t) => {
    let now = Math.floor(Date.now() / 1000)
    const [service, receiver] = await started(t, { clock: () => now })
    await hook(service, {
      url: receiver.url,
      events: ['venue.published', 'category.updated', 'tag.created', 'event.published'],
    })
    const later = new Date((now + 1000) * 1000).toISOString()
    await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, date_utc: later, venue: { venue: 'Hall', status: 'draft' }, tags: ['new tag'] },
    })
    now += 2000
    await publishDue({ db: service.db, clock: () => now })
    const above = await service.expect(201, 'editor', '/categories', { json: { name: 'above' } })
    const below = await service.expect(201, 'editor', '/categories', { json: { name: 'below', parent: above.id } })
    await service.expect(200, 'editor', `/categories/${above.id}`, { method: 'DELETE' })
    await eventually(() => receiver.received.length >= 4)
    assert.deepEqual(types(receiver.received).sort(), [
      'category.updated',
      'event.published',
      'tag.created',
      'venue.published',
    ])
    const child = receiver.received.find(({ body }) => body.type === 'category.updated')
    assert.deepEqual(child?.body.data, { type: 'category', id: below.id })
  })

  it('send nothing for what was rolled back or refused, and nothing while they are off', async (t) => {
    const [service, receiver] = await started(t)
    const { id } = await hook(service, { url: receiver.url })
    const event = await service.expect(201, 'editor', '/events', { json: { ...EVENT, status: 'draft' } })
    const failing = service.db.write(async (tx) => {
      await records.update(tx, 'event', event.id, { title: 'Never' })
      throw new Error('on purpose')
    })
    await assert.rejects(failing)
    await service.expect(400, 'editor', `/events/${event.id}`, { method: 'PATCH', json: { start_date: 'never' } })
    const off = (active: boolean) =>
      service.expect(200, 'administrator', `/webhooks/${id}`, { method: 'PATCH', json: { active } })
    await eventually(() => receiver.received.length === 1)
    await off(false)
    await patch(service, `/events/${event.id}`, { title: 'Unheard' })
    await off(true)
    await patch(service, `/events/${event.id}`, { title: 'Heard', status: 'publish' })
    await eventually(() => receiver.received.length === 3)
    assert.deepEqual(types(receiver.received), ['event.created', 'event.updated', 'event.published'])
  })

  it('are tried again, first after five seconds, in order for each record, and hold nobody up', async (t) => {
    const [service, receiver] = await started(t)
    const slow = await startReceiver()
    t.after(() => slow.close())
    const { promise: gate, resolve: open } = Promise.withResolvers<number>()
    slow.answer = () => gate
    let isDown = true
    receiver.answer = ({ body }) => (isDown && body.data.type === 'event' ? 503 : 200)
    const { id } = await hook(service, { url: receiver.url })
    await hook(service, { url: slow.url })
    const event = await service.expect(201, 'editor', '/events', { json: { ...EVENT, status: 'draft' } })
    await patch(service, `/events/${event.id}`, { title: 'Changed' })
    for (let n = 0; n < 12; n++) await service.expect(201, 'editor', '/tags', { json: { name: `tag ${n}` } })
    await eventually(() => types(receiver.received).filter((type) => type === 'tag.created').length === 12)
    assert.deepEqual(
      types(receiver.received).filter((type) => type.startsWith('event')),
      ['event.created'],
    )
    isDown = false
    await eventually(() => types(receiver.received).includes('event.updated'))
    const [first, second, third] = receiver.received.filter(({ body }) => body.data.type === 'event')
    assert.deepEqual(types([first, second, third] as Received[]), ['event.created', 'event.created', 'event.updated'])
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
    const pause = ((second?.at ?? 0) - (first?.at ?? 0)) / 1000
    assert.ok(pause >= 4 && pause < 9, `it was sent again after ${pause} s`)
    const delivery = (await listed(service, id)).find((one) => one.type === 'event.created')
    assert.deepEqual([delivery.status, delivery.attempts], ['delivered', 2])
    open(200)
  })

  it('of one record that fail keep back none of other records of the kind, those that waited or come later', async (t) => {
    // Time stands still, so what is put off is not sent.
    const now = Math.floor(Date.now() / 1000)
    const [service, receiver] = await started(t, { clock: () => now })
    const held = Promise.withResolvers<number>()
    const isOf = (id: number) => (one: Received) => one.body.data.id === id
    const make = async () =>
      (await service.expect(201, 'editor', '/events', { json: { ...EVENT, status: 'draft' } })).id
    const other = await make()
    const failing = await make()
    receiver.answer = (one) => (isOf(failing)(one) ? 503 : one.body.data.id === other ? held.promise : 204)
    const { id } = await hook(service, { url: receiver.url, events: ['event.updated'] })
    // The second of the other record waits for the first, which is under way while this one fails.
    for (const title of ['One', 'Two']) await patch(service, `/events/${other}`, { title })
    await patch(service, `/events/${failing}`, { title: 'Fails' })
    const attempts = async () => (await listed(service, id)).find(({ data }) => data.id === failing)?.attempts
    await eventually(async () => (await attempts()) === 1)
    held.resolve(204)
    const later = await make()
    await patch(service, `/events/${later}`, { title: 'Later' })
    await eventually(() => receiver.received.filter(isOf(other)).length === 2 && receiver.received.some(isOf(later)))
    assert.equal(receiver.received.filter(isOf(failing)).length, 1)
  })

  it('are given up after three days, can be sent again, and follow no redirect', async (t) => {
    let now = Math.floor(Date.now() / 1000)
    const [service, receiver] = await started(t, { clock: () => now })
    receiver.answer = () => 302
    const { id } = await hook(service, { url: receiver.url, events: 'event.created' })
    await service.expect(201, 'editor', '/events', { json: EVENT })
    const state = async () => (await listed(service, id))[0]
    for (const [n, pause] of [...PAUSES, 0].entries()) {
      await eventually(async () => (await state())?.attempts === n + 1)
      now += pause
    }
    assert.deepEqual([(await state()).status, (await state()).response_status], ['failed', 302])
    assert.equal(
      PAUSES.reduce((sum, pause) => sum + pause),
      3 * 86_400,
    )
    assert.ok(PAUSES.every((pause, n) => n === 0 || pause > (PAUSES[n - 1] ?? 0)))
    assert.equal(receiver.received.length, PAUSES.length + 1)
    receiver.answer = () => 200
    const again = await service.expect(
      200,
      'administrator',
      `/webhooks/${id}/deliveries/${(await state()).id}/resend`,
      { method: 'POST' },
    )
    assert.equal(again.status, 'pending')
    await eventually(async () => (await state()).status === 'delivered')
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
    await service.expect(404, 'administrator', `/webhooks/${id}/deliveries/nothing/resend`, { method: 'POST' })
  })

  it('are sent once, however many are under way', async (t) => {
    const [service, receiver] = await started(t)
    receiver.answer = async ({ text }) => {
      await sleep(text.length % 7)
      return 204
    }
    const hooks = 6
    for (let n = 0; n < hooks; n++) await hook(service, { url: receiver.url, events: ['event.created', 'tag.created'] })
    const count = times(40, 15)
    const json = Array.from({ length: count }, (_, n) => ({ ...EVENT, title: `E ${n}`, tags: [`tag ${n}`] }))
    for (const one of json) await service.expect(201, 'editor', '/events', { json: one })
    await eventually(
      () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size === 2 * count * hooks,
    )
    await sleep(500)
    assert.equal(receiver.received.length, 2 * count * hooks)
  })

  it('are switched off by 410', async (t) => {
    const [service, receiver] = await started(t)
    receiver.answer = () => 410
    const { id } = await hook(service, { url: receiver.url })
    await service.expect(201, 'editor', '/events', { json: EVENT })
    await eventually(async () => !(await service.expect(200, 'administrator', `/webhooks/${id}`)).active)
    await eventually(async () => (await listed(service, id, { status: 'pending' })).length === 0)
    const before = receiver.received.length
    const other = await startReceiver()
    t.after(() => other.close())
    await hook(service, { url: other.url, events: 'event.created' })
    await service.expect(201, 'editor', '/events', { json: EVENT })
    await eventually(() => other.received.length === 1)
    assert.equal(receiver.received.length, before)
    assert.ok((await listed(service, id)).every(({ status }) => status === 'failed'))
  })

  it('sign with the old and the new secret after a rotation', async (t) => {
    let now = Math.floor(Date.now() / 1000)
    const [service, receiver] = await started(t, { clock: () => now })
    const { id, secret } = await hook(service, { url: receiver.url, events: ['event.created'] })
    const rotated = await service.expect(200, 'administrator', `/webhooks/${id}/rotate`, { method: 'POST' })
    assert.notEqual(rotated.secret, secret)
    await service.expect(201, 'editor', '/events', { json: EVENT })
    await eventually(() => receiver.received.length === 1)
    const [first] = receiver.received
    for (const one of [secret, rotated.secret]) assert.ok(first && isSigned(first.text, first.headers, one))
    now += 86_401
    await service.expect(201, 'editor', '/events', { json: EVENT })
    await eventually(() => receiver.received.length === 2)
    assert.equal(String(receiver.received[1]?.headers['webhook-signature']).split(' ').length, 1)
  })
})
