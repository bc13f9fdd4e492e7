import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import { ROLES } from '../../src/domain/access.ts'
import { acting } from '../../src/domain/acting.ts'
import { forgettingAudit } from '../../src/domain/audit.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import * as users from '../../src/domain/users.ts'
import { type Json, PASSWORD, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'Concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
const NOW = 1_900_000_000

describe('the audit log', () => {
  let service: Service
  let now = NOW
  before(async () => {
    service = await startService({ clock: () => now })
  })
  after(() => service.close())

  const list = async (query: Record<string, unknown> = {}): Promise<Json[]> =>
    (await service.expect(200, 'administrator', '/audit', { query })).audit
  const newest = async (record: string): Promise<Json> => (await list({ record }))[0]
  const create = (json: object = {}) => service.expect(201, 'editor', '/events', { json: { ...EVENT, ...json } })
  const count = () =>
    service.db.read(async (tx) => {
      const { total } = await tx
        .selectFrom('audit')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return Number(total)
    })

  it('says who created an event, when, from where and how', async () => {
    const { id } = await create({ venue: { venue: 'Hall' }, tags: ['jazz'], categories: ['Music'] })
    const entry = await newest(`event:${id}`)
    assert.deepEqual(entry.user, { id: service.ids.editor, name: 'editor' })
    assert.deepEqual([entry.way, entry.action, entry.address], ['rest', 'created', '127.0.0.1'])
    assert.deepEqual(entry.record, { type: 'event', id, title: 'Concert' })
    assert.equal(entry.date_utc, '2030-03-17 17:46:40')
    assert.equal(entry.before, null)
    assert.equal(entry.after.title, 'Concert')
    assert.deepEqual([entry.after.venue.length, entry.after.tags.length, entry.after.categories.length], [1, 1, 1])
    assert.equal((await newest(`venue:${entry.after.venue[0]}`)).action, 'created')
    assert.equal((await newest(`tag:${entry.after.tags[0]}`)).after.name, 'jazz')
  })

  it('has the changed fields before and after, and no others', async () => {
    const { id } = await create({ cost: '5 €', venue: { venue: 'Hall' } })
    await service.expect(200, 'author', `/events/${id}`, { method: 'POST', json: { title: 'x' } }).catch(() => {})
    await service.expect(200, 'administrator', `/events/${id}`, {
      json: { title: 'Recital', cost: null, venue: [], tickets: [{ name: 'Seat', price: '3' }], featured: true },
    })
    const { before, after: now, user, record } = await newest(`event:${id}`)
    assert.equal(user.name, 'administrator')
    assert.equal(record.title, 'Recital')
    assert.deepEqual(Object.keys(before).sort(), ['cost', 'featured', 'tickets', 'title', 'venue'])
    assert.deepEqual([before.title, before.cost, before.featured, before.tickets], ['Concert', '5 €', false, []])
    assert.deepEqual([now.title, now.cost, now.featured, now.venue], ['Recital', null, true, []])
    assert.equal(now.tickets[0].name, 'Seat')
    const total = await count()
    await service.expect(200, 'editor', `/events/${id}`, { json: { title: 'Recital' } })
    assert.equal(await count(), total, 'nothing changed, so nothing is logged')
  })

  it('has what was removed, and what went to the trash', async () => {
    const { id } = await create({ description: 'All of it' })
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })
    const trashed = await newest(`event:${id}`)
    assert.deepEqual([trashed.action, trashed.after.status], ['changed', 'trash'])
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { force: true } })
    const removed = await newest(`event:${id}`)
    assert.deepEqual([removed.action, removed.after, removed.before.title], ['removed', null, 'Concert'])
    assert.match(removed.before.description, /All of it/)
  })

  it('has nothing of what was refused or rolled back', async () => {
    const { id } = await create()
    const total = await count()
    await service.expect(400, 'editor', `/events/${id}`, { json: { title: 'x', start_date: 'never' } })
    await service.expect(403, 'contributor', `/events/${id}`, { json: { title: 'x' } })
    const requests = [
      { method: 'POST', path: `/events/${id}`, body: { title: 'In a batch' } },
      { method: 'POST', path: '/events', body: { title: 'Without dates' } },
    ]
    await service.call('editor', '/batch', { json: { requests, atomic: true } })
    assert.equal(await count(), total)
    await service.call('editor', '/batch', { json: { requests } })
    assert.equal(await count(), total + 1)
    assert.equal((await newest(`event:${id}`)).after.title, 'In a batch')
  })

  it('has one entry for a request that is sent twice with its key', async () => {
    const headers = { 'idempotency-key': '"once"' }
    const first = await service.call('editor', '/events', { json: EVENT, headers })
    const total = await count()
    const second = await service.call('editor', '/events', { json: EVENT, headers })
    assert.equal(second.json().id, first.json().id)
    assert.equal(await count(), total)
  })

  it('has terms, images, users, tokens, webhooks and settings, and never a secret', async () => {
    const secrets: string[] = [PASSWORD, 'event secret', 'another password 1']
    const { id } = await create({ password: 'event secret' })
    assert.equal((await newest(`event:${id}`)).after.password, '(secret)')
    await service.expect(200, 'editor', `/events/${id}`, { json: { password: 'another password 1' } })
    const changed = await newest(`event:${id}`)
    assert.deepEqual([changed.before.password, changed.after.password], ['(secret)', '(secret)'])
    await service.expect(200, 'editor', `/events/${id}`, { json: { password: '' } })
    assert.equal((await newest(`event:${id}`)).after.password, null)

    const term = await service.expect(201, 'editor', '/categories', { json: { name: 'Dance' } })
    await service.expect(200, 'editor', `/categories/${term.id}`, { json: { name: 'Ballet' } })
    assert.deepEqual((await newest(`category:${term.id}`)).before.name, 'Dance')

    const { token, id: tokenId } = await service.expect(201, 'editor', '/users/me/tokens', {
      json: { token_name: 'x' },
    })
    secrets.push(token)
    assert.equal((await newest(`token:${tokenId}`)).after.name, 'x')
    await service.expect(200, 'editor', `/users/me/tokens/${tokenId}`, { method: 'DELETE' })
    assert.equal((await newest(`token:${tokenId}`)).action, 'removed')

    const hook = await service.expect(201, 'administrator', '/webhooks', { json: { url: 'https://example.org/h' } })
    const rotated = await service.expect(200, 'administrator', `/webhooks/${hook.id}/rotate`, { method: 'POST' })
    secrets.push(hook.secret, rotated.secret)
    assert.deepEqual((await newest(`webhook:${hook.id}`)).after, { secret: '(secret)' })

    const json = { name: 'mara', email: 'mara@example.org', role: 'author' }
    const user = await service.expect(201, 'administrator', '/users', { json })
    secrets.push(user.invitation_url.split('/').at(-1))
    await service.expect(200, 'administrator', `/users/${user.id}`, { json: { role: 'editor' } })
    assert.deepEqual((await newest(`user:${user.id}`)).after, { role: 'editor' })

    const rows = await service.db.read((tx) => tx.selectFrom('audit').selectAll().execute())
    const hashes = await service.db.read((tx) => tx.selectFrom('users').select('password_hash').execute())
    const everything = JSON.stringify(rows)
    for (const secret of [...secrets, ...hashes.map((row) => row.password_hash).filter(Boolean)])
      assert.ok(!everything.includes(secret), `${secret} is in the log`)
    assert.ok(!/\$argon2/.test(everything))
  })

  it('names commands, jobs and imports', async () => {
    const store = acting({ db: service.db, clock: () => now }, 'command')
    await users.setRole(store, 'mara', 'author')
    const [command] = await list({ way: 'command' })
    assert.deepEqual([command.user, command.address, command.after], [null, null, { role: 'author' }])

    const { id } = await create({ date_utc: '2030-03-17 18:00:00' })
    now += 3600
    await publishDue(createScope(service.config, service.db, () => now))
    const job = await newest(`event:${id}`)
    assert.deepEqual(
      [job.way, job.user, job.before, job.after],
      ['job', null, { status: 'future' }, { status: 'publish' }],
    )

    const raw =
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a@b\r\nDTSTART:20310610T190000Z\r\nSUMMARY:Imported\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    await service.expect(200, 'editor', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
    const [imported] = await list({ way: 'import' })
    assert.deepEqual([imported.user.name, imported.after.title], ['editor', 'Imported'])
  })

  it('is found by record, user, way, action and time', async () => {
    now += 100_000
    const { id } = await create({ title: 'Late' })
    assert.deepEqual(new Set((await list({ record: 'venue' })).map(({ record }) => record.type)), new Set(['venue']))
    assert.ok((await list({ user: 'editor' })).every(({ user }) => user.name === 'editor'))
    assert.deepEqual(await list({ user: 'nobody' }), [])
    assert.ok((await list({ action: 'removed' })).every(({ action }) => action === 'removed'))
    const late = await list({ after: '2030-03-18 12:00' })
    assert.deepEqual(
      late.map(({ record }) => record.id),
      [id],
    )
    assert.ok((await list({ before: '2030-03-18 12:00' })).every(({ record }) => record.id !== id))
    for (const query of [{ record: 'thing' }, { record: 'event:x' }, { way: 'x' }, { after: 'x' }, { cursor: 'x' }])
      await service.expect(400, 'administrator', '/audit', { query })
  })

  it('has pages and cursors, the newest first', async () => {
    const all: Json[] = []
    let query: Record<string, unknown> = { per_page: 7 }
    for (;;) {
      const page = await service.expect(200, 'administrator', '/audit', { query })
      all.push(...page.audit)
      if (page.next_cursor === undefined) break
      query = { per_page: 7, cursor: page.next_cursor }
    }
    assert.equal(all.length, await count())
    const times = all.map(({ date_utc }) => date_utc)
    assert.deepEqual(times, times.toSorted().reverse())
    const second = await service.expect(200, 'administrator', '/audit', { query: { per_page: 7, page: 2 } })
    assert.deepEqual(second.audit, all.slice(7, 14))
    await service.expect(404, 'administrator', '/audit', { query: { page: 99 } })
  })

  it('is for administrators alone', async () => {
    await service.expect(401, null, '/audit')
    for (const role of ROLES.filter((one) => one !== 'administrator')) await service.expect(403, role, '/audit')
  })

  it('forgets what is too old, and nothing with 0', async () => {
    const total = await count()
    const store = { db: service.db, clock: () => now }
    const { signal } = new AbortController()
    await forgettingAudit(store, 0).run(null, signal)
    assert.equal(await count(), total)
    now += 30 * 86_400
    const { id } = await create({ title: 'Newest' })
    await forgettingAudit(store, 29).run(null, signal)
    assert.deepEqual(
      (await list()).map(({ record }) => record.id),
      [id],
    )
  })
})
