import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { extendSeries } from '../../src/domain/series-extension.ts'
import { exportEvents } from '../../src/feeds/export.ts'
import { siteOf } from '../../src/site.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const calendar = (name: string, ...lines: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    `UID:${name}@example.org`,
    `SUMMARY:${name}`,
    'DTSTART:20310107T190000Z',
    'DTEND:20310107T200000Z',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')

describe('undoing an import of a series', () => {
  const began = Date.UTC(2031, 0, 1) / 1000
  let later = 0
  let service: Service
  let editor: Staff
  before(async () => {
    service = await startService({ settings: { rateLimit: '0', timezone: 'UTC' }, clock: () => began + later })
    editor = await signIn(service, 'editor')
  })
  after(() => service.close())

  const run = async (text: string, type = 'text/calendar'): Promise<string> => {
    const name = type === 'text/csv' ? 'a.csv' : 'a.ics'
    const file = { name, type, bytes: Buffer.from(text) }
    const begun = await editor.upload('/manage/imports', { do: 'run' }, { file })
    assert.equal(begun.statusCode, 303, begun.body)
    return String(begun.headers.location)
  }
  const undo = async (place: string, left: readonly string[] = []): Promise<void> => {
    await editor.post(place, { do: 'undo' })
    const { body } = await editor.get(place)
    const lines = [...body.matchAll(/<li dir="auto">([^<]*)/g)].map(([, name]) => name)
    assert.deepEqual(lines, left)
  }
  const extend = async (days: number) => {
    later += days * 86_400
    // The session has expired meanwhile.
    editor = await signIn(service, 'editor')
    return extendSeries({ db: service.db, clock: () => began + later, site: siteOf(service.config) })
  }
  const find = async (search: string, status = 'publish,trash'): Promise<Json[]> => {
    const events: Json[] = []
    for (let page = 1; ; page++) {
      const query = { search, status, start_date: '2030-01-01', end_date: '2040-01-01', per_page: 50, page }
      const found = await service.expect(200, 'editor', '/events', { query })
      events.push(...found.events)
      if (page >= found.total_pages) return events
    }
  }
  /** All that is known of the events of a name, but when they were changed. */
  const state = async (search: string) =>
    (await find(search)).map(({ modified, modified_utc, ...event }) => ({ ...event, global_id_lineage: undefined }))
  const seriesRows = () => service.db.read((tx) => tx.selectFrom('series').selectAll().orderBy('id').execute())
  /** Rows of series, but for the times of their changes. */
  const patterns = async () => (await seriesRows()).map(({ modified_utc, sequence, ...row }) => row)

  it('leaves nothing of a series that never ends', async () => {
    const place = await run(calendar('Endless', 'RRULE:FREQ=WEEKLY'))
    assert.ok((await find('Endless')).length > 100)
    assert.ok((await extend(30)) > 0)
    await undo(place)
    assert.deepEqual(await state('Endless'), [])
    assert.deepEqual(await patterns(), [])
    assert.equal(await extend(30), 0)
  })

  it('leaves what was changed by hand as a single event', async () => {
    const place = await run(calendar('Touched', 'RRULE:FREQ=WEEKLY;COUNT=4'))
    const [, second] = await find('Touched')
    await service.expect(200, 'editor', `/events/${second.id}`, { method: 'PATCH', json: { cost: '5' } })
    await undo(place, ['Touched'])
    const [left, ...others] = await find('Touched')
    assert.deepEqual([left.id, left.recurrence, left.parent, others], [second.id, null, undefined, []])
    assert.deepEqual(await patterns(), [])
    await service.expect(200, 'editor', `/events/${left.id}`, { method: 'DELETE', query: { force: true } })
  })

  it('gives a series back the rule, the exceptions and the events that it had', async () => {
    await run(calendar('Before', 'RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20310128T190000Z'))
    const [, second] = await find('Before')
    await service.expect(200, 'editor', `/events/${second.id}`, { method: 'PATCH', json: { cost: '5' } })
    const [events, rows] = [await state('Before'), await patterns()]
    for (const lines of [
      ['RRULE:FREQ=WEEKLY;COUNT=3'],
      ['RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20310114T190000Z'],
      ['RRULE:FREQ=WEEKLY', 'LOCATION:Hall'],
      ['RRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=6', 'DESCRIPTION:More'],
      [],
    ]) {
      const place = await run(calendar('Before', ...lines))
      assert.notDeepEqual(await state('Before'), events, String(lines))
      await extend(8)
      await undo(place)
      assert.deepEqual(await state('Before'), events, String(lines))
      assert.deepEqual(await patterns(), rows, String(lines))
      // What it brings afterwards is as if nothing had been.
      await undo(await run(calendar('Before', 'RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20310128T190000Z')))
      assert.deepEqual(await state('Before'), events, `${lines} again`)
    }
  })

  it('leaves a series that was changed since', async () => {
    await run(calendar('Since', 'RRULE:FREQ=WEEKLY;COUNT=3'))
    const place = await run(calendar('Since', 'RRULE:FREQ=WEEKLY;COUNT=5'))
    const [first] = await find('Since')
    const json = { recurrence: 'FREQ=WEEKLY;COUNT=7' }
    await service.expect(200, 'editor', `/events/${first.id}`, { method: 'PATCH', json })
    await editor.post(place, { do: 'undo' })
    assert.match((await editor.get(place)).body, /<li dir="auto">Since/)
    const { recurrence } = await service.expect(200, 'editor', `/events/${first.id}`)
    assert.equal(recurrence.rule, 'FREQ=WEEKLY;COUNT=7')
  })

  it('makes events that were joined single again', async () => {
    const text = calendar('Flat', 'RRULE:FREQ=WEEKLY;COUNT=4')
    await run(text)
    await service.db.write(async (tx) => {
      await tx.updateTable('events').set({ series: null, original_start: null }).where('title', '=', 'Flat').execute()
      await tx.deleteFrom('series').where('template', 'like', '%Flat%').execute()
    })
    const [events, rows] = [await state('Flat'), await patterns()]
    const place = await run(text)
    assert.ok((await find('Flat')).every(({ recurrence }) => recurrence !== null))
    await undo(place)
    assert.deepEqual(await state('Flat'), events)
    assert.deepEqual(await patterns(), rows)
  })

  it('of a table with a rule removes all that it created', async () => {
    const rows = await patterns()
    const table = (title: string, start: string, rule: string) =>
      `id,title,start_date,end_date,recurrence\n77,${title},2031-04-01 ${start}:00,2031-04-01 ${start}:30,"${rule}"\n`
    const place = await run(table('Lesson', '10', 'FREQ=WEEKLY;COUNT=4'), 'text/csv')
    assert.equal((await find('Lesson')).length, 4)
    await undo(place)
    assert.deepEqual(await state('Lesson'), [])
    assert.deepEqual(await patterns(), rows)
    await run(table('Lesson', '10', ''), 'text/csv')
    const single = await state('Lesson')
    await undo(await run(table('Lesson', '10', 'FREQ=WEEKLY;COUNT=4'), 'text/csv'))
    assert.deepEqual(await state('Lesson'), single)
    assert.deepEqual(await patterns(), rows)
    await run(table('Lesson', '10', 'FREQ=WEEKLY;COUNT=4'), 'text/csv')
    const [events, series] = [await state('Lesson'), await patterns()]
    await undo(await run(table('Lessons', '11', 'FREQ=WEEKLY;COUNT=6'), 'text/csv'))
    assert.deepEqual(await state('Lesson'), events)
    assert.deepEqual(await patterns(), series)
  })

  it('of a table of ours removes its series', async () => {
    const json = { title: 'Ours', start_date: '2031-02-03 10:00', end_date: '2031-02-03 11:00', tags: ['ours'] }
    const { id } = await service.expect(201, 'editor', '/events', {
      json: { ...json, recurrence: 'FREQ=WEEKLY;COUNT=5' },
    })
    const scope = { db: service.db, clock: () => began, site: siteOf(service.config), user: null }
    let text = ''
    for await (const piece of (await exportEvents(scope, 'csv', { tags: 'ours' })).text) text += piece
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { scope: 'all', force: true } })
    const rows = await patterns()
    const place = await run(text, 'text/csv')
    assert.equal((await find('Ours')).length, 5)
    await undo(place)
    assert.deepEqual(await state('Ours'), [])
    assert.deepEqual(await patterns(), rows)
  })
})
