import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type App, createApp } from '../../src/app.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const SETTINGS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0' } as const
const DAY = { start_date: '2031-06-12 19:00', end_date: '2031-06-12 22:00', categories: ['Music'] }

describe('stored entries of calendars', { skip: ON_POSTGRES && 'it has none' }, () => {
  let service: Service
  let uncached: App
  let requests = 0
  before(async () => {
    service = await startService({ settings: SETTINGS, writesTables: true })
    uncached = await createApp({ ...service.config, cache: false }, service.db, { logger: false })
  })
  after(async () => {
    await uncached.server.close()
    await service.close()
  })

  const add = async (json: object = {}): Promise<number> =>
    (await service.expect(201, 'editor', '/events', { json: { title: 'Concert', ...DAY, ...json } })).id
  const update = (id: number, json: object) => service.expect(200, 'editor', `/events/${id}`, { method: 'PUT', json })
  /** A page that was never asked for, so that no response is cached. */
  const page = async (path: string) => (await service.inject({ url: `${path}&tag=&extra=${++requests}` })).body
  const month = () => page('/events/month/2031-06?category=music')
  const stored = () => service.db.read((tx) => tx.selectFrom('event_entries').selectAll().execute())
  const entryOf = async (id: number) => (await stored()).find(({ event }) => event === id)?.entry
  /** Changes a stored entry by hand: what is shown tells whether it is used. */
  const mark = (id: number, form?: number) =>
    service.db.write(async (tx) => {
      const { entry } = await tx
        .selectFrom('event_entries')
        .select('entry')
        .where('event', '=', id)
        .executeTakeFirstOrThrow()
      const marked = {
        entry: entry.replace(/"([A-Z]\w+)"/, (name) => name.toUpperCase()),
        ...(form !== undefined && { form }),
      }
      await tx.updateTable('event_entries').set(marked).where('event', '=', id).execute()
    })

  it('are what the month of a category shows, until the event changes', async () => {
    const id = await add({ title: 'Reading' })
    assert.match(await month(), />Reading</)
    await service.render()
    await mark(id)
    assert.match(await month(), />READING</)
    await update(id, { cost: '5' })
    assert.equal(await entryOf(id), undefined)
    assert.match(await month(), />Reading</)
    await service.render()
    await mark(id)
    assert.match(await month(), />READING</)
  })

  it('are not used in another form', async () => {
    const id = await add({ title: 'Fair' })
    await service.render()
    await mark(id, 99)
    assert.match(await month(), />Fair</)
  })

  it('show the same as events that are read, in months, weeks and days', async () => {
    const august = { start_date: '2031-08-12 19:00', end_date: '2031-08-12 22:00' }
    const addTo = (json: object) => add({ ...august, ...json })
    const parent = await addTo({ title: 'Parent', categories: ['Art'] })
    await addTo({ parent, title: '<b>落語</b> "quoted" \\ \u2028', venue: { venue: 'Hall & Garden', city: 'Oslo' } })
    await addTo({ venue: [{ venue: 'First' }, { venue: 'Second' }], organizer: [{ organizer: 'A' }], cost: '5 - 7' })
    await addTo({
      categories: ['Music', 'Art', 'Zoo'],
      tags: ['free'],
      featured: true,
      sticky: true,
      timezone: 'Asia/Tokyo',
    })
    await addTo({ title: 'All day', all_day: true, tickets: [{ name: 'Seat', price: '5', currency: 'USD' }] })
    await addTo({ title: 'Weekly', recurrence: 'FREQ=WEEKLY;COUNT=3', is_virtual: true })
    await addTo({ title: 'Into August', start_date: '2031-07-24 19:00', end_date: '2031-08-02 10:00' })
    await addTo({ title: 'Before', start_date: '2031-07-24 19:00', end_date: '2031-07-24 20:00' })
    await addTo({ title: 'Exhibition', start_date: '2031-04-01', end_date: '2031-11-01', all_day: true })
    for (let n = 0; n < 12; n++)
      await addTo({ title: `Crowd ${n}`, start_date: '2031-08-20 1:00', end_date: '2031-08-20 2:00' })
    await service.render()
    // Read from their rows, beside those that are stored.
    await addTo({ title: 'New' })
    await update(await addTo({ title: 'Changed' }), { cost: '3' })
    for (const path of ['month/2031-08', 'month/2031-07', 'week/2031-08-12', 'day/2031-08-12', 'day/2031-08-20'])
      for (const filter of ['category=music', 'category=art', 'venue=hall-garden', 'organizer=a', 'tag=free']) {
        const asked = { url: `/events/${path}?${filter}` }
        const [one, other] = [await service.inject(asked), await uncached.server.inject(asked)]
        assert.equal(one.statusCode, 200, asked.url)
        assert.deepEqual(one.body.split('\n'), other.body.split('\n'), asked.url)
      }
  })

  it('are not kept of events that not everybody may see, or that are gone', async () => {
    const hidden = await add({ title: 'Hidden', hide_from_listings: true })
    const draft = await add({ title: 'Draft', status: 'draft' })
    const secret = await add({ title: 'Secret', password: 'sesame' })
    const open = await add({ title: 'Open' })
    const gone = await add({ title: 'Gone' })
    await service.render()
    for (const id of [hidden, draft, secret]) assert.equal(await entryOf(id), undefined)
    assert.ok(await entryOf(open))
    await update(open, { status: 'draft' })
    await service.expect(200, 'editor', `/events/${gone}`, { method: 'DELETE', query: { force: true } })
    assert.equal(await entryOf(gone), undefined)
    const shown = await month()
    for (const title of ['Hidden', 'Draft', 'Open', 'Gone']) assert.doesNotMatch(shown, new RegExp(`>${title}<`))
    await service.render()
    assert.equal(await entryOf(open), undefined)
  })

  it('follow what the event is linked to', async () => {
    const id = await add({
      title: 'Moved',
      start_date: '2031-06-25 19:00',
      end_date: '2031-06-25 20:00',
      venue: { venue: 'Barn', city: 'Rome' },
    })
    await service.render()
    const barn = (await service.expect(200, null, `/events/${id}`)).venue.id
    await service.expect(200, 'editor', `/venues/${barn}`, { method: 'PUT', json: { city: 'Turin' } })
    assert.match(await month(), /data-where="Barn, Turin"/)
    await service.expect(200, 'editor', `/venues/${barn}`, { method: 'DELETE', query: { force: true } })
    assert.doesNotMatch(await month(), /Barn/)
  })
})
