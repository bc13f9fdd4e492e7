import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import { type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const EVENT = { title: 'Harbour Concert', start_date: '2031-06-10T19:00', end_date: '2031-06-10T21:00' }
const idOf = (location: unknown) => Number(/\/manage\/events\/(\d+)/.exec(String(location))?.[1])
/** The value of a field in a form. */
const fieldValue = (body: string, name: string) =>
  new RegExp(`name="${name}"[^>]* value="([^"]*)"|name="${name}"[^>]*>\\n?([^<]*)</textarea>`)
    .exec(body)
    ?.slice(1)
    .find((one) => one !== undefined)

describe('the screens for events', () => {
  let service: Service
  let editor: Staff
  before(async () => {
    service = await startService()
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const create = async (fields: Record<string, string | string[]> = {}, by = editor) => {
    const made = await by.post('/manage/events/new', { ...EVENT, status: 'publish', ...fields, do: 'save' })
    assert.equal(made.statusCode, 303, made.body)
    return idOf(made.headers.location)
  }
  const read = (id: number) => service.expect(200, 'editor', `/events/${id}`)

  it('create an event, with a venue, organizers and terms by their names', async () => {
    const id = await create({
      venue: 'Old Harbour, Pier 3',
      'new_venue[city]': 'Marseille',
      organizer: 'Jazz Guild, Port Authority',
      categories: 'Music, Open Air',
      tags: 'jazz',
      cost: '10 – 24',
      website: 'https://example.org/concert',
      description: 'First line.\n\nSecond line.',
      flags: '1',
      featured: '1',
      'tickets[0][name]': 'Standard',
      'tickets[0][price]': '10',
      'tickets[0][url]': 'https://example.org/tickets',
      'tickets[1][name]': '',
    })
    const event = await read(id)
    assert.equal(event.start_date, '2031-06-10 19:00:00')
    assert.deepEqual([event.venue.venue, event.venue.city], ['Old Harbour, Pier 3', 'Marseille'])
    assert.deepEqual(
      event.organizer.map((one: { organizer: string }) => one.organizer),
      ['Jazz Guild', 'Port Authority'],
    )
    assert.deepEqual(
      event.categories.map((one: { name: string }) => one.name),
      ['Music', 'Open Air'],
    )
    assert.equal(event.featured, true)
    assert.equal(event.tickets.length, 1)
    assert.match(event.description, /<p>First line\.<\/p>/)
    const again = await create({ title: 'Second Concert', venue: 'Old Harbour, Pier 3', categories: 'Music' })
    assert.equal((await read(again)).venue.id, event.venue.id)
    const { body } = await editor.get(`/manage/events/${id}`)
    assert.equal(fieldValue(body, 'venue'), 'Old Harbour, Pier 3')
    assert.equal(fieldValue(body, 'organizer'), 'Jazz Guild, Port Authority')
    assert.equal(fieldValue(body, 'start_date'), '2031-06-10T19:00')
    assert.equal(fieldValue(body, 'tickets\\[0\\]\\[name\\]'), 'Standard')
  })

  it('read a name with a comma as one where there is such a record, or semicolons separate', async () => {
    const id = await create({ organizer: 'Smith, Jones and Co; Guild of Three' })
    const names = async (of: number) => (await read(of)).organizer.map((one: { organizer: string }) => one.organizer)
    assert.deepEqual(await names(id), ['Smith', 'Jones and Co', 'Guild of Three'])
    await service.expect(201, 'editor', '/organizers', { json: { organizer: 'Smith, Jones and Co' } })
    const other = await create({ organizer: 'Smith, Jones and Co; Guild of Three' })
    assert.deepEqual(await names(other), ['Smith, Jones and Co', 'Guild of Three'])
    const { body } = await editor.get(`/manage/events/${other}`)
    assert.equal(fieldValue(body, 'organizer'), 'Smith, Jones and Co; Guild of Three')
  })

  it('save nothing that is refused, and name all problems beside their fields', async () => {
    const { total } = await service.expect(200, 'editor', '/events')
    const refused = await editor.post('/manage/events/new', {
      title: '',
      start_date: '2031-06-10T19:00',
      end_date: '2031-06-10T18:00',
      website: 'nowhere',
      description: 'My <long> text & more',
      do: 'save',
    })
    assert.equal(refused.statusCode, 400)
    for (const name of ['title', 'website'])
      assert.match(
        refused.body,
        new RegExp(`name="${name}"[^>]*aria-invalid="true"[^>]*aria-describedby="problem-${name}`),
      )
    assert.match(refused.body, /My &lt;long&gt; text &amp; more/)
    assert.equal(fieldValue(refused.body, 'website'), 'nowhere')
    assert.equal((await service.expect(200, 'editor', '/events')).total, total)
  })

  it('change an event, and keep what the form does not name', async () => {
    const id = await create({ description: 'Stays', flags: '1', featured: '1' })
    const saved = await editor.post(`/manage/events/${id}`, { title: 'Renamed', do: 'save' })
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, `/manage/events/${id}?done=saved`])
    const event = await read(id)
    assert.deepEqual([event.title, event.featured], ['Renamed', true])
    assert.match(event.description, /Stays/)
    await editor.post(`/manage/events/${id}`, { flags: '1', do: 'save' })
    assert.equal((await read(id)).featured, false)
  })

  it('show a preview that saves nothing', async () => {
    const id = await create({ title: 'Before' })
    const seen = await editor.post(`/manage/events/${id}`, {
      title: 'A Preview',
      description: '<b>Bold</b>',
      do: 'preview',
    })
    assert.equal(seen.statusCode, 200)
    assert.match(seen.body, /<h1[^>]*>A Preview<\/h1>/)
    assert.match(seen.body, /<b>Bold<\/b>|<strong>Bold<\/strong>/)
    assert.equal((await read(id)).title, 'Before')
    const fresh = await editor.post('/manage/events/new', {
      ...EVENT,
      title: 'Never saved',
      venue: 'No such hall',
      do: 'preview',
    })
    assert.match(fresh.body, /No such hall/)
    const venues = await service.expect(200, 'editor', '/venues?search=No+such+hall')
    assert.equal(venues.total, 0)
    assert.equal((await editor.post('/manage/events/new', { title: 'x', do: 'preview' })).statusCode, 400)
  })

  it('let the second of two editors see what the first changed, and choose', async () => {
    const id = await create({ title: 'One', cost: '5', website: 'https://example.org/a' })
    const opened = (await editor.get(`/manage/events/${id}`)).body
    const form = {
      flags: '1',
      revision: fieldValue(opened, 'revision') ?? '',
      fingerprint: fieldValue(opened, 'fingerprint') ?? '',
      title: 'One',
      cost: '5',
      website: 'https://example.org/a',
      start_date: '2031-06-10T19:00',
      end_date: '2031-06-10T21:00',
    }
    assert.equal(
      (await editor.post(`/manage/events/${id}`, { ...form, title: 'First', cost: '6', do: 'save' })).statusCode,
      303,
    )
    const conflict = await editor.post(`/manage/events/${id}`, { ...form, title: 'Second', do: 'save' })
    assert.equal(conflict.statusCode, 412)
    assert.equal((await read(id)).title, 'First')
    assert.match(conflict.body, /name="take\[title\]" value="mine" checked/)
    assert.match(conflict.body, /name="take\[cost\]" value="theirs" checked/)
    assert.doesNotMatch(conflict.body, /take\[website\]/)
    assert.equal(fieldValue(conflict.body, 'title'), 'Second')
    const winning = {
      ...form,
      title: 'Second',
      revision: fieldValue(conflict.body, 'revision') ?? '',
      'take[cost]': 'theirs',
      'take[title]': 'mine',
      do: 'save',
    }
    assert.equal((await editor.post(`/manage/events/${id}`, winning)).statusCode, 303)
    const event = await read(id)
    assert.deepEqual([event.title, event.cost_details.values], ['Second', ['6']])
  })

  it('duplicate, trash, restore and remove', async () => {
    const id = await create({
      venue: 'Old Harbour',
      tags: 'jazz',
      'tickets[0][name]': 'Standard',
      'tickets[0][price]': '10',
    })
    const copy = idOf((await editor.post(`/manage/events/${id}`, { do: 'duplicate' })).headers.location)
    const [one, two] = [await read(id), await read(copy)]
    assert.notEqual(copy, id)
    assert.deepEqual(
      [two.status, two.title, two.venue.id, two.tickets[0].name],
      ['draft', one.title, one.venue.id, 'Standard'],
    )
    assert.equal((await editor.post(`/manage/events/${copy}`, { do: 'trash' })).statusCode, 303)
    assert.equal((await read(copy)).status, 'trash')
    assert.match((await editor.get('/manage/events?status=trash')).body, new RegExp(`/manage/events/${copy}"`))
    assert.equal((await editor.post(`/manage/events/${copy}`, { do: 'restore' })).statusCode, 303)
    assert.equal((await read(copy)).status, 'draft')
    assert.equal((await editor.post(`/manage/events/${copy}`, { do: 'delete' })).statusCode, 303)
    await service.expect(404, 'editor', `/events/${copy}`)
  })

  it('schedule, publish at once what was scheduled, and review', async () => {
    const id = await create({ status: 'future', date: '2031-01-01T10:00' })
    assert.equal((await read(id)).status, 'future')
    assert.equal(
      (await editor.post('/manage/events/new', { ...EVENT, status: 'future', date: '', do: 'save' })).statusCode,
      400,
    )
    await editor.post(`/manage/events/${id}`, { status: 'publish', date: '2031-01-01T10:00', do: 'save' })
    assert.equal((await read(id)).status, 'publish')
    const contributor = await signIn(service, 'contributor')
    const pending = await create({ title: 'To review', status: 'publish' }, contributor)
    assert.equal((await read(pending)).status, 'pending')
    assert.match((await editor.get('/manage')).body, /To review/)
    assert.equal((await contributor.post(`/manage/events/${pending}`, { do: 'approve' })).statusCode, 303)
    assert.equal((await read(pending)).status, 'pending')
    await editor.post(`/manage/events/${pending}`, { do: 'approve' })
    assert.equal((await read(pending)).status, 'publish')
    assert.equal((await contributor.get(`/manage/events/${pending}`)).statusCode, 403)
    const other = await create({ title: 'No', status: 'pending' }, contributor)
    await editor.post(`/manage/events/${other}`, { do: 'reject', reason: 'twice' })
    assert.equal((await read(other)).status, 'trash')
  })

  it('set, keep and remove a password', async () => {
    const id = await create({ slug: 'guarded', password: 'open sesame' })
    assert.match((await service.inject({ url: '/event/guarded/' })).body, /type="password"/)
    await editor.post(`/manage/events/${id}`, { password: '', do: 'save' })
    assert.match((await service.inject({ url: '/event/guarded/' })).body, /type="password"/)
    await editor.post(`/manage/events/${id}`, { remove_password: '1', do: 'save' })
    assert.doesNotMatch((await service.inject({ url: '/event/guarded/' })).body, /type="password"/)
  })

  it('find, filter, sort and page in a table', async () => {
    for (let n = 0; n < 25; n++)
      await create({ title: `Row ${String(n).padStart(2, '0')}`, venue: 'Row Hall', categories: 'Rows' })
    const titles = (body: string) => [...body.matchAll(/<th scope="row"><a[^>]*>([^<]*)/g)].map(([, title]) => title)
    const first = titles((await editor.get('/manage/events?search=Row&orderby=title&order=desc')).body)
    assert.deepEqual([first.length, first[0], first.at(-1)], [20, 'Row 24', 'Row 05'])
    const second = titles((await editor.get('/manage/events?search=Row&orderby=title&order=desc&page=2')).body)
    assert.deepEqual(second, ['Row 04', 'Row 03', 'Row 02', 'Row 01', 'Row 00'])
    const { total } = await service.expect(200, 'editor', '/venues?search=Row+Hall')
    assert.equal(total, 1)
    assert.equal(titles((await editor.get('/manage/events?category=rows')).body).length, 20)
    assert.equal(titles((await editor.get('/manage/events?mine=1&search=Row+07')).body).length, 1)
    assert.equal(titles((await editor.get('/manage/events?author=999')).body).length, 0)
    assert.equal(titles((await editor.get('/manage/events?start_date=2032-01-01')).body).length, 0)
    assert.equal((await editor.get('/manage/events?venue=999999')).statusCode, 200)
    assert.equal((await editor.get('/manage/events?page=abc&status=none')).statusCode, 200)
  })

  it('change many events at once: all of them, or none', async () => {
    const ids = [await create({ title: 'Bulk one' }), await create({ title: 'Bulk two' })]
    const all = { ids: ids.map(String) }
    const states = async () => Promise.all(ids.map(async (id) => (await read(id)).status))
    for (const [action, status] of [
      ['draft', 'draft'],
      ['publish', 'publish'],
      ['trash', 'trash'],
      ['restore', 'publish'],
    ]) {
      assert.equal((await editor.post('/manage/events', { ...all, do: action ?? '' })).statusCode, 303)
      assert.deepEqual(await states(), [status, status])
    }
    await editor.post('/manage/events', { ...all, do: 'add_tag', term: 'bulk' })
    await editor.post('/manage/events', { ...all, do: 'add_category', term: 'Bulky, things' })
    const tagged = await read(ids[0] ?? 0)
    assert.deepEqual([tagged.tags[0].name, tagged.categories[0].name], ['bulk', 'Bulky, things'])
    await editor.post('/manage/events', { ...all, do: 'remove_tag', term: 'bulk' })
    assert.deepEqual((await read(ids[1] ?? 0)).tags, [])
    const refused = await editor.post('/manage/events', { ids: [...all.ids, '999999'], do: 'draft' })
    assert.notEqual(refused.statusCode, 303)
    assert.deepEqual(await states(), ['publish', 'publish'])
    assert.equal((await editor.post('/manage/events', { do: 'draft' })).statusCode, 400)
    const author = await signIn(service, 'author')
    assert.equal((await author.post('/manage/events', { ...all, do: 'trash' })).statusCode, 403)
    assert.deepEqual(await states(), ['publish', 'publish'])
  })

  it('are open to those who may create, and show no more than they may do', async () => {
    const foreign = await create({ title: 'Of the editor' })
    for (const role of ROLES) {
      const { get, post } = await signIn(service, role)
      const mayCreate = role !== 'subscriber'
      assert.equal((await get('/manage/events')).statusCode, mayCreate ? 200 : 403, role)
      assert.equal((await get('/manage/events/new')).statusCode, mayCreate ? 200 : 403, role)
      const mayEditAll = role === 'editor' || role === 'administrator'
      assert.equal((await get(`/manage/events/${foreign}`)).statusCode, mayEditAll ? 200 : 403, role)
      if (!mayEditAll)
        for (const action of ['save', 'preview', 'duplicate', 'trash', 'restore', 'delete', 'approve', 'reject'])
          assert.equal(
            (await post(`/manage/events/${foreign}`, { title: 'Taken', do: action })).statusCode,
            403,
            `${role} ${action}`,
          )
    }
    assert.equal((await read(foreign)).title, 'Of the editor')
    assert.equal((await editor.post(`/manage/events/${foreign}`, { do: 'nothing' })).statusCode, 400)
    assert.equal((await editor.get('/manage/events/999999')).statusCode, 404)
  })

  it('change nothing without the token of the session', async () => {
    const id = await create({ title: 'Kept' })
    for (const csrf of ['', 'wrong']) {
      const refused = await editor.post(`/manage/events/${id}`, { csrf, title: 'Forged', do: 'save' })
      assert.equal(refused.statusCode, 403)
      assert.match(refused.body, /value="Forged"/)
    }
    assert.equal((await read(id)).title, 'Kept')
  })
})
