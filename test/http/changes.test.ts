import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { forgetting } from '../../src/domain/changes.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import * as records from '../../src/storage/records.ts'
import { Copy } from '../support/replica-of-changes.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const DAY = 86_400

const started = async (t: { after(work: () => Promise<void>): void }, clock?: () => number): Promise<Service> => {
  const service = await startService(clock ? { clock } : {})
  t.after(() => service.close())
  return service
}
const brief = (changes: Json[]) => changes.map(({ type, id, action }) => `${type} ${id} ${action}`)
const since = async (service: Service, role: Role | null, token?: string, query: Record<string, unknown> = {}) =>
  service.expect(200, role, '/changes', { query: { ...query, ...(token && { since: token }) } })

describe('changes', () => {
  it('tell everything there is, then what has changed, oldest first and each record once', async (t) => {
    const service = await started(t)
    const one = await service.expect(201, 'editor', '/events', { json: EVENT })
    const venue = await service.expect(201, 'editor', '/venues', { json: { venue: 'Hall' } })
    const tag = await service.expect(201, 'editor', '/tags', { json: { name: 'jazz' } })
    const first = await since(service, null)
    assert.deepEqual(brief(first.changes), [
      `event ${one.id} changed`,
      `venue ${venue.id} changed`,
      `tag ${tag.id} changed`,
    ])
    assert.equal(first.more, false)
    assert.equal(first.changes[0].modified_utc, one.modified_utc)
    const quiet = await since(service, null, first.next)
    assert.deepEqual([quiet.changes, quiet.more], [[], false])

    const two = await service.expect(201, 'editor', '/events', { json: EVENT })
    for (const title of ['F', 'G'])
      await service.expect(200, 'editor', `/events/${one.id}`, { method: 'PATCH', json: { title } })
    await service.expect(200, 'editor', `/tags/${tag.id}`, { method: 'DELETE' })
    for (const token of [first.next, quiet.next]) {
      const told = await since(service, null, token)
      assert.deepEqual(brief(told.changes), [
        `event ${two.id} changed`,
        `event ${one.id} changed`,
        `tag ${tag.id} removed`,
      ])
    }
    const events = await since(service, null, first.next, { types: 'event,venue', include: 'record' })
    assert.equal(events.changes.length, 2)
    for (const { id, record } of events.changes)
      assert.deepEqual(record, await service.expect(200, null, `/events/${id}`))
    assert.equal('record' in (await since(service, null, first.next)).changes[0], false)
  })

  it('come in pages, and a record that is changed in between is told again at the end', async (t) => {
    const service = await started(t)
    const ids: number[] = []
    for (let n = 0; n < 5; n++) ids.push((await service.expect(201, 'editor', '/events', { json: EVENT })).id)
    const page = await since(service, null, undefined, { per_page: 2 })
    assert.deepEqual([brief(page.changes), page.more], [[`event ${ids[0]} changed`, `event ${ids[1]} changed`], true])
    await service.expect(200, 'editor', `/events/${ids[0]}`, { method: 'DELETE' })
    await service.expect(200, 'editor', `/events/${ids[2]}`, { method: 'DELETE' })
    const rest = await since(service, null, page.next)
    assert.deepEqual(brief(rest.changes), [
      `event ${ids[3]} changed`,
      `event ${ids[4]} changed`,
      `event ${ids[0]} removed`,
      `event ${ids[2]} removed`,
    ])
    const again = await since(service, null)
    assert.deepEqual(brief(again.changes), [
      `event ${ids[1]} changed`,
      `event ${ids[3]} changed`,
      `event ${ids[4]} changed`,
    ])
  })

  it('are those that each reader may see', async (t) => {
    const service = await started(t)
    const roles = [null, 'subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
    const tokens = new Map<Role | null, string>()
    for (const role of roles) tokens.set(role, (await since(service, role)).next)
    /** What each role is told of an event since the last call: c, r, or a dash for nothing. */
    const told = async (id: number) => {
      const letters: string[] = []
      for (const role of roles) {
        const answer = await since(service, role, tokens.get(role))
        tokens.set(role, answer.next)
        const [change, ...others] = answer.changes.filter((one: Json) => one.type === 'event' && one.id === id)
        assert.deepEqual(others, [])
        letters.push(change === undefined ? '-' : change.action[0])
      }
      return letters.join('')
    }
    const made = async (role: Role, json: object) =>
      (await service.expect(201, role, '/events', { json: { ...EVENT, ...json } })).id
    const patch = (id: number, json: object) =>
      service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json })

    const draft = await made('author', { status: 'draft' })
    assert.equal(await told(draft), '---ccc', 'a draft: its author, and editors')
    await patch(draft, { status: 'publish' })
    assert.equal(await told(draft), 'cccccc', 'it is published')
    await patch(draft, { status: 'private' })
    assert.equal(await told(draft), 'rrrccc', 'it is unpublished')
    await patch(draft, { status: 'publish', password: 'secret' })
    assert.equal(await told(draft), 'rrrrcc', 'it is protected')
    await patch(draft, { password: '', hide_from_listings: true })
    assert.equal(await told(draft), 'rrrrcc', 'it is hidden from lists')
    await patch(draft, { hide_from_listings: false })
    assert.equal(await told(draft), 'cccccc', 'it is shown again')
    await service.expect(200, 'editor', `/events/${draft}`, { method: 'DELETE' })
    assert.equal(await told(draft), 'rrrrrr', 'it is in the trash')
    await service.expect(200, 'editor', `/events/${draft}?force=true`, { method: 'DELETE' })
    assert.equal(await told(draft), 'rrrrrr', 'it is gone')

    const secret = await made('editor', { status: 'draft' })
    assert.equal(await told(secret), '----cc')
    await service.expect(200, 'editor', `/events/${secret}?force=true`, { method: 'DELETE' })
    assert.equal(await told(secret), '----rr', 'what a reader never could see is not told')

    const locked = await made('editor', { password: 'secret' })
    assert.equal(await told(locked), '----cc')
    const own = await made('contributor', { status: 'draft' })
    assert.equal(await told(own), '--c-cc')
    await patch(own, { author: service.ids.author })
    assert.equal(await told(own), '--rccc', 'it has another author')

    const before = tokens.get(null)
    await made('contributor', { tags: 'hidden tag', status: 'draft' })
    const tags = async (role: Role | null) => (await since(service, role, before, { types: 'tag' })).changes.length
    assert.deepEqual([await tags(null), await tags('editor')], [0, 1], 'a tag that no published event has')
  })

  it('tell what publishes itself, linked drafts, children of removed categories, and events that lose a link', async (t) => {
    let now = Math.floor(Date.parse('2031-01-01T00:00:00Z') / 1000)
    const service = await started(t, () => now)
    const copy = new Copy(service, null)
    await copy.follow()
    const changed = async () => brief(await copy.follow()).sort()

    const later = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, date_utc: '2031-01-02 00:00:00', venue: { venue: 'Draft hall', status: 'draft' } },
    })
    assert.deepEqual(await changed(), [])
    now += 2 * DAY
    assert.equal(await publishDue({ db: service.db, clock: () => now }), 1)
    const hall = (await service.expect(200, null, `/events/${later.id}`)).venue
    assert.deepEqual(await changed(), [`event ${later.id} changed`, `venue ${hall.id} changed`])

    const above = await service.expect(201, 'editor', '/categories', { json: { name: 'above' } })
    const below = await service.expect(201, 'editor', '/categories', { json: { name: 'below', parent: above.id } })
    const event = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, categories: [above.id], venue: hall.id },
    })
    await copy.follow()
    await service.expect(200, 'editor', `/categories/${above.id}`, { method: 'DELETE' })
    assert.deepEqual(await changed(), [
      `category ${above.id} removed`,
      `category ${below.id} changed`,
      `event ${event.id} changed`,
    ])
    await service.expect(200, 'editor', `/venues/${hall.id}?force=true`, { method: 'DELETE' })
    assert.deepEqual(
      await changed(),
      [`event ${later.id} changed`, `event ${event.id} changed`, `venue ${hall.id} removed`].sort(),
    )

    const raw =
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20300101T000000Z\r\nDTSTART:20310701T100000Z\r\nDTEND:20310701T110000Z\r\nSUMMARY:Imported\r\nCATEGORIES:new one\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
    await service.expect(200, 'editor', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
    assert.deepEqual(
      (await changed()).map((line) => line.replace(/ \d+ /, ' ')),
      ['category changed', 'event changed'],
    )
  })

  it('are not told by a token that is damaged, too old, of another role, or of another database', async (t) => {
    let now = Math.floor(Date.now() / 1000)
    const service = await started(t, () => now)
    for (const token of ['x', Buffer.from('[]').toString('base64url'), 'a'.repeat(1500)]) {
      const error = await service.expect(400, null, '/changes', { query: { since: token } })
      assert.deepEqual(Object.keys(error.data.params), ['since'])
    }
    const { next } = await since(service, 'author')
    now += 89 * DAY
    await since(service, 'author', next)
    now += 2 * DAY
    const error = await service.expect(410, 'author', '/changes', { query: { since: next } })
    assert.equal(error.code, 'changes-token-expired')

    const { next: own } = await since(service, 'author')
    const user = `/users/${service.ids.author}`
    await service.expect(200, 'administrator', user, { method: 'PATCH', json: { role: 'editor' } })
    await service.expect(410, 'author', '/changes', { query: { since: own } })

    const other = await started(t)
    const { next: foreign } = await since(other, null)
    await service.expect(410, null, '/changes', { query: { since: foreign } })
    const refused = await service.expect(400, null, '/changes', { query: { types: 'image', include: 'all' } })
    assert.deepEqual(Object.keys(refused.data.params).sort(), ['include', 'types'])
  })

  it('remember a removed record for 90 days', async (t) => {
    let now = Math.floor(Date.now() / 1000)
    const service = await started(t, () => now)
    const { id } = await service.expect(201, 'editor', '/events', { json: EVENT })
    const { next } = await since(service, null)
    await service.expect(200, 'editor', `/events/${id}?force=true`, { method: 'DELETE' })
    const sweep = forgetting({ db: service.db, clock: () => now })
    const rows = () => service.db.read((tx) => tx.selectFrom('changes').selectAll().execute())
    now += 89 * DAY
    await sweep.run(null, AbortSignal.timeout(60_000))
    assert.deepEqual(brief((await since(service, null, next)).changes), [`event ${id} removed`])
    assert.equal((await rows()).length, 1)
    now += 2 * DAY
    await sweep.run(null, AbortSignal.timeout(60_000))
    assert.equal((await rows()).length, 0)
    const after = await since(service, null)
    const made = await service.expect(201, 'editor', '/events', { json: EVENT })
    assert.deepEqual(brief((await since(service, null, after.next)).changes), [`event ${made.id} changed`])
  })

  it('of a transaction that commits late are not missed', { skip: !ON_POSTGRES }, async (t) => {
    const service = await started(t)
    const early = await service.expect(201, 'editor', '/events', { json: EVENT })
    const copy = new Copy(service, null)
    await copy.follow()
    const { promise: written, resolve: onWritten } = Promise.withResolvers<void>()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const late = service.db.write(async (tx) => {
      await records.update(tx, 'event', early.id, { title: 'Late' })
      onWritten()
      await gate
    })
    await written
    const other = await service.expect(201, 'editor', '/events', { json: EVENT })
    const between = await copy.follow()
    assert.deepEqual(between, [], 'nothing is told past a transaction that runs')
    open()
    await late
    assert.deepEqual(
      brief(await copy.follow()).sort(),
      [`event ${early.id} changed`, `event ${other.id} changed`].sort(),
    )
    assert.equal(copy.records.get(`event ${early.id}`).title, 'Late')
  })

  it('of a transaction that is rolled back hold nothing up', { skip: !ON_POSTGRES }, async (t) => {
    const service = await started(t)
    const { id } = await service.expect(201, 'editor', '/events', { json: EVENT })
    const copy = new Copy(service, null)
    await copy.follow()
    const failed = service.db.write(async (tx) => {
      await records.update(tx, 'event', id, { title: 'Never' })
      throw new Error('rolled back')
    })
    await assert.rejects(failed)
    assert.deepEqual(await copy.follow(), [])
    const other = await service.expect(201, 'editor', '/events', { json: EVENT })
    assert.deepEqual(brief(await copy.follow()), [`event ${other.id} changed`])
  })

  it('follow many writers at once without a gap', async (t) => {
    const service = await started(t)
    const copy = new Copy(service, null, { per_page: 7 })
    let isOver = false
    const writers = Array.from({ length: 6 }, async (_, n) => {
      for (let round = 0; round < 8; round++) {
        const { id } = await service.expect(201, 'editor', '/events', { json: { ...EVENT, title: `${n} ${round}` } })
        if (round % 2 === 0) await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })
      }
    })
    const reader = (async () => {
      while (!isOver) await copy.follow()
    })()
    await Promise.all(writers)
    isOver = true
    await reader
    await copy.follow()
    const titles = [...copy.records.values()].map(({ title }) => title).sort()
    assert.deepEqual(
      titles,
      Array.from({ length: 24 }, (_, n) => `${Math.floor(n / 4)} ${(n % 4) * 2 + 1}`),
    )
  })
})
