import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

const EVENT = { title: 'The same', start_date: '2031-06-10', end_date: '2031-06-11' }

async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const service = await startService()
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

describe('requests at the same time', () => {
  it('give fifty events of one title fifty slugs, in a row', () =>
    withService(async (service) => {
      const json = { ...EVENT, venue: { venue: 'One hall' }, tags: ['one tag'] }
      const events = await Promise.all(
        Array.from({ length: 50 }, () => service.expect(201, 'author', '/events', { json })),
      )
      const slugs = new Set(events.map((event) => event.slug))
      const expected = ['the-same', ...Array.from({ length: 49 }, (_, n) => `the-same-${n + 2}`)]
      assert.deepEqual([...slugs].sort(), expected.sort())
      assert.equal((await service.expect(200, null, '/venues')).total, 1)
      assert.equal((await service.expect(200, null, '/tags')).tags[0].count, 50)
    }))

  it('that update one event lose none of the fields they name', () =>
    withService(async (service) => {
      const { id } = await service.expect(201, 'editor', '/events', { json: EVENT })
      const changes = [
        { title: 'Other' },
        { description: 'words' },
        { cost: '7' },
        { featured: true },
        { sticky: true },
        { website: 'https://example.org' },
        { venue: { venue: 'V' } },
        { organizer: { organizer: 'O' } },
        { tags: ['t'] },
        { categories: ['c'] },
        { timezone: 'Europe/Paris' },
        { excerpt: 'e' },
      ]
      await Promise.all(
        changes.map((json) => service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json })),
      )
      const event = await service.expect(200, null, `/events/${id}`)
      assert.deepEqual(
        [
          event.title,
          event.cost,
          event.featured,
          event.sticky,
          event.website,
          event.venue.venue,
          event.organizer.length,
          event.tags.length,
          event.categories.length,
          event.timezone,
        ],
        ['Other', '$7', true, true, 'https://example.org', 'V', 1, 1, 1, 'Europe/Paris'],
      )
      assert.match(event.description, /words/)
    }))

  it('that remove and restore keep the counts of terms true', () =>
    withService(async (service) => {
      const events = await Promise.all(
        Array.from({ length: 10 }, () => service.expect(201, 'editor', '/events', { json: { ...EVENT, tags: 't' } })),
      )
      await Promise.all(
        events.flatMap(({ id }, n) => [
          service.call('editor', `/events/${id}`, { method: 'DELETE' }),
          service.call('editor', `/events/${id}`, { method: 'PATCH', json: { status: n % 2 ? 'publish' : 'draft' } }),
          service.call('editor', `/events/${id}`, { method: 'DELETE', query: { force: n % 3 === 0 } }),
        ]),
      )
      const published = (await service.expect(200, null, '/events', { query: { start_date: '2031-01-01' } })).total
      assert.equal((await service.expect(200, null, '/tags', { query: { hide_empty: 0 } })).tags[0].count, published)
    }))

  it('are refused each by itself, and leave nothing behind', () =>
    withService(async (service) => {
      const { id } = await service.expect(201, 'editor', '/events', { json: EVENT })
      const etag = (await service.call('editor', `/events/${id}`)).headers.etag as string
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => [
          service.call('editor', '/events', { json: { ...EVENT, tags: ['kept'] } }),
          // What is wrong is found after the tag and the venue have been made.
          service.call('editor', '/events', {
            json: { ...EVENT, venue: { venue: 'Lost' }, tags: [`lost ${n}`], parent: 1e9 },
          }),
          service.call('editor', `/events/${id}`, {
            method: 'PATCH',
            json: { title: `By ${n}` },
            headers: { 'if-match': etag },
          }),
        ]).flat(),
      )
      const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
      assert.deepEqual([201, 200, 400, 412].map(count), [20, 1, 20, 19])
      const { tags } = await service.expect(200, null, '/tags', { query: { hide_empty: 0 } })
      assert.deepEqual(
        tags.map((tag: { name: string; count: number }) => [tag.name, tag.count]),
        [['kept', 20]],
      )
      assert.equal((await service.call('editor', '/venues', { query: { hide_empty: 0 } })).json().total ?? 0, 0)
    }))
})
