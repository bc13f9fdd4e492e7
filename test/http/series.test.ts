import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'

const RHYME = {
  title: 'Rhyme time',
  start_date: '2031-06-10 10:00',
  end_date: '2031-06-10 11:30',
  timezone: 'Europe/Paris',
  categories: ['Children'],
  tags: ['songs'],
  venue: { venue: 'Library', city: 'Lyon' },
  recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=10',
}

describe('series', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { rateLimit: '0' } })
  })
  after(() => service.close())

  const create = (json: Json = {}, query = {}): Promise<Json> =>
    service.expect(201, 'editor', '/events', { json: { ...RHYME, ...json }, query })
  const get = (id: number, role: 'editor' | null = null): Promise<Json> => service.expect(200, role, `/events/${id}`)
  const patch = (id: number, json: Json, query: Json = {}): Promise<Json> =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json, query })
  const remove = (id: number, query: Json = {}): Promise<Json> =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query })
  const list = async (series: number, query: Json = {}): Promise<Json[]> => {
    const { events } = await service.expect(200, query.status ? 'editor' : null, '/events', {
      query: { series, per_page: 50, ...query },
    })
    return events
  }
  const starts = async (series: number, query: Json = {}): Promise<string[]> =>
    (await list(series, query)).map(({ start_date }) => start_date)
  const countOf = async (path: string): Promise<number> => (await service.expect(200, null, path)).count
  const problem = async (json: Json): Promise<string> => {
    const body = await service.expect(400, 'editor', '/events', { json: { ...RHYME, ...json } })
    return body.data.params.recurrence
  }

  it('has an event for each occurrence', async () => {
    const first = await create()
    assert.deepEqual(first.recurrence, {
      series: first.id,
      original_start_date: '2031-06-10 10:00:00',
      changed: false,
      rule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=10',
      text: 'Every Tuesday, ten times',
      count: 10,
      dates: [],
      except: [],
    })
    assert.equal(first.parent, undefined)
    const events = await list(first.id)
    assert.equal(events.length, 10)
    assert.equal(events[0].id, first.id)
    assert.equal(events[0].recurrence.dates, undefined)
    const third = events[2]
    assert.equal(third.start_date, '2031-06-24 10:00:00')
    assert.equal(third.end_date, '2031-06-24 11:30:00')
    assert.equal(third.slug, `${first.slug}-2031-06-24`)
    assert.equal(third.parent, first.id)
    assert.equal(third.venue.venue, 'Library')
    assert.deepEqual(
      third.tags.map(({ name }: Json) => name),
      ['songs'],
    )
    assert.deepEqual(third.recurrence, {
      series: first.id,
      original_start_date: '2031-06-24 10:00:00',
      changed: false,
      rule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=10',
      text: 'Every Tuesday, ten times',
      count: 10,
    })
    assert.deepEqual((await get(third.id)).recurrence, third.recurrence)
    const german = await service.expect(200, null, `/events/${third.id}`, { headers: { 'accept-language': 'de' } })
    assert.equal(german.recurrence.text, 'Jeden Dienstag, zehnmal')
    assert.equal(await countOf(`/tags/${third.tags[0].id}`), 10)
    const found = await service.expect(200, null, '/events', {
      query: { search: 'rhyme', start_date: '2031-06-01', end_date: '2031-06-30', per_page: 50 },
    })
    assert.equal(found.total, 3)
    await remove(first.id, { scope: 'all', force: true })
    assert.equal(await countOf(`/tags/${third.tags[0].id}`), 0)
    await service.expect(400, null, '/events', { query: { series: first.id } })
  })

  it('shows no recurrence for a single event', async () => {
    const single = await create({ recurrence: null })
    assert.equal(single.recurrence, null)
    await remove(single.id, { force: true })
  })

  it('takes a rule, dates and exceptions in several forms', async () => {
    const asObject = await create({
      recurrence: { rule: 'FREQ=WEEKLY;COUNT=3', dates: ['2031-06-12 19:00', '2031-06-13'], except: ['2031-06-17'] },
    })
    const expected = ['2031-06-10 10:00:00', '2031-06-12 19:00:00', '2031-06-13 10:00:00', '2031-06-24 10:00:00']
    assert.deepEqual(await starts(asObject.id), expected)
    assert.deepEqual(asObject.recurrence.dates, ['2031-06-12 19:00:00', '2031-06-13 10:00:00'])
    assert.deepEqual(asObject.recurrence.except, ['2031-06-17 10:00:00'])
    assert.equal(asObject.recurrence.count, 4)
    const lines = 'RRULE:FREQ=WEEKLY;COUNT=3\nRDATE:20310612T190000,20310613T080000Z\nEXDATE;VALUE=DATE:20310617'
    assert.deepEqual(await starts((await create({ recurrence: lines })).id), expected)
    const dates = await create({ recurrence: { dates: ['2031-06-12 19:00'] } })
    assert.equal(dates.recurrence.rule, null)
    assert.equal(dates.recurrence.count, 2)
    const form = await service.expect(201, 'editor', '/events', {
      form: {
        title: 'Form',
        start_date: '2031-06-10 10:00',
        end_date: '2031-06-10 11:00',
        'recurrence[rule]': 'FREQ=DAILY;COUNT=2',
      },
    })
    assert.equal((await starts(form.id)).length, 2)
  })

  it('refuses rules in words that name the part', async () => {
    assert.match(await problem({ recurrence: 'FREQ=WEEKLY;BYDAY=XX' }), /XX/)
    assert.match(await problem({ recurrence: 'FREQ=HOURLY' }), /HOURLY/)
    assert.match(await problem({ recurrence: 'FREQ=WEEKLY;BYMONTHDAY=3' }), /BYMONTHDAY=3/)
    assert.match(await problem({ recurrence: 'FREQ=DAILY;COUNT=3;UNTIL=20310701' }), /COUNT=3/)
    assert.match(await problem({ recurrence: 'FREQ=DAILY\nRRULE:FREQ=WEEKLY' }), /one rule/)
    assert.match(await problem({ recurrence: 'FREQ=DAILY;COUNT=5001' }), /5000/)
    assert.match(await problem({ recurrence: 'FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8,9' }), /5000/)
    assert.match(await problem({ recurrence: { rule: 'FREQ=DAILY', dates: ['someday'] } }), /someday/)
    assert.match(await problem({ recurrence: 'DTSTART:20310610T100000' }), /DTSTART/)
    assert.match(await problem({ recurrence: 7 }), /rule/)
    assert.match(await problem({ recurrence: { rule: 'FREQ=WEEKLY;COUNT=1', except: ['2031-06-10'] } }), /no date/)
  })

  it('keeps the wall clock across a change of daylight saving', async () => {
    const { id } = await create({
      start_date: '2031-10-21 10:00',
      end_date: '2031-10-21 11:00',
      recurrence: 'FREQ=WEEKLY;COUNT=2',
    })
    const events = await list(id)
    assert.deepEqual(
      events.map(({ start_date }) => start_date),
      ['2031-10-21 10:00:00', '2031-10-28 10:00:00'],
    )
    assert.deepEqual(
      events.map(({ utc_start_date: utc }) => utc.slice(11, 16)),
      ['08:00', '09:00'],
    )
  })

  it('changes one occurrence by itself', async () => {
    const { id } = await create()
    const [, second, third] = await list(id)
    const changed = await patch(second.id, {
      title: 'Rhyme time with guests',
      start_date: '2031-06-17 15:00',
      end_date: '2031-06-17 16:00',
    })
    assert.equal(changed.recurrence.changed, true)
    assert.equal(changed.recurrence.original_start_date, '2031-06-17 10:00:00')
    const all = await patch(third.id, { title: 'Songs', description: 'All welcome.' }, { scope: 'all' })
    assert.equal(all.title, 'Songs')
    assert.equal(all.recurrence.changed, false)
    const events = await list(id)
    assert.deepEqual(
      events.map(({ title }) => title),
      ['Songs', 'Rhyme time with guests', ...Array(8).fill('Songs')],
    )
    assert.match(events[1].description, /All welcome/)
    const search = async (words: string) =>
      (await service.expect(200, null, '/events', { query: { search: words, series: id } })).total
    assert.equal(await search('songs'), 9)
    assert.equal(await search('all welcome'), 10)
  })

  it('moves all by the same difference', async () => {
    const { id } = await create({ recurrence: { rule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4', except: ['2031-06-17'] } })
    const [, second] = await list(id)
    const before = (await list(id)).map((event) => [event.id, event.slug])
    await patch(second.id, { start_date: '2031-06-25 12:00', end_date: '2031-06-25 14:00' }, { scope: 'all' })
    assert.deepEqual(await starts(id), ['2031-06-11 12:00:00', '2031-06-25 12:00:00', '2031-07-02 12:00:00'])
    const first = await get(id)
    assert.equal(first.end_date, '2031-06-11 14:00:00')
    assert.equal(first.recurrence.rule, 'FREQ=WEEKLY;BYDAY=WE;COUNT=4')
    assert.deepEqual(first.recurrence.except, ['2031-06-18 12:00:00'])
    assert.deepEqual(
      (await list(id)).map((event) => [event.id, event.slug]),
      before,
    )
  })

  it('changes the rule of all, keeps what stays, and tells before what vanishes', async () => {
    const { id } = await create({ recurrence: 'FREQ=WEEKLY;COUNT=4' })
    const before = await list(id)
    await patch(before[3].id, { title: 'Last one' })
    const json = { recurrence: 'FREQ=WEEKLY;INTERVAL=2;COUNT=3' }
    const plan = await patch(id, json, { dry_run: true })
    assert.deepEqual(plan, {
      created: [{ start_date: '2031-07-08 10:00:00' }],
      changed: [],
      removed: [
        { id: before[1].id, start_date: '2031-06-17 10:00:00' },
        { id: before[3].id, start_date: '2031-07-01 10:00:00' },
      ],
    })
    assert.equal((await list(id)).length, 4)
    const changed = await patch(id, json)
    assert.equal(changed.recurrence.count, 3)
    const events = await list(id)
    assert.deepEqual(
      events.map((event) => event.start_date.slice(0, 10)),
      ['2031-06-10', '2031-06-24', '2031-07-08'],
    )
    assert.deepEqual([events[0].id, events[1].id], [before[0].id, before[2].id])
    const refused = await service.call('editor', `/events/${events[1].id}`, {
      method: 'PATCH',
      json: { recurrence: 'FREQ=DAILY;COUNT=2' },
    })
    assert.equal(refused.statusCode, 400)
    assert.match(refused.json().data.params.recurrence, /scope/)
  })

  it('counts a recurrence that is sent back as not sent', async () => {
    const { id } = await create({ recurrence: { rule: 'FREQ=WEEKLY;COUNT=4', except: ['2031-06-17'] } })
    const [first, second] = await list(id)
    for (const { id: one, recurrence } of [first, second, await get(id)]) {
      const answer = await patch(one, { recurrence, title: `Sent back ${one}` })
      assert.equal(answer.recurrence.count, 3)
      assert.equal(answer.title, `Sent back ${one}`)
    }
    assert.equal((await list(id)).length, 3)
  })

  it('splits a series', async () => {
    const { id } = await create()
    const before = await list(id)
    const fourth = before[3]
    const split = await patch(fourth.id, { title: 'Autumn rhymes' }, { scope: 'following' })
    assert.equal(split.recurrence.series, fourth.id)
    assert.equal(split.recurrence.rule, 'FREQ=WEEKLY;BYDAY=TU;COUNT=7')
    assert.equal(split.recurrence.count, 7)
    assert.equal(split.parent, undefined)
    assert.equal((await get(id)).recurrence.rule, 'FREQ=WEEKLY;BYDAY=TU;COUNT=3')
    assert.deepEqual(
      (await list(id)).map(({ id: one }) => one),
      before.slice(0, 3).map(({ id: one }) => one),
    )
    const rest = await list(fourth.id)
    assert.deepEqual(
      rest.map((event) => event.id),
      before.slice(3).map((event) => event.id),
    )
    assert.ok(rest.every(({ title }) => title === 'Autumn rhymes'))
    assert.ok(rest.slice(1).every(({ parent }) => parent === fourth.id))
  })

  it('removes and restores by scope', async () => {
    const { id, tags } = await create({ tags: ['removal'] })
    const events = await list(id)
    await remove(events[1].id)
    assert.deepEqual((await get(id)).recurrence.except, ['2031-06-17 10:00:00'])
    assert.equal((await get(id)).recurrence.count, 9)
    await remove(events[4].id, { scope: 'all' })
    assert.deepEqual(await starts(id), [])
    assert.equal(await countOf(`/tags/${tags[0].id}`), 0)
    await patch(events[4].id, { status: 'publish' }, { scope: 'all' })
    assert.equal((await list(id)).length, 9)
    assert.equal(await countOf(`/tags/${tags[0].id}`), 9)
    assert.deepEqual(
      (await list(id)).map(({ slug }) => slug),
      events.filter((_, n) => n !== 1).map(({ slug }) => slug),
    )
    await patch(events[1].id, { status: 'publish' })
    assert.equal((await list(id)).length, 10)
    assert.deepEqual((await get(id)).recurrence.except, [])
    await remove(events[5].id, { scope: 'following' })
    assert.equal((await list(id)).length, 5)
    assert.equal((await get(id)).recurrence.count, 5)
  })

  it('survives the removal of its first event', async () => {
    const { id } = await create({ recurrence: 'FREQ=WEEKLY;COUNT=3' })
    await remove(id, { force: true })
    const [next] = await list(id)
    assert.equal(next.recurrence.series, id)
    assert.equal(next.recurrence.count, 2)
    const changed = await patch(next.id, { title: 'Still here' }, { scope: 'all' })
    assert.equal(changed.title, 'Still here')
    assert.deepEqual(
      (await list(id)).map(({ title }) => title),
      ['Still here', 'Still here'],
    )
  })

  it('shows its dates in the earliest event that is left', async () => {
    const { id } = await create({ recurrence: { rule: 'FREQ=WEEKLY;COUNT=4', dates: ['2031-08-01'] } })
    const [, second, third] = await list(id)
    const datesOf = async (event: number, role: 'editor' | null = null) => {
      const { recurrence } = await service.expect(200, role, `/events/${event}`)
      return { dates: recurrence.dates, except: recurrence.except }
    }
    const none = { dates: undefined, except: undefined }
    const tag = (await service.call(null, `/events/${second.id}`)).headers.etag
    assert.deepEqual(await datesOf(second.id), none)
    await remove(id)
    const dates = [`2031-08-01 ${second.start_date.slice(11)}`]
    const except = [id].map(() => `2031-06-10 ${second.start_date.slice(11)}`)
    for (const role of [null, 'editor'] as const) {
      assert.deepEqual(await datesOf(second.id, role), { dates, except })
      assert.deepEqual(await datesOf(third.id, role), none)
    }
    assert.notEqual((await service.call(null, `/events/${second.id}`)).headers.etag, tag)
    await patch(id, { status: 'publish' })
    assert.deepEqual(await datesOf(second.id), none)
    await remove(id, { force: true })
    assert.deepEqual(await datesOf(second.id), { dates, except })
    await remove(second.id, { force: true })
    assert.deepEqual((await datesOf(third.id)).dates, dates)
    const read = await service.call('editor', `/events/${third.id}`)
    await service.expect(200, 'editor', `/events/${third.id}`, { method: 'PUT', json: read.json() })
    assert.deepEqual(await datesOf(third.id, 'editor'), { dates, except: read.json().recurrence.except })
  })

  it('leaves an event alone for null', async () => {
    const { id } = await create({ recurrence: 'FREQ=WEEKLY;COUNT=3' })
    const [, second] = await list(id)
    const single = await patch(second.id, { recurrence: null })
    assert.equal(single.recurrence, null)
    assert.equal(single.parent, undefined)
    assert.equal((await list(id)).length, 2)
    const alone = await patch(id, { recurrence: null })
    assert.equal(alone.recurrence, null)
    await service.expect(400, null, '/events', { query: { series: id } })
    await get(second.id)
  })

  it('makes a series of a single event', async () => {
    const single = await create({ recurrence: null })
    const plan = await patch(single.id, { recurrence: 'FREQ=DAILY;COUNT=3' }, { dry_run: 'true' })
    assert.equal(plan.created.length, 2)
    const first = await patch(single.id, { recurrence: 'FREQ=DAILY;COUNT=3' })
    assert.equal(first.recurrence.series, single.id)
    assert.equal((await list(single.id)).length, 3)
  })

  it('shows one event of each series when collapsed', async () => {
    const { id } = await create({ title: 'Collapsing', recurrence: 'FREQ=WEEKLY;COUNT=8' })
    await create({
      title: 'Collapsing single',
      recurrence: null,
      start_date: '2031-06-20 10:00',
      end_date: '2031-06-20 11:00',
    })
    const collapsed = async (query: Json) => {
      const { events, total } = await service.expect(200, null, '/events', {
        query: { collapse: 'series', search: 'collapsing', ...query },
      })
      assert.equal(total, events.length)
      return events.map(({ start_date }: Json) => start_date.slice(0, 10))
    }
    assert.deepEqual(await collapsed({ start_date: '2031-06-01' }), ['2031-06-10', '2031-06-20'])
    assert.deepEqual(await collapsed({ start_date: '2031-06-12' }), ['2031-06-17', '2031-06-20'])
    assert.deepEqual(await collapsed({ start_date: '2031-07-01' }), ['2031-07-01'])
    assert.deepEqual(await collapsed({ start_date: '2031-06-01', search_mode: 'words' }), ['2031-06-10', '2031-06-20'])
    const { total } = await service.expect(200, null, '/events', { query: { series: id, collapse: 'series' } })
    assert.equal(total, 1)
  })

  it('makes later events when they come into view', async () => {
    let now = Date.UTC(2031, 0, 1) / 1000
    const later = await startService({ clock: () => now, settings: { timezone: 'UTC' } })
    try {
      const json = {
        ...RHYME,
        start_date: '2031-01-06 10:00',
        end_date: '2031-01-06 11:00',
        recurrence: 'FREQ=MONTHLY',
      }
      const { id, recurrence } = await later.expect(201, 'editor', '/events', { json })
      assert.equal(recurrence.count, null)
      const total = async () => (await later.expect(200, null, '/events', { query: { series: id } })).total
      assert.equal(await total(), 25)
      now = Date.UTC(2031, 2, 1) / 1000
      const { extendSeries } = await import('../../src/domain/series-extension.ts')
      const { siteOf } = await import('../../src/site.ts')
      const scope = { db: later.db, clock: () => now, site: siteOf(later.config) }
      await Promise.all([extendSeries(scope), extendSeries(scope)])
      assert.equal(await total(), 26)
    } finally {
      await later.close()
    }
  })
})
