import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import type { Role } from '../../src/domain/access.ts'
import { mergeLinked } from '../../src/domain/merging.ts'
import { byLinkedKind, LINKED_KINDS, RECORD_KINDS, type RecordKind } from '../../src/schema/linked.ts'
import { dialectOf } from '../../src/storage/dialect.ts'
import { NOON } from '../support/calendar.ts'
import { FEED_EXTENSIONS } from '../support/feeds.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const TIMES = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
const PUBLISHED = { status: 'publish' }

/** What is written after each other, as the author, until only its author and editors know of a record. */
const UNSEEN: Record<string, readonly object[]> = {
  'a draft': [{ status: 'draft' }],
  private: [{ status: 'private' }],
  'in the trash': [PUBLISHED, { status: 'trash' }],
  pending: [{ status: 'pending' }],
  scheduled: [{ status: 'publish', date: '2099-01-01 00:00' }],
  'a draft in the trash': [{ status: 'draft' }, { status: 'trash' }],
  'a draft that was published': [PUBLISHED, { status: 'draft' }],
  'a draft with a password': [{ status: 'draft', password: 'opens' }],
  'a draft of a series': [{ status: 'draft', recurrence: { rule: 'FREQ=WEEKLY;COUNT=3' } }],
}

/** Pages with a filter. */
const LISTS = ['', 'month/', 'month/2031-06/', 'week/2031-06-10/', 'day/2031-06-10/', 'map/'] as const

/** Addresses of pages by a slug, which `*` stands for. */
const PAGES: Record<RecordKind, readonly string[]> = {
  event: [
    '/event/*/',
    '/de/event/*/',
    '/event/*',
    '/?tribe_events=*',
    '/?post_type=tribe_events&name=*',
    '/events/?series=#',
  ],
  ...byLinkedKind(linkedPages),
}
function linkedPages(kind: RecordKind): string[] {
  const lists = LISTS.map((list) => `/events/${list}?${kind}=*`)
  return [`/${kind}/*/`, `/de/${kind}/*/`, `/${kind}/*/?page=2`, `/?tribe_${kind}=*`, ...lists]
}

/** Addresses of feeds by a slug, or by an id, which `#` stands for. */
function feedsOf(kind: RecordKind): string[] {
  const files = kind === 'event' ? ['ics'] : [...FEED_EXTENSIONS]
  if (kind === 'event') files.push('ics?scope=all')
  const byId = ['/events.ics?series=#', '/events.ics?post_parent=#', '/events.ics?include=#', '/?p=#&ical=1']
  const lists = kind === 'event' ? byId : FEED_EXTENSIONS.map((extension) => `/events.${extension}?${kind}=#`)
  const plugin = kind === 'event' ? ['/?tribe_events=*&ical=1'] : [`/${kind}/*/?ical=1`, `/events/?${kind}=*&ical=1`]
  return [...files.map((extension) => `/${kind}/*.${extension}`), `/${kind}/*/ical/`, ...lists, ...plugin]
}

