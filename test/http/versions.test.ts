import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { createScope } from '../../src/app.ts'
import { ROLES } from '../../src/domain/access.ts'
import { mergeLinked } from '../../src/domain/merging.ts'
import { readFields } from '../../src/storage/audit/writing.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const EVENT = {
  title: 'Concert',
  start_date: '2031-06-10 19:00',
  end_date: '2031-06-10 22:00',
  timezone: 'Europe/Paris',
}

describe('versions', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const create = (json: object = {}) => service.expect(201, 'editor', '/events', { json: { ...EVENT, ...json } })
  const change = (id: number, json: object) => service.expect(200, 'editor', `/events/${id}`, { json })
  const versions = async (path: string): Promise<Json[]> =>
    (await service.expect(200, 'editor', `${path}/versions`)).versions
  const version = (path: string, number: number) => service.expect(200, 'editor', `${path}/versions/${number}`)
  const restore = (path: string, number: number) =>
    service.expect(200, 'editor', `${path}/versions/${number}/restore`, { method: 'POST' })

  it('bring an event back to what it was on Tuesday', async () => {
    const { id } = await create({ venue: { venue: 'Hall' }, categories: ['Music'], cost: '5 €' })
    await change(id, {
      title: 'Recital',
      venue: [],
      cost: null,
      start_date: '2031-07-01 10:00',
      end_date: '2031-07-01 11:00',
    })
    await change(id, { status: 'draft', categories: ['Dance', 'Music'] })
    const [third, second, first] = await versions(`/events/${id}`)
    assert.deepEqual([third.after.status, second.after.title, first.action], ['draft', 'Recital', 'created'])
    assert.equal(first.user.name, 'editor')
    assert.equal(first.address, undefined, 'addresses are for administrators')
    const then = await version(`/events/${id}`, first.version)
    assert.deepEqual([then.fields.title, then.now.title, then.fields.cost], ['Concert', 'Recital', '5 €'])
    assert.deepEqual(then.not_restorable, [])
    const back = await restore(`/events/${id}`, first.version)
    assert.deepEqual([back.title, back.status, back.cost_details.values], ['Concert', 'publish', ['5']])
    assert.deepEqual([back.start_date, back.end_date], ['2031-06-10 19:00:00', '2031-06-10 22:00:00'])
    assert.equal(back.venue.venue, 'Hall')
    assert.deepEqual(
      back.categories.map(({ name }: Json) => name),
      ['Music'],
    )
    const [fourth] = await versions(`/events/${id}`)
    assert.equal(fourth.before.title, 'Recital')
    assert.deepEqual((await version(`/events/${id}`, fourth.version)).now, {})
  })

  it('bring venues and organizers back', async () => {
    for (const kind of ['venue', 'organizer']) {
      const { id } = await service.expect(201, 'editor', `/${kind}s`, { json: { [kind]: 'Old', description: 'Text' } })
      await service.expect(200, 'editor', `/${kind}s/${id}`, { json: { [kind]: 'New', description: null } })
      const [, first] = await versions(`/${kind}s/${id}`)
      const back = await restore(`/${kind}s/${id}`, first.version)
      assert.equal(back[kind], 'Old')
      assert.match(back.description, /Text/)
    }
  })

  it('begin with what a record was before the log', async () => {
    const { id } = await create()
    await service.db.write((tx) => tx.deleteFrom('audit').where('record', '=', id).execute())
    assert.deepEqual(
      (await versions(`/events/${id}`)).map((one) => [one.version, one.user, one.way]),
      [[0, null, null]],
    )
    await change(id, { title: 'Changed' })
    assert.equal((await versions(`/events/${id}`)).length, 2)
    assert.equal((await version(`/events/${id}`, 0)).fields.title, 'Concert')
    assert.equal((await restore(`/events/${id}`, 0)).title, 'Concert')
  })

  it('name what cannot be brought back', async () => {
    const { id, venue } = await create({ venue: { venue: 'Gone' }, tags: ['a', 'b'], password: 'secret' })
    await change(id, { venue: [], tags: [], password: '' })
    await service.expect(200, 'editor', `/venues/${venue.id}`, { method: 'DELETE', query: { force: true } })
    const [, first] = await versions(`/events/${id}`)
    assert.deepEqual((await version(`/events/${id}`, first.version)).not_restorable.sort(), ['password', 'venue'])
    const path = `/events/${id}/versions/${first.version}/restore`
    const answer = await service.call('editor', path, { method: 'POST' })
    assert.deepEqual(String(answer.headers['x-not-restored']).split(', ').sort(), ['password', 'venue'])
    assert.equal(answer.json().tags.length, 2)
  })

  it('follow what was merged', async () => {
    const { id, venue } = await create({ venue: { venue: 'One' } })
    const into = await service.expect(201, 'editor', '/venues', { json: { venue: 'Other' } })
    await change(id, { venue: [] })
    const user = { id: service.ids.editor, name: 'editor', role: 'editor' } as const
    const scope = { ...createScope(service.config, service.db), user }
    await mergeLinked(scope, 'venue', venue.id, () => ({ into: into.id }))
    const [, first] = await versions(`/events/${id}`)
    assert.equal((await restore(`/events/${id}`, first.version)).venue.id, into.id)
  })

  it('take an event out of the trash', async () => {
    const { id, slug } = await create({ title: 'To the trash' })
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })
    const [, first] = await versions(`/events/${id}`)
    const back = await restore(`/events/${id}`, first.version)
    assert.deepEqual([back.status, back.slug], ['publish', slug])
  })

  it('are those of the record alone', async () => {
    const one = await create()
    const other = await create()
    const [{ version: number }] = await versions(`/events/${other.id}`)
    for (const wrong of [number, 0, 999_999_999, 'x', '-1', '1.5']) {
      await service.expect(404, 'editor', `/events/${one.id}/versions/${wrong}`)
      await service.expect(404, 'editor', `/events/${one.id}/versions/${wrong}/restore`, { method: 'POST' })
    }
    await service.expect(404, 'editor', '/events/999999/versions')
    await service.expect(404, 'editor', `/venues/${one.id}/versions`)
  })

  it('are for those who may edit the record', async () => {
    const { id } = await service.expect(201, 'author', '/events', { json: EVENT })
    const [{ version: number }] = await versions(`/events/${id}`)
    const paths = [`/events/${id}/versions`, `/events/${id}/versions/${number}`]
    const may = ['author', 'editor', 'administrator']
    for (const role of [null, ...ROLES]) {
      const status = role === null ? 401 : may.includes(role) ? 200 : 403
      for (const path of paths) await service.expect(status, role, path)
      await service.expect(status, role, `/events/${id}/versions/${number}/restore`, { method: 'POST' })
    }
  })

  it('respect If-Match', async () => {
    const { id } = await create()
    const { headers } = await service.call('editor', `/events/${id}`)
    await change(id, { title: 'Other' })
    const [, first] = await versions(`/events/${id}`)
    const path = `/events/${id}/versions/${first.version}/restore`
    const stale = { 'if-match': String(headers.etag) }
    await service.expect(412, 'editor', path, { method: 'POST', headers: stale })
    const current = await service.call('editor', `/events/${id}`)
    const fresh = { 'if-match': String(current.headers.etag) }
    await service.expect(200, 'editor', path, { method: 'POST', headers: fresh })
  })

  it('of an occurrence are right when its series was changed', async () => {
    const first = await create({ title: 'Weekly', recurrence: { rule: 'FREQ=WEEKLY;COUNT=30' } })
    const list = await service.expect(200, 'editor', '/events', {
      query: { series: first.recurrence.series, per_page: 50, start_date: '2031-01-01', end_date: '2033-01-01' },
    })
    const tenth = list.events[9]
    await change(tenth.id, { title: 'Tenth' })
    await change(first.id, { description: 'For all', venue: { venue: 'Hall' }, scope: 'all' })
    const own = await versions(`/events/${tenth.id}`)
    assert.deepEqual(
      own.map(({ action }) => action),
      ['changed', 'changed', 'created'],
    )
    assert.match(own[0].after.description, /For all/)
    assert.equal(own[0].after.venue.length, 1)
    const then = await version(`/events/${tenth.id}`, own[2].version)
    assert.deepEqual([then.fields.title, then.fields.venue, then.fields.description], ['Weekly', [], null])
    const rows = await service.db.read((tx) =>
      tx
        .selectFrom('audit')
        .select(['same_as', 'after'])
        .where('kind', '=', 'event')
        .where('same_as', 'is not', null)
        .execute(),
    )
    assert.ok(rows.length >= 25, 'equal changes of occurrences are stored once')
    assert.ok(rows.every((row) => row.after === null))
    const back = await restore(`/events/${tenth.id}`, own[2].version)
    assert.equal(back.title, 'Weekly')
  })

  it('keep every state of random edits, and bring each back exactly', async () => {
    const venues = [1, 2, 3].map((n) => ({ venue: `Place ${n}` }))
    const edit = fc.record(
      {
        title: fc.constantFrom('A', 'B & C', 'D <i>', '“E”'),
        description: fc.constantFrom(null, 'One', '<p>Two <b>bold</b></p>'),
        cost: fc.constantFrom(null, '5 €', '10 - 20 €'),
        venue: fc.subarray(venues),
        tags: fc.subarray(['x', 'y', 'z']),
        categories: fc.subarray(['K', 'L']),
        all_day: fc.boolean(),
        featured: fc.boolean(),
        status: fc.constantFrom('publish', 'draft', 'trash', 'pending', 'private'),
        timezone: fc.constantFrom('Europe/Paris', 'America/New_York', 'UTC'),
        website: fc.constantFrom(null, 'https://example.org/a'),
        tickets: fc.constantFrom([], [{ name: 'T', price: '3', available_from: '2031-01-01 10:00' }]),
        slug: fc.constantFrom('one', 'two', 'three'),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 8 }), async (edits) => {
        const { id } = await create()
        const state = () =>
          service.db.read(async (tx) => (await readFields(tx, 'event', [id], 'no reader: seen')).get(id))
        const kept = new Map<number, unknown>()
        const keep = async () => {
          const [newest] = await versions(`/events/${id}`)
          kept.set(newest.version, await state())
        }
        await keep()
        for (const json of edits) {
          await change(id, json)
          await keep()
        }
        for (const [number, then] of kept)
          assert.deepEqual((await version(`/events/${id}`, number)).fields, JSON.parse(JSON.stringify(then)))
        for (const [number, then] of kept) {
          await restore(`/events/${id}`, number)
          assert.deepEqual(await state(), then)
        }
        await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { force: true } })
      }),
      { numRuns: 10 },
    )
  })

  it('are all there after concurrent edits', async () => {
    const { id } = await create()
    await Promise.all(Array.from({ length: 8 }, (_, n) => change(id, { title: `Title ${n}` })))
    const all = await versions(`/events/${id}`)
    const edits = all.filter(({ action }) => action === 'changed')
    assert.equal(edits.length, 8)
    // Each begins where the one before it ended.
    for (const [n, { before }] of edits.entries()) assert.equal(before.title, edits[n + 1]?.after.title ?? 'Concert')
  })
})
