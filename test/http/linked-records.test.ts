import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

const KINDS = [
  { kind: 'venue', plural: 'venues', detail: 'city' },
  { kind: 'organizer', plural: 'organizers', detail: 'phone' },
] as const

for (const { kind, plural, detail } of KINDS) {
  describe(`/${plural}`, () => {
    let service: Service
    before(async () => {
      service = await startService()
    })
    after(() => service.close())

    const create = (
      name: string,
      more: object = {},
      role: 'administrator' | 'author' | 'contributor' = 'administrator',
    ) => service.expect(201, role, `/${plural}`, { json: { [kind]: name, ...more } })
    const names = async (query: Record<string, unknown>, role: Parameters<Service['call']>[0] = null) =>
      (await service.expect(200, role, `/${plural}`, { query }))[plural].map(
        (record: Record<string, string>) => record[kind],
      )

    it('answers a creation with where the record is', async () => {
      const response = await service.call('administrator', `/${plural}`, { json: { [kind]: 'Somewhere' } })
      assert.equal(
        response.headers.location,
        `http://calendar.example.org:8080/calendar/events/v1/${plural}/${response.json().id}`,
      )
    })

    it('takes a form', async () => {
      const record = await service.expect(201, 'administrator', `/${plural}`, {
        form: { [kind]: 'From a form', [detail]: '7' },
      })
      assert.equal(record[detail], '7')
    })

    it('clears a field by null and by an empty text, and leaves it out of the answer', async () => {
      const { id } = await create('To be cleared', { [detail]: 'x', description: 'y' })
      const cleared = await service.expect(200, 'administrator', `/${plural}/${id}`, {
        method: 'PATCH',
        json: { [detail]: null, description: '' },
      })
      assert.ok(!(detail in cleared) && !('description' in cleared))
    })

    it('refuses to clear the name', async () => {
      const { id } = await create('Keeps its name')
      for (const value of [null, '', [], '  ', '<b></b>']) {
        const error = await service.expect(400, 'administrator', `/${plural}/${id}`, {
          method: 'PUT',
          json: { [kind]: value },
        })
        assert.deepEqual(Object.keys(error.data.params), [kind])
      }
    })

    it('reports all bad parameters at once, and missing ones beside bad ones', async () => {
      const bad = { website: 'nope', status: 'sideways', date: 'someday', author: 'me' }
      const error = await service.expect(400, 'administrator', `/${plural}`, { json: { [kind]: 'X', ...bad } })
      assert.deepEqual(Object.keys(error.data.params).sort(), ['author', 'date', 'status', 'website'])
      const missing = await service.expect(400, 'administrator', `/${plural}`, { json: { website: 'nope' } })
      assert.deepEqual(missing.data.params, [kind])
      assert.deepEqual(Object.keys(missing.data.invalid_params), ['website'])
    })

    it('refuses U+0000 and broken Unicode', async () => {
      for (const text of ['a\0b', 'a\ud800b']) {
        const error = await service.expect(400, 'administrator', `/${plural}`, { json: { [kind]: text } })
        assert.deepEqual(Object.keys(error.data.params), [kind])
      }
    })

    it('strips tags from names and gives them back encoded', async () => {
      const record = await create('<b>Tom</b> & "Jerry" <script>alert(1)</script>')
      assert.equal(record[kind], 'Tom &#038; &quot;Jerry&quot;')
      const again = await service.expect(200, 'administrator', `/${plural}/${record.id}`, {
        method: 'PUT',
        json: { [kind]: record[kind] },
      })
      assert.equal(again[kind], record[kind])
    })

    it('sanitises descriptions for every role', async () => {
      const record = await create('Sanitised', {
        description: '<p onclick="x()">Hi <a href="javascript:alert(1)">you</a></p><script>alert(1)</script>',
      })
      assert.equal(record.description, '<p>Hi <a>you</a></p>')
    })

    it('moves a removed record to the trash, and back with its slug', async () => {
      const { id } = await create('Comes back')
      const trashed = await service.expect(200, 'administrator', `/${plural}/by-slug/comes-back`, { method: 'DELETE' })
      assert.equal(trashed.status, 'trash')
      assert.equal(trashed.slug, 'comes-back__trashed')
      await service.expect(404, 'administrator', `/${plural}/by-slug/comes-back`)
      const restored = await service.expect(200, 'administrator', `/${plural}/${id}`, {
        method: 'PATCH',
        json: { status: 'draft' },
      })
      assert.deepEqual([restored.status, restored.slug], ['draft', 'comes-back'])
    })

    it('gives a restored record another slug when its own was taken meanwhile', async () => {
      const { id } = await create('Twice', { [detail]: '1' })
      await service.expect(200, 'administrator', `/${plural}/${id}`, { method: 'DELETE' })
      await create('Twice', { [detail]: '2' })
      const restored = await service.expect(200, 'administrator', `/${plural}/${id}`, {
        method: 'PATCH',
        json: { status: 'publish' },
      })
      assert.equal(restored.slug, 'twice-2')
    })

    it('removes for good with force', async () => {
      const { id } = await create('Gone')
      await service.expect(200, 'administrator', `/${plural}/${id}`, { method: 'DELETE', query: { force: 'true' } })
      await service.expect(404, 'administrator', `/${plural}/${id}`)
      const error = await service.expect(400, 'administrator', `/${plural}/${(await create('Stays')).id}`, {
        method: 'DELETE',
        query: { force: 'maybe' },
      })
      assert.deepEqual(Object.keys(error.data.params), ['force'])
    })

    it('renames by slug when the slug is named', async () => {
      await create('Old name')
      const renamed = await service.expect(200, 'administrator', `/${plural}/by-slug/old-name`, {
        method: 'PATCH',
        json: { slug: 'New Name' },
      })
      assert.equal(renamed.slug, 'new-name')
    })

    it('finds other scripts by either form of the slug', async () => {
      const { id, slug } = await create('東京ホール')
      assert.equal(slug, encodeURIComponent('東京ホール').toLowerCase())
      for (const path of [slug, encodeURIComponent(slug), slug.toUpperCase()]) {
        assert.equal((await service.expect(200, null, `/${plural}/by-slug/${path}`)).id, id)
      }
    })

    it('reuses a record only when every given field is equal and it is not trashed', async () => {
      const first = await create('Reused', { [detail]: 'a', description: 'words' })
      assert.equal((await create('Reused')).id, first.id)
      assert.equal((await create('Reused', { [detail]: 'a' })).id, first.id)
      assert.notEqual((await create('Reused', { [detail]: 'b' })).id, first.id)
      const draft = await create('Hidden', { status: 'draft' })
      assert.notEqual((await create('Hidden', {}, 'author')).id, draft.id)
      const trashed = await create('Trashed')
      await service.expect(200, 'administrator', `/${plural}/${trashed.id}`, { method: 'DELETE' })
      assert.notEqual((await create('Trashed')).id, trashed.id)
    })

    it('keeps a publication date in the site’s zone and in UTC, the latter winning', async () => {
      const record = await create('Dated', { date: '2020-07-01 12:00:00' })
      assert.deepEqual([record.date, record.date_utc], ['2020-07-01 12:00:00', '2020-07-01 16:00:00'])
      const both = await create('Dated twice', { date: '2020-07-01 12:00:00', date_utc: '2021-01-01 12:00:00' })
      assert.deepEqual([both.date, both.date_utc], ['2021-01-01 07:00:00', '2021-01-01 12:00:00'])
    })

    it('lets a contributor draft and edit, but not publish', async () => {
      const draft = await create('By a contributor', {}, 'contributor')
      assert.equal(draft.status, 'draft')
      const asked = await service.expect(200, 'contributor', `/${plural}/${draft.id}`, {
        method: 'PATCH',
        json: { status: 'publish' },
      })
      assert.equal(asked.status, 'pending')
      assert.ok((await names({ per_page: 50 }, 'contributor')).includes('By a contributor'))
      assert.ok(!(await names({ per_page: 50 }, 'author')).includes('By a contributor'))
      await service.expect(200, 'editor', `/${plural}/${draft.id}`, { method: 'PATCH', json: { status: 'publish' } })
      await service.expect(403, 'contributor', `/${plural}/${draft.id}`, { method: 'PATCH', json: { [detail]: 'x' } })
      await service.expect(403, 'contributor', `/${plural}/${draft.id}`, { method: 'DELETE' })
    })

    it('lets only editors name another author', async () => {
      await service.expect(403, 'author', `/${plural}`, { json: { [kind]: 'Not mine', author: service.ids.editor } })
      const own = await create('Mine', { author: service.ids.author }, 'author')
      assert.equal(own.author, String(service.ids.author))
      const given = await service.expect(200, 'editor', `/${plural}/${own.id}`, {
        method: 'PATCH',
        json: { author: service.ids.contributor },
      })
      assert.equal(given.author, String(service.ids.contributor))
    })

    it('finds case-folded text of all scripts, and takes signs for what they are', async () => {
      await create('Straße 100%', { description: '<p>Ελλάς <em>crème</em> br&ucirc;l&eacute;e</p>' })
      for (const search of ['STRASSE', '100%', 'ΕΛΛΆΣ', 'CRÈME BRÛLÉE', 'e']) {
        assert.ok((await names({ search, per_page: 50 })).includes('Straße 100%'), search)
      }
      for (const search of ['0_%', '<em>', "' or 1=1", '100%%']) assert.deepEqual(await names({ search }), [])
    })

    it('links its pages with every parameter that it knows, clamped', async () => {
      for (const letter of ['a', 'b', 'c']) await create(`Paged ${letter}`)
      const list = await service.expect(200, null, `/${plural}`, {
        query: { search: 'Paged', per_page: 1, 'x[]': 'é&', page: 2 },
      })
      const next = new URL(list.next_rest_url)
      assert.deepEqual(
        [...next.searchParams],
        [
          ['page', '3'],
          ['per_page', '1'],
          ['search', 'Paged'],
        ],
      )
      const response = await service.inject({ url: next.pathname + next.search })
      assert.equal(response.json()[plural][0][kind], 'Paged a')
      assert.ok(!('next_rest_url' in response.json()))
      assert.match(String(response.headers.link), /rel="prev"/)
      const clamped = await service.expect(200, null, `/${plural}`, { query: { per_page: 1000 } })
      assert.match(clamped.rest_url, /per_page=50/)
    })

    it('describes a single record to machines', async () => {
      const record = await create('Described', { website: 'https://example.org', [detail]: 'here' })
      assert.equal(record.json_ld['@context'], 'https://schema.org')
      assert.equal(record.json_ld['@type'], kind === 'venue' ? 'Place' : 'Organization')
      assert.equal(record.json_ld.name, 'Described')
      const [listed] = (await service.expect(200, null, `/${plural}`, { query: { search: 'Described' } }))[plural]
      assert.ok(!('json_ld' in listed))
    })
  })
}

describe('a venue', () => {
  it('reads its state or province where neither was given', async () => {
    const service = await startService()
    const venue = await service.expect(201, 'administrator', '/venues', { json: { venue: 'V', province: 'Ontario' } })
    assert.equal(venue.stateprovince, 'Ontario')
    const moved = await service.expect(200, 'administrator', `/venues/${venue.id}`, {
      method: 'PATCH',
      json: { state: 'Ohio' },
    })
    assert.equal(moved.stateprovince, 'Ohio')
    const flags = await service.expect(200, 'administrator', `/venues/${venue.id}`, {
      method: 'PATCH',
      json: { show_map: 'no', show_map_link: '' },
    })
    assert.deepEqual([flags.show_map, flags.show_map_link], [false, true])
    await service.close()
  })
})
