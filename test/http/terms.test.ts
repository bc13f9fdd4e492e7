import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

describe('categories and tags', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const category = (name: string, more: object = {}) =>
    service.expect(201, 'administrator', '/categories', { json: { name, ...more } })
  const listed = async (path: string, query: Record<string, unknown>) =>
    (await service.expect(200, null, path, { query: { hide_empty: 0, per_page: 50, ...query } }))[path.slice(1)].map(
      (term: Json) => term.slug,
    )

  it('refuse a name that a sibling has, in any case', async () => {
    const { id } = await category('Éclair')
    const error = await service.expect(400, 'administrator', '/categories', { json: { name: 'ÉCLAIR' } })
    assert.deepEqual([error.code, error.data.term_id], ['term_exists', id])
    await category('éclair', { parent: id })
    const other = await category('Other')
    assert.equal(
      (
        await service.expect(400, 'administrator', `/categories/${other.id}`, {
          method: 'PATCH',
          json: { name: 'eCLAIR'.replace('e', 'É') },
        })
      ).code,
      'term_exists',
    )
  })

  it('have addresses that follow the tree', async () => {
    const a = await category('Path A')
    const b = await category('Path B', { parent: a.id })
    const c = await category('Path C', { parent: b.id })
    assert.equal(c.url, 'http://calendar.example.org:8080/events/category/path-a/path-b/path-c/')
  })

  it('refuse a parent below themselves', async () => {
    const a = await category('Loop A')
    const b = await category('Loop B', { parent: a.id })
    const c = await category('Loop C', { parent: b.id })
    const error = await service.expect(400, 'administrator', `/categories/${a.id}`, {
      method: 'PATCH',
      json: { parent: c.id },
    })
    assert.deepEqual(Object.keys(error.data.params), ['parent'])
  })

  it('move their children up when they are removed', async () => {
    const a = await category('Up A')
    const b = await category('Up B', { parent: a.id })
    const c = await category('Up C', { parent: b.id })
    await service.expect(200, 'administrator', `/categories/${b.id}`, { method: 'DELETE' })
    assert.equal((await service.expect(200, null, `/categories/${c.id}`)).parent, a.id)
  })

  it('are ordered by what is asked for, equals by name', async () => {
    const one = await category('Order one', { description: 'zz' })
    const two = await category('order Two', { description: 'aa' })
    const three = await category('Order three')
    const include = `${three.id},${one.id},${two.id}`
    assert.deepEqual(await listed('/categories', { include, orderby: 'include' }), [
      'order-three',
      'order-one',
      'order-two',
    ])
    assert.deepEqual(await listed('/categories', { include, orderby: 'include', order: 'desc' }), [
      'order-two',
      'order-one',
      'order-three',
    ])
    assert.deepEqual(await listed('/categories', { include, orderby: 'description' }), [
      'order-three',
      'order-two',
      'order-one',
    ])
    assert.deepEqual(await listed('/categories', { include, orderby: 'count', order: 'desc' }), [
      'order-one',
      'order-three',
      'order-two',
    ])
  })

  it('count published events only, as these come and go', async () => {
    const tag = await service.expect(201, 'editor', '/tags', { json: { name: 'Counted' } })
    const count = async () => (await service.expect(200, null, `/tags/${tag.id}`)).count
    const event = await service.expect(201, 'editor', '/events', {
      json: { title: 'Counted', start_date: '2031-01-01', end_date: '2031-01-02', tags: [tag.id], status: 'draft' },
    })
    const change = (json: object) => service.expect(200, 'editor', `/events/${event.id}`, { method: 'PATCH', json })
    assert.equal(await count(), 0)
    await change({ status: 'publish' })
    assert.equal(await count(), 1)
    await change({ title: 'Still', tags: [tag.id, 'Another'] })
    assert.equal(await count(), 1)
    await change({ password: 'secret' })
    assert.equal(await count(), 0)
    await change({ password: '' })
    assert.equal(await count(), 1)
    await change({ tags: [] })
    assert.equal(await count(), 0)
    await change({ tags: 'counted' })
    await service.expect(200, 'editor', `/events/${event.id}`, { method: 'DELETE' })
    assert.equal(await count(), 0)
    await change({ status: 'publish' })
    assert.equal(await count(), 1)
    await service.expect(200, 'editor', `/events/${event.id}`, { method: 'DELETE', query: { force: true } })
    assert.equal(await count(), 0)
  })

  it('of an event are not empty, even if it is a draft', async () => {
    const { id } = await service.expect(201, 'editor', '/events', {
      json: { title: 'Draft', start_date: '2031-01-01', end_date: '2031-01-02', tags: 'drafted', status: 'draft' },
    })
    const { tags } = await service.expect(200, 'editor', '/tags', { query: { event: id } })
    assert.equal(tags[0].slug, 'drafted')
    await service.expect(400, null, '/tags', { query: { event: id } })
  })

  it('of a protected event are shown to nobody without the right', async () => {
    const { id } = await service.expect(201, 'editor', '/events', {
      json: {
        title: 'Protected',
        start_date: '2031-01-01',
        end_date: '2031-01-02',
        tags: 'hush',
        password: 'x',
        venue: { venue: 'Bunker' },
      },
    })
    assert.deepEqual(await listed('/tags', { event: id }), [])
    assert.equal((await service.expect(200, 'editor', '/tags', { query: { event: id } })).total, 1)
    assert.equal((await service.expect(200, null, '/venues', { query: { event: id } })).total, 0)
    assert.equal((await service.expect(200, null, '/venues', { query: { has_events: true } })).total, 0)
    assert.equal((await service.expect(200, 'editor', '/venues', { query: { has_events: true } })).total, 1)
  })

  it('belong to categories for authors and to tags for editors', async () => {
    const { id } = await service.expect(201, 'author', '/categories', { json: { name: 'By an author' } })
    await service.expect(200, 'author', `/categories/${id}`, { method: 'DELETE' })
    await service.expect(403, 'author', '/tags', { json: { name: 'By an author' } })
    await service.expect(404, 'author', '/tags/999', { method: 'DELETE' })
  })
})
