import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeHTML } from 'entities'
import { sql } from 'kysely'
import { ROLES } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const WHEN = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 21:00' }
const idOf = (location: unknown) => Number(/\/(\d+)(?:\?|$)/.exec(String(location))?.[1])
const KINDS = {
  venues: { name: 'venue', link: 'venue', page: '/venue/' },
  organizers: { name: 'organizer', link: 'organizer', page: '/organizer/' },
  categories: { name: 'name', link: 'categories', page: '/events/category/' },
  tags: { name: 'name', link: 'tags', page: '/tag/' },
} as const
type Section = keyof typeof KINDS
const SECTIONS = Object.keys(KINDS) as Section[]

/** The value of a field in a form, as a browser sends it. */
const fieldValue = (body: string, name: string) => {
  const found = new RegExp(`name="${name}"[^>]* value="([^"]*)"|name="${name}"[^>]*>\\n?([^<]*)</textarea>`).exec(body)
  return decodeHTML(found?.[1] ?? found?.[2] ?? '')
}
const titles = (body: string) =>
  [...body.matchAll(/<th scope="row">(?:<span[^>]*>)?<a[^>]*>([^<]*)/g)].map(([, title]) => title)

describe('the screens for venues, organizers, categories and tags', () => {
  let service: Service
  let editor: Staff
  before(async () => {
    service = await startService()
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const create = async (section: Section, fields: Record<string, string>, by = editor) => {
    const made = await by.post(`/manage/${section}/new`, { ...fields, do: 'save' })
    assert.equal(made.statusCode, 303, made.body)
    return idOf(made.headers.location)
  }
  const read = (section: Section, id: number) => service.expect(200, 'editor', `/${section}/${id}`)
  const event = (fields: Json): Promise<Json> =>
    service.expect(201, 'editor', '/events', { json: { title: 'Concert', ...WHEN, ...fields } })

  it('create and change a venue with all its fields', async () => {
    const id = await create('venues', {
      venue: 'Old Harbour',
      address: '1 Quai du Port',
      zip: '13002',
      city: 'Marseille',
      country: 'France',
      phone: '+33 1 23',
      website: 'https://harbour.example.org',
      geo_lat: '43.29',
      geo_lng: '5.37',
      description: 'By the sea.',
      flags: '1',
      show_map: '1',
    })
    const venue = await read('venues', id)
    assert.deepEqual(
      [venue.venue, venue.city, venue.geo_lat, venue.show_map, venue.show_map_link, venue.status],
      ['Old Harbour', 'Marseille', 43.29, true, false, 'publish'],
    )
    const { body } = await editor.get(`/manage/venues/${id}`)
    for (const [name, value] of Object.entries({ venue: 'Old Harbour', zip: '13002', slug: 'old-harbour' }))
      assert.equal(fieldValue(body, name), value)
    const saved = await editor.post(`/manage/venues/${id}`, { city: 'Lyon', slug: 'harbour', do: 'save' })
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, `/manage/venues/${id}?done=saved`])
    const changed = await read('venues', id)
    assert.deepEqual([changed.city, changed.slug, changed.show_map, changed.zip], ['Lyon', 'harbour', true, '13002'])
  })

  it('create organizers, categories below others, and tags', async () => {
    const organizer = await create('organizers', { organizer: 'Guild', email: 'info@guild.example.org' })
    assert.equal((await read('organizers', organizer)).email, 'info@guild.example.org')
    const parent = await create('categories', { name: 'Arts', description: '<b>All</b> arts' })
    const child = await create('categories', { name: 'Dance', parent: String(parent) })
    assert.equal((await read('categories', child)).parent, parent)
    const tag = await create('tags', { name: 'free entry', slug: 'gratis' })
    assert.equal((await read('tags', tag)).slug, 'gratis')
    const { body } = await editor.get('/manage/categories')
    const at = (name: string) => body.indexOf(`>${name}</a>`)
    assert.ok(at('Arts') > 0 && at('Dance') > at('Arts'))
    assert.match(body, /depth-1"><a[^>]*>Dance/)
  })

  it('refuse with all problems beside their fields, and keep what was typed', async () => {
    const refused = await editor.post('/manage/venues/new', {
      venue: '',
      website: 'nowhere',
      geo_lat: '120',
      address: 'Typed <here>',
      do: 'save',
    })
    assert.equal(refused.statusCode, 400)
    for (const name of ['venue', 'website', 'geo_lat'])
      assert.match(refused.body, new RegExp(`name="${name}"[^>]*aria-invalid="true"`), name)
    assert.equal(fieldValue(refused.body, 'address'), 'Typed <here>')
    await create('tags', { name: 'Twice' })
    const again = await editor.post('/manage/tags/new', { name: 'twice', do: 'save' })
    assert.equal(again.statusCode, 400)
    assert.match(again.body, /name="name"[^>]*aria-invalid="true"/)
    const taken = await create('tags', { name: 'Thrice' })
    const slug = await editor.post(`/manage/tags/${taken}`, { slug: 'twice', do: 'save' })
    assert.equal(slug.statusCode, 400)
    assert.match(slug.body, /name="slug"[^>]*aria-invalid="true"/)
  })

  it('list with a search, pages, and the number of events of each', async () => {
    const id = await create('venues', { venue: 'Counted Hall', city: 'Nancy' })
    await event({ venue: id })
    await event({ venue: id, status: 'draft' })
    for (let n = 0; n < 25; n++) await create('venues', { venue: `Row ${String(n).padStart(2, '0')}` })
    const { body } = await editor.get('/manage/venues?search=nancy')
    assert.deepEqual(titles(body), ['Counted Hall'])
    assert.match(body, new RegExp(`href="/manage/events\\?venue=${id}">2 events`))
    const first = titles((await editor.get('/manage/venues?search=Row')).body)
    assert.deepEqual([first.length, first[0], first.at(-1)], [20, 'Row 00', 'Row 19'])
    assert.equal(titles((await editor.get('/manage/venues?search=Row&page=2')).body).length, 5)
    assert.equal(titles((await editor.get('/manage/venues?search=Row&orderby=name&order=desc')).body)[0], 'Row 24')
    assert.equal((await editor.get('/manage/venues?status=none&page=abc')).statusCode, 200)
    const used = await editor.get(`/manage/events?venue=${id}`)
    assert.equal(titles(used.body).length, 2)
    const made = await event({ organizer: { organizer: 'Used Guild' }, tags: ['used tag'], categories: ['Used'] })
    assert.equal(titles((await editor.get(`/manage/events?organizer=${made.organizer[0].id}`)).body).length, 1)
    assert.equal(titles((await editor.get('/manage/events?tag=used-tag')).body).length, 1)
    for (const section of ['categories', 'tags'])
      assert.match((await editor.get(`/manage/${section}?search=used`)).body, />1 event</)
  })

  it('trash, restore and remove', async () => {
    for (const section of ['venues', 'organizers'] as const) {
      const id = await create(section, { [KINDS[section].name]: 'Short-lived' })
      assert.equal((await editor.post(`/manage/${section}/${id}`, { do: 'trash' })).statusCode, 303)
      assert.equal((await read(section, id)).status, 'trash')
      assert.ok(titles((await editor.get(`/manage/${section}?status=trash`)).body).includes('Short-lived'))
      assert.equal((await editor.get(`/manage/${section}/${id}`)).statusCode, 200)
      assert.equal((await editor.post(`/manage/${section}/${id}`, { do: 'restore' })).statusCode, 303)
      assert.deepEqual([(await read(section, id)).status, (await read(section, id)).slug], ['publish', 'short-lived'])
      assert.equal((await editor.post(`/manage/${section}/${id}`, { do: 'delete' })).statusCode, 303)
      await service.expect(404, 'editor', `/${section}/${id}`)
    }
    const tag = await create('tags', { name: 'Gone soon' })
    assert.equal((await editor.post(`/manage/tags/${tag}`, { do: 'delete' })).statusCode, 303)
    await service.expect(404, 'editor', `/tags/${tag}`)
  })

  it('let the second of two editors see what the first changed, and choose', async () => {
    for (const section of SECTIONS) {
      const { name } = KINDS[section]
      const id = await create(section, { [name]: `Conflict in ${section}`, description: 'One' })
      const path = `/manage/${section}/${id}`
      const opened = (await editor.get(path)).body
      const form = {
        revision: fieldValue(opened, 'revision'),
        fingerprint: fieldValue(opened, 'fingerprint'),
        [name]: `Conflict in ${section}`,
        description: fieldValue(opened, 'description'),
      }
      assert.equal(
        (await editor.post(path, { ...form, [name]: 'First', description: 'Two', do: 'save' })).statusCode,
        303,
      )
      const conflict = await editor.post(path, { ...form, [name]: 'Second', do: 'save' })
      assert.equal(conflict.statusCode, 412, section)
      assert.match(conflict.body, new RegExp(`name="take\\[${name}\\]" value="mine" checked`))
      assert.match(conflict.body, /name="take\[description\]" value="theirs" checked/)
      const winning = {
        ...form,
        [name]: 'Second',
        revision: fieldValue(conflict.body, 'revision'),
        'take[description]': 'theirs',
        do: 'save',
      }
      assert.equal((await editor.post(path, winning)).statusCode, 303)
      const saved = await read(section, id)
      assert.deepEqual([saved[name], /Two/.test(saved.description)], ['Second', true])
    }
  })

  it('merge duplicates: all events move, and pages and feeds lead to the other one', async () => {
    for (const section of SECTIONS) {
      const { name, link, page } = KINDS[section]
      const from = await create(section, { [name]: `Doubled ${section}` })
      const into = await create(section, { [name]: `Double of ${section}` })
      const linked = (...ids: number[]) => ({ [link]: ids })
      const first = await event({ title: 'Only the old', ...linked(from) })
      const both = await event({ title: 'Both', ...linked(into, from) })
      const draft = await event({ title: 'A draft', status: 'draft', ...linked(from) })
      const [old, next] = [(await read(section, from)).slug, (await read(section, into)).slug]
      const merged = await editor.post(`/manage/${section}/${from}`, { do: 'merge', into: String(into) })
      assert.deepEqual([merged.statusCode, merged.headers.location], [303, `/manage/${section}/${into}?done=merged`])
      await service.expect(404, 'editor', `/${section}/${from}`)
      for (const { id } of [first, both, draft]) {
        const shown = (await service.expect(200, 'editor', `/events/${id}`))[link]
        assert.deepEqual(
          [shown].flat().map((one: Json) => one.id),
          [into],
          section,
        )
      }
      const anonymous = await service.expect(200, null, `/events/${first.id}`)
      assert.deepEqual(
        [anonymous[link]].flat().map((one: Json) => one.id),
        [into],
      )
      if (link === 'tags' || link === 'categories') assert.equal((await read(section, into)).count, 2)
      for (const ending of ['/', '.ics', '.json?page=1']) {
        const moved = await service.inject({ url: `${page}${old}${ending}` })
        assert.deepEqual([moved.statusCode, moved.headers.location], [301, `${page}${next}${ending}`], ending)
      }
      const followed = await service.inject({ url: `${page}${next}/` })
      assert.match(followed.body, /Only the old/)
      // A client that still knows the old id.
      const later = await event({ title: 'Later', ...linked(from) })
      assert.equal([later[link]].flat()[0].id, into)
      // A chain of merges, and the end of what it leads to.
      const last = await create(section, { [name]: `Last of ${section}` })
      await editor.post(`/manage/${section}/${into}`, { do: 'merge', into: String(last) })
      const target = (await read(section, last)).slug
      for (const slug of [old, next])
        assert.equal((await service.inject({ url: `${page}${slug}/` })).headers.location, `${page}${target}/`)
      await editor.post(`/manage/${section}/${last}`, { do: 'delete' })
      assert.equal((await service.inject({ url: `${page}${old}/` })).statusCode, 404)
    }
  })

  it('merge categories with their children, also into one of them', async () => {
    const [root, other] = [await create('categories', { name: 'Root' }), await create('categories', { name: 'Other' })]
    const child = await create('categories', { name: 'Child', parent: String(root) })
    const grandchild = await create('categories', { name: 'Grandchild', parent: String(child) })
    await event({ categories: [child] })
    assert.equal((await service.inject({ url: '/events/category/root/child.ics' })).statusCode, 200)
    await editor.post(`/manage/categories/${root}`, { do: 'merge', into: String(other) })
    assert.equal((await read('categories', child)).parent, other)
    for (const ending of ['/', '.ics']) {
      const moved = await service.inject({ url: `/events/category/root/child${ending}` })
      assert.deepEqual([moved.statusCode, moved.headers.location], [301, `/events/category/other/child${ending}`])
    }
    const merged = await editor.post(`/manage/categories/${other}`, { do: 'merge', into: String(grandchild) })
    assert.equal(merged.statusCode, 303)
    assert.deepEqual(
      [(await read('categories', grandchild)).parent, (await read('categories', child)).parent],
      [0, grandchild],
    )
  })

  it('refuse a merge into nothing, itself, the trash, or what visitors do not see', async () => {
    const from = await create('venues', { venue: 'Refused' })
    const trashed = await create('venues', { venue: 'Refused too' })
    const draft = await create('venues', { venue: 'Refused draft', status: 'draft' })
    await editor.post(`/manage/venues/${trashed}`, { do: 'trash' })
    for (const into of ['', 'abc', '999999', String(from), String(trashed), String(draft)]) {
      const refused = await editor.post(`/manage/venues/${from}`, { do: 'merge', into })
      assert.equal(refused.statusCode, 400, into)
      assert.match(refused.body, /name="into"[^>]*aria-invalid="true"/)
    }
    assert.equal((await read('venues', from)).venue, 'Refused')
    const tag = await create('tags', { name: 'Refused tag' })
    assert.equal((await editor.post(`/manage/tags/${tag}`, { do: 'merge', into: '999999' })).statusCode, 400)
  })

  it('merge while others write: no event loses its venue, and counts stay true', async () => {
    const venue = await create('venues', { venue: 'Busy Hall' })
    const into = await create('venues', { venue: 'Busier Hall' })
    const [tag, other] = [await create('tags', { name: 'busy' }), await create('tags', { name: 'busier' })]
    const kept = await Promise.all([...Array(10)].map(() => event({ title: 'Busy', venue, tags: [tag] })))
    const write = (n: number) =>
      n % 3 === 0
        ? service.call('editor', '/events', { json: { title: 'Busy', ...WHEN, venue, tags: [tag] } })
        : service.call('editor', `/events/${kept[n % 10].id}`, {
            method: n % 3 === 1 ? 'PATCH' : 'DELETE',
            ...(n % 3 === 1 && { json: { status: n % 2 === 0 ? 'draft' : 'publish', venue, tags: [tag] } }),
          })
    const work = Array.from({ length: 30 }, (_, n) => n).map(write)
    const merges = [
      editor.post(`/manage/venues/${venue}`, { do: 'merge', into: String(into) }),
      editor.post(`/manage/tags/${tag}`, { do: 'merge', into: String(other) }),
    ]
    for (const merged of await Promise.all(merges)) assert.equal(merged.statusCode, 303, merged.body)
    for (const { statusCode, body } of await Promise.all(work)) assert.ok([200, 201, 410].includes(statusCode), body)
    let counted = 0
    for (let page = 1, pages = 1; page <= pages; page++) {
      const query = { start_date: '2031-01-01', search: 'Busy', status: 'publish,draft,trash', per_page: 50, page }
      const list = await service.expect(200, 'editor', '/events', { query })
      pages = list.total_pages
      for (const one of list.events) {
        assert.deepEqual([one.venue.id, one.tags.map(({ id }: Json) => id)], [into, [other]])
        if (one.status === 'publish') counted++
      }
    }
    assert.equal((await read('tags', other)).count, counted)
  })

  it('merge a venue with 5,000 events at once, and hold up nobody', async () => {
    const from = await create('venues', { venue: 'Huge Hall' })
    const into = await create('venues', { venue: 'Huge Hall again' })
    const made = await event({ title: 'One of thousands', venue: from })
    await service.db.writeMany(async (tx) => {
      const row = await tx.selectFrom('events').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow()
      for (let n = 0; n < 5000; n += 100) {
        const rows = Array.from({ length: 100 }, (_, at) => ({
          ...row,
          id: 1_000_000 + n + at,
          slug: `many-${n + at}`,
        }))
        await tx.insertInto('events').values(rows).execute()
        await tx
          .insertInto('event_venues')
          .values(rows.map(({ id }) => ({ event: id, linked: from, position: 0 })))
          .execute()
      }
    })
    // As the server does by itself after a while.
    await service.db.write((tx) => sql`analyze`.execute(tx))
    const began = performance.now()
    const merged = await editor.post(`/manage/venues/${from}`, { do: 'merge', into: String(into) })
    assert.equal(merged.statusCode, 303, merged.body)
    assert.ok(performance.now() - began < 20_000)
    assert.match((await editor.get(`/manage/venues/${into}`)).body, />5,001 events</)
    const list = await service.expect(200, null, '/events', { query: { start_date: '2031-01-01', venue: into } })
    assert.deepEqual([list.total, list.events[0].venue.id], [5001, into])
  })

  it('are open to those who may use them, and do no more than these may', async () => {
    const own: Record<Section, number> = { venues: 0, organizers: 0, categories: 0, tags: 0 }
    const spare: Record<Section, number> = { ...own }
    for (const section of SECTIONS) {
      own[section] = await create(section, { [KINDS[section].name]: 'Of the editor' })
      spare[section] = await create(section, { [KINDS[section].name]: 'Another one of the editor' })
    }
    for (const role of ROLES) {
      const staff = await signIn(service, role)
      const open: Record<Section, boolean> = {
        venues: role !== 'subscriber',
        organizers: role !== 'subscriber',
        categories: role !== 'subscriber' && role !== 'contributor',
        tags: role === 'editor' || role === 'administrator',
      }
      for (const section of SECTIONS) {
        const mayEdit = role === 'editor' || role === 'administrator' || (section === 'categories' && role === 'author')
        const path = `/manage/${section}`
        assert.equal((await staff.get(path)).statusCode, open[section] ? 200 : 403, `${role} ${path}`)
        assert.equal((await staff.get(`${path}/new`)).statusCode, open[section] ? 200 : 403, `${role} ${path}/new`)
        assert.equal((await staff.get(`${path}/${own[section]}`)).statusCode, mayEdit ? 200 : 403, `${role} ${path}/id`)
        if (mayEdit) continue
        for (const action of ['save', 'trash', 'restore', 'delete', 'merge']) {
          const fields = { [KINDS[section].name]: 'Taken', into: String(spare[section]), do: action }
          const { statusCode } = await staff.post(`${path}/${own[section]}`, fields)
          assert.ok([400, 403].includes(statusCode), `${role} ${section} ${action} ${statusCode}`)
        }
        if (!open[section]) assert.equal((await staff.post(`${path}/new`, { do: 'save' })).statusCode, 403)
      }
    }
    for (const section of SECTIONS)
      assert.equal((await read(section, own[section]))[KINDS[section].name], 'Of the editor')
    const author = await signIn(service, 'author')
    const mine = await create('venues', { venue: 'Mine' }, author)
    assert.equal(
      (await author.post(`/manage/venues/${mine}`, { do: 'merge', into: String(own.venues) })).statusCode,
      403,
    )
    assert.equal((await editor.get('/manage/venues/999999')).statusCode, 404)
    assert.equal((await service.inject({ url: '/manage/venues' })).headers.location, '/sign-in?next=%2Fmanage%2Fvenues')
  })

  it('change nothing without the token of the session', async () => {
    for (const section of SECTIONS) {
      const { name } = KINDS[section]
      const id = await create(section, { [name]: 'Kept as it is' })
      const into = await create(section, { [name]: 'Kept, too' })
      for (const action of ['save', 'delete', 'merge']) {
        const fields = { csrf: 'wrong', [name]: 'Forged', into: String(into), do: action }
        const refused = await editor.post(`/manage/${section}/${id}`, fields)
        assert.equal(refused.statusCode, 403)
        assert.match(refused.body, /value="Forged"/)
      }
      assert.equal((await read(section, id))[name], 'Kept as it is')
    }
  })

  it('show markup in any field as text', async () => {
    const bad = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`
    const raw = { tx: bad }
    const venue = await create('venues', { venue: `Venue &lt;script&gt; ${bad}`, ...fields(raw.tx) })
    const organizer = await create('organizers', { organizer: `Organizer ${bad}`, phone: bad, description: bad })
    const category = await create('categories', { name: `Category ${bad}`, description: bad })
    const child = await create('categories', { name: `Child ${bad}`, parent: String(category) })
    const tag = await create('tags', { name: `Tag ${bad}`, description: bad, slug: 'bad' })
    const pages = [
      ...SECTIONS.flatMap((section) => [`/manage/${section}`, `/manage/${section}/new`]),
      `/manage/venues/${venue}`,
      `/manage/organizers/${organizer}`,
      `/manage/categories/${category}`,
      `/manage/categories/${child}`,
      `/manage/tags/${tag}`,
      `/manage/venues?search=${encodeURIComponent(bad)}&status=${encodeURIComponent(bad)}`,
      `/manage/tags/${tag}?merge=${encodeURIComponent(bad)}`,
    ]
    for (const path of pages) {
      const { body } = await editor.get(path)
      assert.doesNotMatch(body, /<script>alert|<img src=x|<[^>]*\sonerror=(?![^"]*")/i, path)
    }
    for (const section of SECTIONS) {
      const refused = await editor.post(`/manage/${section}/new`, {
        [KINDS[section].name]: '',
        description: bad,
        slug: bad,
        parent: bad,
        status: bad,
        do: 'save',
      })
      assert.equal(refused.statusCode, 400)
      assert.doesNotMatch(refused.body, /<script>alert|<img src=x/i, section)
    }
  })

  /** A text for every text field of a venue. */
  function fields(text: string): Record<string, string> {
    const names = ['address', 'city', 'country', 'province', 'state', 'stateprovince', 'zip', 'phone', 'description']
    return Object.fromEntries(names.map((name) => [name, text]))
  }
})
