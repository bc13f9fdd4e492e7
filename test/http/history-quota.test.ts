import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { signIn } from '../support/staff.ts'

const MINUTE = 60
const EVENT = { title: 'Draft', status: 'draft', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
const LONG = 'A long text about the concert, which is changed again and again. '.repeat(4)

describe('the history of a long text', () => {
  let service: Service
  let now = 1_900_000_000
  before(async () => {
    service = await startService({ clock: () => now })
  })
  after(() => service.close())

  const create = (json: object = {}, role: Role = 'editor') =>
    service.expect(201, role, '/events', { json: { ...EVENT, ...json } })
  const save = (id: number, json: object, role: Role = 'editor') => service.expect(200, role, `/events/${id}`, { json })
  const versions = async (id: number): Promise<Json[]> =>
    (await service.expect(200, 'editor', `/events/${id}/versions`)).versions
  const text = (n: number) => `${LONG}${n}`
  const described = ({ before: was, after: is }: Json) =>
    [was.description, is.description].map((one) => /\d+/.exec(one)?.[0])

  it('is one entry for the saves of a user within ten minutes, and says what was before and after all of them', async () => {
    const { id } = await create({ description: text(0) })
    for (let n = 1; n <= 5; n++) {
      now += MINUTE
      await save(id, { description: text(n), ...(n === 3 && { title: 'Renamed' }) })
    }
    const [saved, ...older] = await versions(id)
    assert.deepEqual([described(saved), saved.before.title, saved.after.title], [['0', '5'], 'Draft', 'Renamed'])
    assert.deepEqual(
      older.map(({ action }) => action),
      ['created'],
    )
    now += 10 * MINUTE
    await save(id, { description: text(6) })
    const [later] = await versions(id)
    assert.deepEqual([described(later), (await versions(id)).length], [['5', '6'], 3])
    const first = await service.expect(200, 'editor', `/events/${id}/versions/${saved.version}`)
    assert.match(first.fields.description, /5/)
  })

  it('is one entry for saves on a screen, too', async () => {
    const staff = await signIn(service, 'editor')
    const { id } = await service.expect(201, 'editor', '/organizers', {
      json: { organizer: 'Guild', description: text(0) },
    })
    for (const n of [1, 2, 3]) {
      const saved = await staff.post(`/manage/organizers/${id}`, {
        do: 'save',
        organizer: 'Guild',
        description: text(n),
        flags: '1',
      })
      assert.equal(saved.statusCode, 303, saved.body)
    }
    assert.equal((await service.expect(200, 'editor', `/organizers/${id}/versions`)).versions.length, 2)
  })

  it('keeps changes of the status, of others, of short texts and of several records apart', async () => {
    const { id } = await create({ description: text(0) }, 'contributor')
    const steps: (() => Promise<unknown>)[] = [
      () => save(id, { description: text(1) }, 'contributor'),
      () => save(id, { description: text(2) }),
      () => save(id, { description: text(3) }, 'contributor'),
      () => save(id, { description: text(4), status: 'pending' }, 'contributor'),
      () => save(id, { description: text(5) }, 'contributor'),
      () => save(id, { excerpt: text(5) }, 'contributor'),
      () => save(id, { title: 'One' }, 'contributor'),
      () => save(id, { title: 'Two' }, 'contributor'),
      () => save(id, { description: text(6) }, 'contributor'),
    ]
    for (const [n, step] of steps.entries()) {
      await step()
      assert.equal((await versions(id)).length, n + 2, `after step ${n}`)
    }
    const other = await create({ description: text(0) }, 'contributor')
    const requests = [id, other.id].map((one) => ({
      method: 'PATCH',
      path: `/events/${one}`,
      body: { description: text(7) },
    }))
    for (const more of [1, 2]) {
      for (const request of requests) request.body.description = text(7 + more)
      await service.expect(200, 'contributor', '/batch', { json: { requests } })
    }
    await save(id, { description: text(10) }, 'contributor')
    assert.equal((await versions(id)).length, steps.length + 4)
  })

  it('has what was there before a version was brought back', async () => {
    const { id } = await create({ description: text(0) })
    await save(id, { description: text(1) })
    const [last, first] = await versions(id)
    await service.expect(200, 'editor', `/events/${id}/versions/${first.version}/restore`, {
      method: 'POST',
      headers: { 'idempotency-key': 'restored once' },
    })
    assert.equal((await versions(id)).length, 3)
    const back = await service.expect(200, 'editor', `/events/${id}/versions/${last.version}/restore`, {
      method: 'POST',
    })
    assert.match(back.description, /1<\/p>/)
    assert.equal((await versions(id)).length, 4)
  })
})

describe('a user who changes a draft for ever', () => {
  const QUOTA = 500_000
  let service: Service
  let now = 1_900_000_000
  before(async () => {
    service = await startService({ clock: () => now, settings: { historyQuota: String(QUOTA) } })
  })
  after(() => service.close())

  const bytes = async (user: number) => {
    const rows = await service.db.read((tx) =>
      tx.selectFrom('audit').select(['before', 'after']).where('user', '=', user).execute(),
    )
    return rows.reduce((sum, row) => sum + (row.before?.length ?? 0) + (row.after?.length ?? 0), 0)
  }

  it('leaves no more than a quota, is never refused, and loses the oldest of that history alone', async () => {
    const { contributor, editor } = service.ids
    const { id } = await service.expect(201, 'contributor', '/events', { json: EVENT })
    const others = await service.expect(201, 'editor', '/events', { json: { ...EVENT, description: LONG } })
    await service.expect(200, 'editor', `/events/${id}`, { json: { title: 'Edited' } })
    const second = await service.expect(201, 'contributor', '/events', { json: EVENT })
    const before = await bytes(editor)
    for (let n = 0; n < 16; n++) {
      now += 11 * MINUTE
      const json = { description: `${n} ${'word '.repeat(8000)}` }
      await Promise.all([id, second.id].map((one) => service.expect(200, 'contributor', `/events/${one}`, { json })))
    }
    assert.ok((await bytes(contributor)) <= QUOTA * 1.2, `${await bytes(contributor)} bytes`)
    assert.ok((await bytes(contributor)) > QUOTA / 2)
    assert.equal(await bytes(editor), before, 'what others have done stays')
    const { versions } = await service.expect(200, 'contributor', `/events/${id}/versions`, { query: { per_page: 5 } })
    assert.match(versions[0].after.description, /^<p>15 /)
    const old = await service.expect(200, 'contributor', `/events/${id}/versions/${versions[2].version}`)
    assert.match(old.fields.description, /^<p>13 /)
    const byEditor = await service.db.read((tx) =>
      tx.selectFrom('audit').select('id').where('user', '=', editor).where('record', '=', id).executeTakeFirstOrThrow(),
    )
    await service.expect(404, 'contributor', `/events/${id}/versions/${byEditor.id}`)
    assert.equal((await service.expect(200, 'editor', `/events/${others.id}/versions`)).total, 1)
    const { body } = await (await signIn(service, 'administrator')).get(`/manage/audit?record=event:${id}`)
    assert.match(body, /Edited/)
  })
})
