import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { createScope } from '../../src/app.ts'
import { mergeLinked, mergeTerms } from '../../src/domain/merging.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const EVENT = { title: 'Concert', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }

/** Triggers note each record that is written in the table of changes. Each must be in the audit log, too. */
describe('every write of a record is logged', () => {
  let service: Service
  let editor: Staff
  before(async () => {
    service = await startService()
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const read = () =>
    service.db.read(async (tx) => {
      const changes = await tx.selectFrom('changes').select(['kind', 'record', 'position', 'status']).execute()
      const entries = await tx.selectFrom('audit').select(['id', 'kind', 'record', 'action']).orderBy('id').execute()
      const events = await tx.selectFrom('events').select(['id', 'series']).execute()
      const seriesOf = new Map(events.map(({ id, series }) => [id, series]))
      return { seriesOf, changes: new Map(changes.map((row) => [`${row.kind} ${row.record}`, row])), entries }
    })

  /** Does something, and compares. Events that lose or change a link with another record are named by it alone. */
  const logs = async (work: () => Promise<unknown>, isLinked = false): Promise<void> => {
    const was = await read()
    await work()
    const is = await read()
    const written = [...is.changes].filter(([key, row]) => row.position !== was.changes.get(key)?.position)
    const last = was.entries.at(-1)?.id ?? 0
    const logged = new Map(is.entries.filter(({ id }) => id > last).map((one) => [`${one.kind} ${one.record}`, one]))
    assert.ok(written.length > 0, 'nothing was written')
    for (const [key, { kind, record, status }] of written) {
      // Events of a series show its rule; a term is shown once an event with it is published.
      if (kind === 'event' && !logged.has(key) && logged.has(`series ${is.seriesOf.get(record)}`)) continue
      if (was.changes.get(key)?.status === 'draft' && ['category', 'tag'].includes(kind)) continue
      if (isLinked && key.startsWith('event ')) continue
      assert.ok(logged.has(key), `${key} was written, and is not in the log`)
      assert.equal(logged.get(key)?.action === 'removed', status === 'gone', key)
    }
  }
  const send = (path: string, json: object): Promise<Json> =>
    service.call('editor', path, { json }).then((r) => r.json())
  const remove = (path: string, query: Record<string, unknown> = {}) =>
    service.call('editor', path, { method: 'DELETE', query })

  it('of events and what they are linked to', async () => {
    let event: Json
    await logs(async () => {
      const links = { venue: { venue: 'V', status: 'draft' }, organizer: [{ organizer: 'O' }], categories: ['C'] }
      event = await send('/events', { ...EVENT, ...links, tags: ['t', 'u'], status: 'draft', tickets: [{ name: 'T' }] })
    })
    await logs(() => send(`/events/${event.id}`, { status: 'publish' }))
    await logs(() => send(`/events/${event.id}`, { tags: ['t'], organizer: [] }))
    await logs(() => remove(`/events/${event.id}`))
    await logs(() => editor.post(`/manage/events/${event.id}`, { do: 'restore' }))
    await logs(() => editor.post('/manage/events', { do: 'trash', ids: [String(event.id)] }))
    await logs(() => remove(`/events/${event.id}`, { force: true }))
  })

  it('of series', async () => {
    let first: Json
    await logs(async () => {
      first = await send('/events', { ...EVENT, recurrence: { rule: 'FREQ=DAILY;COUNT=40' }, venue: { venue: 'V' } })
    })
    const query = { series: first.recurrence.series, per_page: 50, start_date: '2031-01-01', end_date: '2033-01-01' }
    const { events } = await service.expect(200, 'editor', '/events', { query })
    await logs(() => send(`/events/${events[5].id}`, { title: 'Other' }))
    await logs(() => send(`/events/${first.id}`, { description: 'x', tags: ['all'], scope: 'all' }))
    await logs(() => send(`/events/${first.id}`, { start_date: '2031-06-10 18:00', scope: 'all' }))
    await logs(() => send(`/events/${events[20].id}`, { cost: '5', tickets: [{ name: 'T' }], scope: 'following' }))
    await logs(() =>
      send(`/events/${events[21].id}`, { recurrence: { rule: 'FREQ=DAILY;COUNT=4' }, scope: 'following' }),
    )
    await logs(() => remove(`/events/${events[7].id}`))
    await logs(() => remove(`/events/${first.id}`, { scope: 'all' }))
    await logs(() => editor.post(`/manage/events/${first.id}`, { do: 'restore', scope: 'all' }))
    await logs(() => remove(`/events/${first.id}`, { scope: 'all', force: true }))
  })

  it('of venues, organizers, categories and tags', async () => {
    const user = { id: service.ids.editor, name: 'editor', role: 'editor' } as const
    const scope = { ...createScope(service.config, service.db), user }
    const made: Json[] = []
    for (const name of ['One', 'Two']) await logs(async () => made.push(await send('/venues', { venue: name })))
    await send('/events', { ...EVENT, venue: made[0].id, categories: ['Parent'], tags: ['x', 'y'] })
    await logs(() => send(`/venues/${made[0].id}`, { city: 'Port', geo_lat: 1, geo_lng: 2 }))
    await logs(() => mergeLinked(scope, 'venue', made[0].id, () => ({ into: made[1].id })), true)
    await logs(() => remove(`/venues/${made[1].id}`), true)
    await logs(() => remove(`/venues/${made[1].id}`, { force: true }), true)
    const terms: Json[] = []
    for (const name of ['Above', 'Below'])
      await logs(async () => terms.push(await send('/categories', { name, parent: terms[0]?.id ?? 0 })))
    await logs(() => send(`/categories/${terms[1].id}`, { name: 'Under' }))
    await logs(() => remove(`/categories/${terms[0].id}`, { force: true }), true)
    const tags = (await service.expect(200, 'editor', '/tags')).tags
    const [one, other] = ['x', 'y'].map((name) => tags.find((tag: Json) => tag.name === name).id)
    await logs(() => mergeTerms(scope, 'tag', one, () => ({ into: other })), true)
  })

  it('of images that are removed, and of imports', async () => {
    const raw = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    const image = (await service.call('editor', '/images', { raw, headers: { 'content-type': 'image/png' } })).json()
    await logs(() => send('/events', { ...EVENT, image: image.id }))
    await logs(() => remove(`/images/${image.id}`, { force: true }))
    const entries = Array.from(
      { length: 30 },
      (_, n) =>
        `BEGIN:VEVENT\nUID:${n}@x\nDTSTART:20310610T190000Z\nSUMMARY:E${n}\nLOCATION:Hall ${n % 3}\nCATEGORIES:K\nEND:VEVENT\n`,
    )
    const calendar = `BEGIN:VCALENDAR\n${entries.join('')}END:VCALENDAR\n`.replaceAll('\n', '\r\n')
    const bring = (text: string) =>
      service.expect(200, 'editor', '/import', { raw: text, headers: { 'content-type': 'text/calendar' } })
    await logs(() => bring(calendar))
    await logs(() => bring(calendar.replaceAll('SUMMARY:E', 'SUMMARY:F')))
    const requests = [1, 2].map((n) => ({ method: 'POST', path: '/events', body: { ...EVENT, title: `Batch ${n}` } }))
    await logs(() => send('/batch', { requests }))
  })
})