describe('pages and feeds of what their reader may not know of', () => {
  let service: Service
  before(async () => {
    service = await startService({ clock: () => NOON })
    // Long numbers, that stand nowhere else in an answer.
    for (const sequence of ['records', 'terms'] as const)
      await service.db.write((tx) => dialectOf(tx).setLastId(tx, sequence, 5_234_500))
  })
  after(() => service.close())

  const pathOf = (kind: RecordKind) => `/${kind}s`
  const create = async (kind: RecordKind, name: string, writes: readonly object[]): Promise<Json> => {
    const fields = kind === 'event' ? { title: name, ...TIMES } : { [kind]: name }
    const [first = {}, ...more] = writes
    const { id } = await service.expect(201, 'author', pathOf(kind), { json: { ...fields, ...first } })
    for (const json of more) await service.expect(200, 'author', `${pathOf(kind)}/${id}`, { json })
    return service.expect(200, 'editor', `${pathOf(kind)}/${id}`)
  }
  const ask = async (role: Role | null, url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
    const headers = { accept: 'text/html', ...(role && { authorization: basic(role) }) }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    return service.inject({
      method,
      url,
      headers: method === 'POST' ? { ...headers, ...form } : headers,
      ...(method === 'POST' && { payload: 'password=guessed' }),
    })
  }
  /** All that an answer tells, with the same name for every record. */
  const toldBy = async (role: Role | null, address: string, { slug, id }: Json, method: 'GET' | 'HEAD' | 'POST') => {
    const answer = await ask(role, address.replace('*', slug).replace('#', id), method)
    const { date: _, 'x-request-id': __, ...headers } = answer.headers
    // An empty calendar has its own address in it, in folded lines, and so another ETag.
    if (answer.statusCode === 200) delete headers.etag
    const text = JSON.stringify([answer.statusCode, headers, answer.body.replaceAll('\r\n ', '')])
    return text.replaceAll(slug, '*').replaceAll(String(id), '#')
  }
  /** A record of the same length of slug and id that does not exist. */
  const absent = ({ slug, id }: Json) => ({ slug: `absent${slug.slice(6)}`, id: id + 1_000_000 })
  const assertUnknown = async (
    role: Role | null,
    addresses: readonly string[],
    record: Json,
    method: 'GET' | 'HEAD' | 'POST' = 'GET',
  ) => {
    for (const address of addresses) {
      const known = await toldBy(role, address, record, method)
      const unknown = await toldBy(role, address, absent(record), method)
      assert.equal(known, unknown, `${role} ${method} ${address}`)
    }
  }

  for (const kind of RECORD_KINDS)
    for (const [n, [state, writes]] of some(
      Object.entries(UNSEEN).slice(0, kind === 'event' ? undefined : -2),
      kind === 'event' ? 9 : 3,
    ).entries()) {
      it(`are those of no ${kind} at all if it is ${state}`, async () => {
        const record = await create(kind, `Secret merger ${kind} ${state}`, writes)
        const [page = ''] = PAGES[kind]
        assert.equal((await ask(null, page.replace('*', record.slug))).statusCode, 404)
        const addresses = [...PAGES[kind], ...feedsOf(kind)]
        await assertUnknown(null, n === 0 ? addresses : some(addresses, 6), record)
        await assertUnknown(null, [page, ...feedsOf(kind).slice(0, 1)], record, 'HEAD')
        if (kind === 'event') await assertUnknown(null, [page], record, 'POST')
        for (const role of ['subscriber', 'contributor'] as const)
          await assertUnknown(role, some(PAGES[kind], 1), record)
        // Feeds are public, whoever asks for them.
        for (const role of ['author', 'editor'] as const) await assertUnknown(role, some(feedsOf(kind), 1), record)
        // The list of events on the page of a venue or organizer has no place for one in the trash.
        for (const role of kind === 'event' || record.status !== 'trash' ? (['author', 'editor'] as const) : [])
          assert.equal((await ask(role, page.replace('*', record.slug))).statusCode, 200, role)
        // The REST interface tells, as it always did.
        await service.expect(403, null, `${pathOf(kind)}/${record.id}`)
        await service.expect(403, null, `${pathOf(kind)}/by-slug/${record.slug}`)
      })
    }

  it('are those of a protected event as long as it is published', async () => {
    const secret = await create('event', 'Secret concert', [{ ...PUBLISHED, password: 'opens' }])
    assert.match((await ask(null, `/event/${secret.slug}/`)).body, /name="password"/)
    assert.equal((await ask(null, `/event/${secret.slug}.ics`)).statusCode, 403)
  })

  it('lead on from an old address, though somebody has a draft of that name by now', async () => {
    const user = { id: service.ids.editor, name: 'editor', role: 'editor' } as const
    const editor = { ...createScope(service.config, service.db), user }
    for (const kind of LINKED_KINDS) {
      const old = await create(kind, `Secret old ${kind}`, [PUBLISHED])
      const now = await create(kind, `New ${kind}`, [PUBLISHED])
      await mergeLinked(editor, kind, old.id, () => ({ into: now.id }))
      const draft = await create(kind, `Secret old ${kind}`, [{ status: 'draft' }])
      assert.equal(draft.slug, old.slug)
      for (const end of ['/', '.ics', '.rss']) {
        const { statusCode, headers } = await ask(null, `/${kind}/${old.slug}${end}`)
        assert.deepEqual([statusCode, headers.location], [301, `/${kind}/${now.slug}${end}`])
      }
    }
  })

  it('are those of no category or tag if it is hidden', async () => {
    const hidden = { tags: ['Secret tag'], categories: ['Secret category'] }
    const { id } = await service.expect(201, 'author', '/events', {
      json: { title: 'Unfinished', ...TIMES, status: 'draft', ...hidden },
    })
    const { tags, categories } = await service.expect(200, 'author', `/events/${id}`)
    for (const [record, path, name, rest] of [
      [tags[0], '/tag/*', 'tag', 'tags'],
      [categories[0], '/events/category/*', 'category', 'categories'],
    ] as const) {
      const feeds = FEED_EXTENSIONS.flatMap((extension) => [`${path}.${extension}`, `/events.${extension}?${rest}=*`])
      const pages = [`${path}/`, ...LISTS.map((list) => `/events/${list}?${name}=*`), ...feeds, `/events.ics?${rest}=#`]
      for (const role of some([null, 'contributor', 'subscriber'] as const, 1)) await assertUnknown(role, pages, record)
      assert.equal((await ask(null, `${path}/`.replace('*', record.slug))).statusCode, 404)
    }
  })

  it('are not in the sitemap, nor counted by it', async () => {
    const index = (await ask(null, '/sitemap.xml')).body
    // Of the next part of the sitemap.
    await service.db.write((tx) => dialectOf(tx).setLastId(tx, 'records', 5_300_000))
    for (const kind of RECORD_KINDS) {
      const { slug } = await create(kind, `Secret number ${kind}`, [{ status: 'private' }])
      assert.equal((await ask(null, '/sitemap.xml')).body, index)
      assert.doesNotMatch((await ask(null, `/sitemap/${kind}s-1060.xml`)).body, new RegExp(slug))
    }
  })
})
