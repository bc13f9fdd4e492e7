import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import * as users from '../../src/domain/users.ts'
import { basic, type Json, PASSWORD, type Service, startService } from '../support/service.ts'
import { formBody, type Staff, signIn } from '../support/staff.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { eventually } from '../support/workers.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const WORDPRESS = '/wp-json/tribe/events/v1'
/** What an event of somebody else may be like. */
const OTHERS: Record<string, { readonly json: object; readonly isTrashed?: true }> = {
  published: { json: {} },
  'a draft': { json: { status: 'draft' } },
  pending: { json: { status: 'pending' } },
  private: { json: { status: 'private' } },
  scheduled: { json: { date: '2099-01-01 00:00' } },
  protected: { json: { password: 'x' } },
  'left out of lists': { json: { hide_from_listings: true } },
  'in the trash': { json: {}, isTrashed: true },
  'one of a series': { json: { recurrence: 'FREQ=DAILY;COUNT=3' } },
}

describe('a category', () => {
  let service: Service
  let author: Staff
  let names = 0
  const signedIn = new Map<string, Promise<Staff>>()
  before(async () => {
    service = await startService({ settings: { mounts: WORDPRESS }, writesTables: true })
    await users.create(store(), { name: 'other', email: 'other@example.org', role: 'author', password: PASSWORD })
    author = await staffOf('author')
  })
  after(() => service.close())

  const store = () => ({ db: service.db, clock: () => 1_900_000_000 })
  const staffOf = (name: string): Promise<Staff> => signedIn.getOrInsertComputed(name, () => signIn(service, name))
  const as = (name: string) => ({ headers: { authorization: basic(name) } })
  const create = async (by: string, more: object = {}): Promise<Json> =>
    service.expect(201, null, '/categories', { json: { name: `Category ${++names}`, ...more }, ...as(by) })
  const event = async (by: string, categories: unknown, more: object = {}): Promise<Json> =>
    service.expect(201, null, '/events', { json: { ...EVENT, categories, ...more }, ...as(by) })
  const tree = async () =>
    JSON.stringify(
      await service.expect(200, 'editor', '/categories', {
        query: { hide_empty: 0, per_page: 50, search: 'Category' },
      }),
    )
  const merge = (staff: Staff, id: number, into: number) =>
    staff.post(`/manage/categories/${id}`, { do: 'merge', into: String(into) })

  /** Tries to change and remove a category, and expects that it is refused. */
  async function isRefused(by: string, id: number, what: string, parent = 0): Promise<void> {
    for (const [method, json] of [
      ['PATCH', { description: 'taken' }],
      ['PUT', { name: 'taken' }],
      ['POST', { slug: 'taken' }],
      ['PATCH', { parent }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await service.call(null, `/categories/${id}`, { method, ...(json && { json }), ...as(by) })
      assert.deepEqual([refused.statusCode, refused.json().code], [403, 'rest_forbidden'], `${what} ${method}`)
    }
  }

  /** The same by all ways that there are, and that nothing changes. */
  async function isClosed(by: string, id: number, what = ''): Promise<void> {
    const before = await tree()
    const spare = await create(by)
    const staff = await staffOf(by)
    await isRefused(by, id, what, spare.id)
    const requests = [
      { method: 'DELETE', path: `/categories/${id}` },
      { method: 'GET', path: `/categories/${id}` },
    ]
    const { responses } = await service.expect(200, null, '/batch', { json: { requests }, ...as(by) })
    assert.deepEqual([responses[0].status, responses[1].status], [403, 200], what)
    const fields = { name: 'taken', into: String(spare.id) }
    for (const action of ['save', 'delete', 'merge'])
      assert.equal((await staff.post(`/manage/categories/${id}`, { ...fields, do: action })).statusCode, 403, action)
    assert.equal((await merge(staff, spare.id, id)).statusCode, 403, `${what} merge into it`)
    const { statusCode, body } = await staff.get(`/manage/categories/${id}`)
    assert.equal(statusCode, 200, what)
    assert.doesNotMatch(body, /name="do" value="(save|delete|merge)"/, what)
    assert.match(body, /You can use this category, but not change it\./, what)
    await service.expect(200, null, `/categories/${spare.id}`, { method: 'DELETE', ...as(by) })
    assert.equal(await tree(), before, what)
  }

  it('is changed, moved, merged and removed by the author who made it, whatever events of their own have it', async () => {
    const mine = await create('author')
    const below = await create('author', { parent: mine.id })
    await event('author', [mine.id, below.id])
    await event('author', [below.id], { status: 'draft' })
    const page = (await author.get(`/manage/categories/${mine.id}`)).body
    assert.match(page, /name="do" value="delete"/)
    assert.match(page, /as long as no event of somebody else has one/)
    const path = `/categories/${mine.id}`
    await service.expect(200, 'author', path, {
      method: 'PATCH',
      json: { name: `Category ${++names}`, description: 'new' },
    })
    const foreign = await create('editor')
    const moved = await service.expect(200, 'author', path, { method: 'PATCH', json: { parent: foreign.id } })
    assert.equal(moved.parent, foreign.id)
    const into = await create('author')
    assert.equal((await merge(author, mine.id, into.id)).statusCode, 303)
    assert.equal((await service.expect(200, 'author', `/categories/${below.id}`)).parent, into.id)
    await service.expect(200, 'author', `/categories/${into.id}`, { method: 'DELETE' })
  })

  it('is made by an author below one of somebody else, and through the address of WordPress', async () => {
    const above = await create('editor')
    const below = await create('author', { parent: above.id })
    await service.expect(200, 'author', `/categories/${below.id}`, { method: 'PATCH', json: { parent: 0 } })
    const made = await service.inject({
      method: 'POST',
      url: '/wp-json/wp/v2/tribe_events_cat',
      headers: { ...as('author').headers, 'content-type': 'application/x-www-form-urlencoded' },
      payload: formBody({ name: `Category ${++names}` }),
    })
    assert.equal(made.statusCode, 201, made.body)
    await isClosed('other', made.json().id)
    await service.expect(200, 'author', `/categories/${made.json().id}`, { method: 'DELETE' })
  })

  it('is merged by its author into those that are offered: their own', async () => {
    const [mine, own] = [await create('author'), await create('author')]
    const foreign = await create('editor')
    const candidates = async (staff: Staff) => (await staff.get(`/manage/categories/${mine.id}?merge=Category`)).body
    assert.match(await candidates(author), new RegExp(`<option value="${own.id}">${own.name} \\(`))
    assert.doesNotMatch(await candidates(author), new RegExp(`<option value="${foreign.id}">${foreign.name} \\(`))
    assert.match(
      await candidates(await staffOf('editor')),
      new RegExp(`<option value="${foreign.id}">${foreign.name} \\(`),
    )
  })

  it('is changed by no author who did not make it, but by editors', async () => {
    const ofEditor = await create('editor')
    const ofOther = await create('other')
    for (const { id } of [ofEditor, ofOther]) await isClosed('author', id)
    const ids = [ofEditor.id, ofOther.id, (await create('author')).id, (await create('administrator')).id]
    for (const id of ids)
      await service.expect(200, 'editor', `/categories/${id}`, { method: 'PATCH', json: { description: 'e' } })
    for (const id of ids) await service.expect(200, 'editor', `/categories/${id}`, { method: 'DELETE' })
  })

  it('is used by contributors, and made, changed and removed by none', async () => {
    const { id } = await create('author')
    await event('contributor', [id])
    for (const role of ['contributor', 'subscriber'] as const) {
      await service.expect(403, role, '/categories', { json: { name: 'taken' } })
      await service.expect(403, role, `/categories/${id}`, { method: 'PATCH', json: { name: 'taken' } })
      await service.expect(403, role, `/categories/${id}`, { method: 'DELETE' })
      assert.equal((await (await staffOf(role)).get(`/manage/categories/${id}`)).statusCode, 403)
    }
    await isClosed('author', id, 'with the event of a contributor')
  })

  for (const [what, { json, isTrashed }] of Object.entries(OTHERS))
    it(`is not changed by its author while an event of somebody else has it that is ${what}, and again after`, async () => {
      const { id } = await create('author')
      const made = await event('editor', [id], json)
      const path = `/events/${made.id}`
      if (isTrashed) await service.expect(200, 'editor', path, { method: 'DELETE' })
      await isRefused('author', id, what)
      await service.expect(200, 'editor', path, { method: 'DELETE', query: { force: true, scope: 'all' } })
      await service.expect(200, 'author', `/categories/${id}`, { method: 'PATCH', json: { description: 'free again' } })
      await service.expect(200, 'author', `/categories/${id}`, { method: 'DELETE' })
    })

  it('is not changed by its author while somebody else has made one below it, or has an event there', async () => {
    const top = await create('author')
    const middle = await create('author', { parent: top.id })
    const leaf = await create('other', { parent: middle.id })
    for (const { id } of [top, middle]) await isClosed('author', id, 'above one of somebody else')
    await service.expect(200, null, `/categories/${leaf.id}`, { method: 'DELETE', ...as('other') })
    const { id } = await event('other', [middle.id])
    await isClosed('author', top.id, 'above an event of somebody else')
    const beside = await create('author', { parent: top.id })
    await service.expect(200, 'author', `/categories/${beside.id}`, { method: 'DELETE' })
    await service.expect(200, null, `/events/${id}`, { method: 'DELETE', query: { force: true }, ...as('other') })
    await service.expect(200, 'author', `/categories/${top.id}`, { method: 'DELETE' })
    assert.equal((await service.expect(200, null, `/categories/${middle.id}`)).parent, 0)
  })

  it('is of the author who made it by writing an event', async () => {
    const made = await event('author', [`Category ${++names}`])
    const [{ id }] = made.categories
    await isClosed('other', id)
    await service.expect(200, 'author', `/categories/${id}`, { method: 'PATCH', json: { description: 'mine' } })
    await service.expect(200, 'editor', `/events/${made.id}`, { method: 'PATCH', json: { author: service.ids.editor } })
    await isClosed('author', id, 'its event is of somebody else now')
  })

  it('that only a draft of somebody else has is made public as it is by who makes one of its name', async () => {
    const draft = await event('other', [`Category ${++names}`], { status: 'draft' })
    const [hidden] = draft.categories
    const json = { name: hidden.name.toUpperCase(), slug: 'taken', description: 'taken' }
    const made = await service.expect(201, 'author', '/categories', { json })
    assert.deepEqual([made.id, made.name, made.slug, made.description], [hidden.id, hidden.name, hidden.slug, ''])
    await service.expect(200, null, `/categories/${hidden.id}`)
    await isClosed('author', hidden.id)
  })

  it('is that of editors if it was there before its author was noted, or its author is gone', async () => {
    const old = await create('author')
    await service.db.write((tx) => sql`update terms set author = null where id = ${old.id}`.execute(tx))
    await isClosed('author', old.id, 'made before')
    await users.create(store(), { name: 'leaving', email: 'leaving@example.org', role: 'author', password: PASSWORD })
    const left = await create('leaving')
    const byRest = (await users.list(store())).find(({ name }) => name === 'leaving')?.id
    await service.expect(200, 'administrator', `/users/${byRest}`, { method: 'DELETE' })
    const { author: of } = await service.db.read((tx) =>
      tx.selectFrom('terms').select('author').where('id', '=', left.id).executeTakeFirstOrThrow(),
    )
    assert.equal(of, null)
    const query = { record: `category:${left.id}` }
    const { audit } = await service.expect(200, 'administrator', '/audit', { query })
    assert.deepEqual([audit[0].before, audit[0].after], [{ author: byRest }, { author: null }])
    await isClosed('author', left.id, 'left behind')
    for (const { id } of [old, left]) await service.expect(200, 'editor', `/categories/${id}`, { method: 'DELETE' })
  })

  it('is not removed while an event of somebody else is just getting it', async () => {
    const { id } = await create('author')
    const { id: other } = await event('editor', [])
    const given = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const giving = service.db.write(async (tx) => {
      await tx.insertInto('event_terms').values({ event: other, term: id, start_local: '', shown_end: null }).execute()
      begun.resolve()
      await given.promise
    })
    await begun.promise
    const removing = service.call('author', `/categories/${id}`, { method: 'DELETE' })
    // Only on a server do transactions run side by side.
    if (ON_POSTGRES) await eventually(isAnyWaiting)
    given.resolve()
    await giving
    assert.equal((await removing).statusCode, 403)
    await service.expect(200, null, `/categories/${id}`)
  })

  const isAnyWaiting = async () => {
    const { rows } = await service.db.read((tx) =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(tx),
    )
    return rows.length > 0
  }

  it('is either removed by its author, or given to an event of somebody else, of which one was first', async () => {
    for (let n = 0; n < 8; n++) {
      const { id } = await create('author')
      const { id: other } = await event('editor', [])
      const [given, removed] = await Promise.all([
        service.call('editor', `/events/${other}`, { method: 'PATCH', json: { categories: [id] } }),
        service.call('author', `/categories/${id}`, { method: 'DELETE' }),
      ])
      const isGiven = given.statusCode === 200
      assert.equal(given.statusCode, isGiven ? 200 : 400, given.body)
      assert.equal(removed.statusCode, isGiven ? 403 : 200, removed.body)
      assert.equal((await service.call(null, `/categories/${id}`)).statusCode, isGiven ? 200 : 404)
    }
  })
})
