import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import { NOON } from '../support/calendar.ts'
import { FEED_EXTENSIONS } from '../support/feeds.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const BELOW: readonly (Role | null)[] = [null, 'subscriber', 'contributor', 'author']
const KINDS = { tags: '/tag', categories: '/events/category' } as const
type Plural = keyof typeof KINDS
const PLURALS = Object.keys(KINDS) as Plural[]

describe('a term that was made by writing an event', () => {
  let service: Service
  let now = NOON
  before(async () => {
    service = await startService({ clock: () => now })
  })
  after(() => service.close())

  const create = (role: Role, json: object) => service.expect(201, role, '/events', { json: { ...EVENT, ...json } })
  const change = (role: Role, id: number, json: object) =>
    service.expect(200, role, `/events/${id}`, { method: 'PATCH', json })
  const page = async (role: Role | null, url: string) =>
    (await service.inject({ url, headers: { accept: 'text/html', ...(role && { authorization: basic(role) }) } }))
      .statusCode
  /** Everything that a reader may find of it. */
  const found = async (role: Role | null, plural: Plural, { id, slug, name }: Json): Promise<string[]> => {
    const places: string[] = []
    const lists = { '': {}, search: { search: name }, slug: { slug }, include: { include: id } }
    for (const [what, query] of Object.entries(lists)) {
      const response = await service.call(role, `/${plural}`, { query: { hide_empty: 0, per_page: 50, ...query } })
      const { [plural]: terms = [], total = 0, ...error } = response.json()
      if (terms.some((term: Json) => term.id === id)) places.push(`list ${what}`)
      if (what !== '' && total > 0) places.push(`total ${what}`)
      assert.equal(response.headers['x-tec-total'] ?? '0', String(total))
      if (what === 'include' && total === 0) assert.deepEqual(Object.keys(error.data.params), ['include'])
    }
    const excluded = await service.call(role, `/${plural}`, { query: { exclude: id } })
    if (excluded.statusCode !== 400) places.push('exclude')
    if ((await service.call(role, `/${plural}/${id}`)).statusCode !== 404) places.push('by id')
    for (const value of [slug, id, name]) {
      if ((await service.call(role, '/events', { query: { [plural]: value } })).statusCode !== 400)
        places.push(`filter ${value}`)
    }
    const path = `${KINDS[plural]}/${slug}`
    if ((await page(role, `${path}/`)) !== 404) places.push('page')
    const filter = plural === 'tags' ? 'tag' : 'category'
    for (const view of ['', 'month/', 'map/']) {
      if ((await page(role, `/events/${view}?${filter}=${slug}`)) !== 404) places.push(`filter of ${view || 'list'}`)
    }
    return places
  }
  const feeds = async (plural: Plural, { slug }: Json) => {
    const statuses = []
    for (const extension of FEED_EXTENSIONS)
      statuses.push((await service.inject({ url: `${KINDS[plural]}/${slug}.${extension}` })).statusCode)
    statuses.push((await service.inject({ url: `/events.ics?${plural}=${slug}` })).statusCode)
    return [...new Set(statuses)].sort()
  }

  for (const plural of PLURALS) {
    const role = plural === 'tags' ? 'contributor' : 'author'

    it(`is nowhere below editor while only a draft has it (${plural})`, async () => {
      const draft = await create(role, { [plural]: `Unreviewed ${plural}`, status: 'draft' })
      const [term] = draft[plural]
      for (const reader of BELOW) assert.deepEqual(await found(reader, plural, term), [], String(reader))
      assert.equal((await found('editor', plural, term)).length, 16)
      assert.deepEqual(await feeds(plural, term), [400, 404])
      assert.doesNotMatch((await service.inject({ url: '/sitemap/calendar.xml' })).body, /unreviewed/)
    })

    it(`shows in the draft itself to whoever may read that (${plural})`, async () => {
      const draft = await create(role, { [plural]: `Drafted ${plural}`, status: 'draft' })
      assert.equal((await service.expect(200, role, `/events/${draft.id}`))[plural][0].name, `Drafted ${plural}`)
      assert.equal((await service.expect(200, role, `/${plural}`, { query: { event: draft.id } })).total, 1)
      await service.expect(400, null, `/${plural}`, { query: { event: draft.id } })
    })

    it(`is public for good once a published event has had it (${plural})`, async () => {
      const draft = await create(role, { [plural]: `Published ${plural}`, status: 'draft' })
      const [term] = draft[plural]
      assert.deepEqual(await found(null, plural, term), [])
      await change('editor', draft.id, { status: 'publish' })
      assert.equal((await found(null, plural, term)).length, 16)
      assert.deepEqual(await feeds(plural, term), [200])
      assert.match((await service.inject({ url: '/sitemap/calendar.xml' })).body, new RegExp(term.slug))
      await change('editor', draft.id, { status: 'draft' })
      await service.expect(200, 'editor', `/events/${draft.id}`, { method: 'DELETE', query: { force: true } })
      for (const reader of BELOW) assert.equal((await found(reader, plural, term)).length, 16)
    })

    it(`is public at once when the event is (${plural})`, async () => {
      const { [plural]: terms } = await create('author', { [plural]: `At once ${plural}` })
      assert.equal((await found(null, plural, terms[0])).length, 16)
      const later = await create('author', { status: 'draft' })
      const added = await change('author', later.id, { [plural]: `Added ${plural}`, status: 'publish' })
      assert.equal((await found(null, plural, added[plural][0])).length, 16)
      const again = await change('author', later.id, { [plural]: [`Added again ${plural}`] })
      assert.equal((await found(null, plural, again[plural][0])).length, 16)
    })
  }

  it('is public when a scheduled event is published', async () => {
    const event = await create('author', { tags: 'Scheduled', date: '2031-06-11 12:00' })
    assert.deepEqual([event.status, await found(null, 'tags', event.tags[0])], ['future', []])
    now += 2 * 86_400
    await publishDue({ db: service.db, clock: () => now })
    assert.equal((await found(null, 'tags', event.tags[0])).length, 16)
  })

  it('is not made public by a private, pending or protected event, but by one that lists leave out', async () => {
    const tag = async (name: string, json: object, role: Role = 'editor') => {
      const event = await create(role, { tags: name, ...json })
      // Filtering by the terms of a protected event is no mistake, but finds nothing.
      const places = (await found(null, 'tags', event.tags[0])).filter(
        (place) => !/^filter (?!of (list|month|map))/.test(place),
      )
      return { id: event.id, term: event.tags[0], isPublic: places.length > 0 }
    }
    assert.equal((await tag('Private words', { status: 'private' })).isPublic, false)
    assert.equal((await tag('Of a pending one', { status: 'publish' }, 'contributor')).isPublic, false)
    assert.equal((await tag('Of an unlisted one', { hide_from_listings: true })).isPublic, true)
    const { id, term, isPublic } = await tag('Of a protected one', { password: 'x' })
    assert.equal(isPublic, false)
    assert.equal((await service.expect(200, null, `/events/${id}?password=x`)).tags[0].name, 'Of a protected one')
    assert.equal((await service.expect(200, null, '/events', { query: { tags: 'Of a protected one' } })).total, 0)
    await change('editor', id, { password: '' })
    assert.equal((await found(null, 'tags', term)).length, 16)
  })

  it('is used again by its name, and by nobody made twice', async () => {
    const one = await create('contributor', { tags: 'Same words', status: 'draft' })
    const other = await create('author', { tags: ['same WORDS', 'same-words'], status: 'draft' })
    assert.deepEqual(
      other.tags.map((tag: Json) => tag.id),
      [one.tags[0].id],
    )
    const published = await create('author', { tags: 'Same words' })
    assert.deepEqual(
      published.tags.map((tag: Json) => tag.id),
      [one.tags[0].id],
    )
    assert.equal(
      (await service.expect(200, 'editor', '/tags', { query: { search: 'same words', hide_empty: 0 } })).total,
      1,
    )
    assert.equal((await found(null, 'tags', one.tags[0])).length, 16)
  })

  it('is no category that a contributor could find by guessing', async () => {
    await create('author', { categories: 'Guessed', status: 'draft' })
    for (const categories of ['Guessed', 'Never made']) {
      const json = { ...EVENT, categories, status: 'draft' }
      const error = await service.expect(400, 'contributor', '/events', { json })
      assert.deepEqual(Object.keys(error.data.params), ['categories'])
    }
  })

  it('is not found by its number below editor, but by the event that has it', async () => {
    const draft = await create('contributor', { tags: 'Numbered', status: 'draft' })
    const { id } = draft.tags[0]
    const json = { ...EVENT, status: 'draft', tags: [id] }
    const error = await service.expect(400, 'author', '/events', { json })
    assert.deepEqual(Object.keys(error.data.params), ['tags'])
    const named = await create('author', { status: 'draft', tags: [String(id)] })
    assert.equal(named.tags[0].name, String(id))
    const kept = await change('contributor', draft.id, { tags: draft.tags })
    assert.equal(kept.tags[0].id, id)
    await create('editor', { status: 'draft', tags: [id] })
  })

  it('stays hidden when what is written is refused', async () => {
    const { tags } = await create('contributor', { tags: 'Refused', status: 'draft' })
    await service.expect(400, 'author', '/events', { json: { ...EVENT, tags: 'Refused', parent: 999_999 } })
    assert.deepEqual(await found(null, 'tags', tags[0]), [])
  })

  it('becomes public when whoever may make it by itself does, and keeps its number', async () => {
    const { categories } = await create('author', { categories: 'Made twice', status: 'draft' })
    const made = await service.expect(201, 'author', '/categories', {
      json: { name: 'MADE twice', description: 'words', slug: 'once' },
    })
    assert.deepEqual(
      [made.id, made.name, made.description, made.slug],
      [categories[0].id, 'MADE twice', 'words', 'once'],
    )
    assert.equal((await found(null, 'categories', made)).length, 16)
  })

  it('is reviewed by a change under its own address', async () => {
    const { tags } = await create('contributor', { tags: 'Reviewed', status: 'draft' })
    const error = await service.expect(400, 'editor', '/tags', { json: { name: 'Reviewed' } })
    assert.deepEqual([error.code, error.data.term_id], ['term_exists', tags[0].id])
    await service.expect(404, 'author', `/tags/${tags[0].id}`, { method: 'DELETE' })
    await service.expect(200, 'editor', `/tags/${tags[0].id}`, { method: 'PATCH', json: { description: 'fine' } })
    assert.equal((await found(null, 'tags', tags[0])).length, 16)
  })

  it('is no parent of a category below editor, and public with its children', async () => {
    const { categories } = await create('author', { categories: 'Above', status: 'draft' })
    const parent = categories[0].id
    const error = await service.expect(400, 'author', '/categories', { json: { name: 'Below', parent } })
    assert.deepEqual(Object.keys(error.data.params), ['parent'])
    await service.expect(400, null, '/categories', { query: { parent } })
    const below = await service.expect(201, 'editor', '/categories', { json: { name: 'Below', parent } })
    assert.equal(await page(null, new URL(below.url).pathname), 200)
    assert.equal((await found(null, 'categories', categories[0])).length, 16)
  })

  it('is hidden or public as the events are with which it was imported', async () => {
    const said = (value: object) => JSON.stringify(value).replace(/[\\;,]/g, '\\$&')
    const entry = (uid: string, status: string, category: string) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `SUMMARY:${uid}`,
      'DTSTART:20310701T100000Z',
      `X-KALENDS-FIELDS;VALUE=TEXT:${said({ status, categories: [category], tags: [] })}`,
      `X-KALENDS-TERM;VALUE=TEXT:${said({ kind: 'category', name: `Leaf ${category}`, slug: category, parent: `top-${category}` })}`,
      `X-KALENDS-TERM;VALUE=TEXT:${said({ kind: 'category', name: `Top ${category}`, slug: `top-${category}` })}`,
      'END:VEVENT',
    ]
    const lines = ['BEGIN:VCALENDAR', ...entry('d', 'draft', 'in-draft'), ...entry('p', 'publish', 'in-public')]
    const report = await service.expect(200, 'editor', '/import', {
      raw: [...lines, 'END:VCALENDAR', ''].join('\r\n'),
      headers: { 'content-type': 'text/calendar' },
    })
    assert.equal(report.created, 2, JSON.stringify(report))
    const slugs = async (role: Role | null) =>
      (
        await service.expect(200, role, '/categories', { query: { hide_empty: 0, search: 'in-', per_page: 50 } })
      ).categories
        .map((one: Json) => one.slug)
        .sort()
    assert.deepEqual(await slugs('editor'), ['in-draft', 'in-public', 'top-in-draft', 'top-in-public'])
    assert.deepEqual(await slugs(null), ['in-public', 'top-in-public'])
  })
})
