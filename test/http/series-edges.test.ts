import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/schema/user.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const RHYME = {
  title: 'Rhyme time',
  start_date: '2031-06-10 10:00',
  end_date: '2031-06-10 11:30',
  timezone: 'Europe/Paris',
  recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=5',
}

describe('series, hard cases', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { rateLimit: '0' } })
  })
  after(() => service.close())

  const create = (json: Json = {}, role: Role = 'editor'): Promise<Json> =>
    service.expect(201, role, '/events', { json: { ...RHYME, ...json } })
  const get = (id: number, role: Role | null = null): Promise<Json> => service.expect(200, role, `/events/${id}`)
  const patch = (id: number, json: Json, query: Json = {}): Promise<Json> =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json, query })
  const remove = (id: number, query: Json = {}): Promise<Json> =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query })
  const list = async (series: number, query: Json = {}, role: Role | null = null): Promise<Json[]> =>
    (await service.expect(200, role, '/events', { query: { series, per_page: 50, ...query } })).events
  const starts = async (series: number, query: Json = {}): Promise<string[]> =>
    (await list(series, query)).map(({ start_date }) => start_date.slice(0, 16))
  const days = async (series: number): Promise<string[]> => (await starts(series)).map((start) => start.slice(5, 10))
  const refused = async (id: number, json: Json, query: Json = {}): Promise<Json> =>
    (await service.expect(400, 'editor', `/events/${id}`, { method: 'PATCH', json, query })).data.params

  it('restores all from an occurrence that was removed by itself', async () => {
    const { id } = await create()
    const events = await list(id)
    await remove(events[1].id)
    await patch(events[1].id, { status: 'publish' }, { scope: 'all' })
    const first = await get(id)
    assert.deepEqual(first.recurrence.except, [])
    assert.equal(first.recurrence.count, 5)
    assert.equal((await list(id)).length, 5)
  })

  it('keeps each value of a rule once', async () => {
    const rule = `freq=weekly;byday=${'mo, '.repeat(2000)}tu;count=3`
    const { id, recurrence } = await create({ recurrence: rule })
    assert.equal(recurrence.rule, 'FREQ=WEEKLY;BYDAY=MO,TU;COUNT=3')
    const sent = await patch(id, { recurrence: 'FREQ=WEEKLY;BYDAY=MO,TU,MO;COUNT=3' }, { dry_run: true })
    assert.deepEqual(sent, { created: [], changed: [], removed: [] })
    assert.ok((await refused(id, { recurrence: 'FREQ=WEEKLY;BYDAY=MO=TU' })).recurrence)
  })

  it('checks rights before it reads how far a write reaches', async () => {
    const { id } = await create()
    const malformed = { headers: { 'content-type': 'application/json' }, raw: '{"scope":' }
    for (const wrong of [malformed, { json: {}, query: { scope: 'some' } }])
      for (const method of ['PATCH', 'DELETE']) {
        await service.expect(401, null, `/events/${id}`, { method, ...wrong })
        await service.expect(403, 'contributor', `/events/${id}`, { method, ...wrong })
        await service.expect(404, 'editor', '/events/999999', { method, ...wrong })
        await service.expect(400, 'editor', `/events/${id}`, { method, ...wrong })
      }
    const params = await refused(id, { title: '' }, { scope: 'some', dry_run: 'perhaps' })
    assert.deepEqual(Object.keys(params).sort(), ['dry_run', 'scope', 'title'])
    assert.equal((await get(id)).status, 'publish')
    await service.expect(403, 'subscriber', '/events', { method: 'POST', ...malformed })
  })

  it('moves a rule by the hours that a clock skips', async () => {
    const { id } = await create({
      start_date: '2031-03-02 02:30',
      end_date: '2031-03-02 03:30',
      recurrence: 'FREQ=WEEKLY',
    })
    assert.ok(!(await days(id)).includes('03-30'))
    await patch(id, { start_date: '2031-03-02 10:00', end_date: '2031-03-02 11:00' }, { scope: 'all' })
    assert.equal((await get(id)).recurrence.rule, 'FREQ=WEEKLY')
    assert.ok((await days(id)).includes('03-30'))
  })

  it('moves rules that name hours, days of the month and months', async () => {
    const moved = async (recurrence: string, start: string, to: string) => {
      const end = (day: string) => `${day.slice(0, 10)} 23:30`
      const { id } = await create({ start_date: start, end_date: end(start), recurrence })
      await patch(id, { start_date: to, end_date: end(to) }, { scope: 'all' })
      return (await get(id)).recurrence.rule
    }
    assert.equal(
      await moved('FREQ=DAILY;BYHOUR=10,15;UNTIL=20310615', '2031-06-10 10:00', '2031-06-10 11:00'),
      'FREQ=DAILY;BYHOUR=11,16;UNTIL=20310615',
    )
    assert.equal(
      await moved('FREQ=MONTHLY;BYMONTHDAY=10', '2031-06-10 10:00', '2031-06-11 10:00'),
      'FREQ=MONTHLY;BYMONTHDAY=11',
    )
    assert.equal(
      await moved('FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=10', '2031-06-10 10:00', '2031-07-12 12:00'),
      'FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=12',
    )
  })

  it('makes dates of a rule that cannot be moved, and refuses it in words if it never ends', async () => {
    const finite = await create({ recurrence: 'FREQ=MONTHLY;BYDAY=2TU;COUNT=6' })
    const first = await patch(
      finite.id,
      { start_date: '2031-06-11 10:00', end_date: '2031-06-11 11:30' },
      { scope: 'all' },
    )
    assert.equal(first.recurrence.rule, null)
    assert.deepEqual(await days(finite.id), ['06-11', '07-09', '08-13', '09-10', '10-15', '11-12'])
    const endless = await create({ recurrence: 'FREQ=MONTHLY;BYDAY=2TU' })
    const problems = await refused(
      endless.id,
      { start_date: '2031-06-11 10:00', end_date: '2031-06-11 11:30' },
      { scope: 'all' },
    )
    assert.ok(problems.recurrence.length > 20)
    assert.equal((await get(endless.id)).start_date, '2031-06-10 10:00:00')
  })

  it('copies status, author and date of publication together', async () => {
    const { id } = await create()
    const [, second] = await list(id)
    await patch(id, { status: 'draft', date: '2030-01-02 03:04:05' }, { scope: 'all' })
    const changed = await get(second.id, 'editor')
    assert.equal(changed.status, 'draft')
    assert.equal(changed.date, '2030-01-02 03:04:05')
  })

  it('creates in the trash what a new rule adds to a trashed series', async () => {
    const { id } = await create()
    await remove(id, { scope: 'all' })
    await patch(id, { recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=7' }, { scope: 'all' })
    assert.equal((await list(id)).length, 0)
    await patch(id, { status: 'publish' }, { scope: 'all' })
    const events = await list(id)
    assert.equal(events.length, 7)
    assert.ok(events.every(({ slug }) => !slug.includes('trash')))
  })

  it('does not tell of a series that the reader may not see', async () => {
    const draft = await create({ status: 'draft' })
    await service.expect(400, null, '/events', { query: { series: draft.id } })
    await service.expect(400, 'author', '/events', { query: { series: draft.id } })
    assert.equal((await list(draft.id, {}, 'editor')).length, 5)
    const secret = await create({ password: 'pass-word-1' })
    await service.expect(400, null, '/events', { query: { series: secret.id } })
    assert.equal((await list(secret.id, {}, 'editor')).length, 5)
    const gone = await create()
    await remove(gone.id, { scope: 'all' })
    assert.deepEqual(await list(gone.id), [])
  })

  it('keeps the event at its start if a date is earlier', async () => {
    const first = await create({ recurrence: { rule: 'FREQ=WEEKLY;COUNT=3', dates: ['2031-06-03', '2031-06-05'] } })
    assert.equal(first.start_date, '2031-06-10 10:00:00')
    assert.deepEqual(await days(first.id), ['06-03', '06-05', '06-10', '06-17', '06-24'])
    const [, early] = await list(first.id)
    const rest = await patch(early.id, { title: 'Later' }, { scope: 'following' })
    assert.equal(rest.recurrence.series, early.id)
    assert.deepEqual(await days(early.id), ['06-05', '06-10', '06-17', '06-24'])
    assert.deepEqual(await days(first.id), ['06-03'])
    assert.equal((await list(first.id))[0]?.recurrence.count, 1)
    assert.equal(rest.recurrence.count, 4)
  })

  it('takes an exception of the start', async () => {
    const first = await create({ recurrence: { rule: 'FREQ=WEEKLY;COUNT=3', except: ['2031-06-10'] } })
    assert.equal(first.start_date, '2031-06-17 10:00:00')
    assert.equal(first.recurrence.count, 2)
    const longer = await patch(first.id, { recurrence: { rule: 'FREQ=WEEKLY;COUNT=4' } })
    assert.equal(longer.recurrence.count, 3)
    assert.deepEqual(await days(first.id), ['06-17', '06-24', '07-01'])
    const all = await patch(first.id, { title: 'Changed' }, { scope: 'following' })
    assert.equal(all.recurrence.series, first.id)
  })

  it('splits at an extra date', async () => {
    for (const rule of ['FREQ=WEEKLY;COUNT=4', 'FREQ=WEEKLY;UNTIL=20310701']) {
      const { id } = await create({ recurrence: { rule, dates: ['2031-06-19', '2031-06-26'] } })
      const extra = (await list(id))[2]
      assert.equal(extra.start_date, '2031-06-19 10:00:00')
      const rest = await patch(extra.id, { title: 'Rest' }, { scope: 'following' })
      assert.equal(rest.recurrence.count, 4)
      assert.deepEqual(await days(id), ['06-10', '06-17'])
      assert.deepEqual(await days(extra.id), ['06-19', '06-24', '06-26', '07-01'])
    }
    const endless = await create({ recurrence: { rule: 'FREQ=WEEKLY', dates: ['2031-06-19'] } })
    const extra = (await list(endless.id))[2]
    const rest = await patch(extra.id, { title: 'Rest' }, { scope: 'following' })
    assert.equal(rest.recurrence.count, null)
    assert.deepEqual((await days(extra.id)).slice(0, 3), ['06-19', '06-24', '07-01'])
    assert.deepEqual(await days(endless.id), ['06-10', '06-17'])
    // The first of the rest is its first, whatever its rule counts from.
    const other = await patch(extra.id, { recurrence: { rule: 'FREQ=WEEKLY;COUNT=3' } })
    assert.equal(other.recurrence.series, extra.id)
    const whole = await patch(extra.id, { title: 'Whole' }, { scope: 'following' })
    assert.equal(whole.recurrence.series, extra.id)
  })

  it('splits at an occurrence that was moved by hand, and moves the rest by the sent difference', async () => {
    const { id } = await create()
    const third = (await list(id))[2]
    await patch(third.id, { start_date: '2031-06-25 12:00', end_date: '2031-06-25 13:30' })
    const rest = await patch(
      third.id,
      { start_date: '2031-06-25 13:00', end_date: '2031-06-25 14:30' },
      { scope: 'following' },
    )
    assert.equal(rest.recurrence.original_start_date, '2031-06-24 11:00:00')
    assert.deepEqual(await starts(third.id), ['2031-06-25 13:00', '2031-07-01 11:00', '2031-07-08 11:00'])
    assert.deepEqual(await days(id), ['06-10', '06-17'])
  })

  it('names occurrences of the rest of a series by its slug and their day', async () => {
    const { id, slug } = await create({ title: 'Split slug' })
    const third = (await list(id))[2]
    await patch(third.id, { recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4' }, { scope: 'following' })
    const slugs = (await list(third.id)).map((event) => event.slug)
    assert.deepEqual(
      slugs,
      ['06-24', '07-01', '07-08', '07-15'].map((day) => `${slug}-2031-${day}`),
    )
  })

  it('changes nothing if the first is sent back as it was read', async () => {
    const { id } = await create({ recurrence: { rule: 'FREQ=WEEKLY;COUNT=4', except: ['2031-06-17'] } })
    const read = await service.call('editor', `/events/${id}`)
    const { etag } = read.headers
    const same = await service.call('editor', `/events/${id}`, { method: 'PUT', json: read.json() })
    assert.equal(same.statusCode, 200)
    assert.equal((await service.call('editor', `/events/${id}`)).headers.etag, etag)
    const json = { ...read.json(), start_date: '2031-06-11 10:00:00', end_date: '2031-06-11 11:30:00' }
    await service.expect(200, 'editor', `/events/${id}`, { method: 'PUT', json, query: { scope: 'all' } })
    const moved = await get(id)
    assert.deepEqual(moved.recurrence.except, ['2031-06-18 10:00:00'])
    assert.equal(moved.recurrence.count, 3)
  })

  it('shows another tag of the first after an exception', async () => {
    const { id } = await create()
    const tag = (await service.call('editor', `/events/${id}`)).headers.etag
    const open = (await service.call(null, `/events/${id}`)).headers.etag
    await remove((await list(id))[2].id)
    assert.notEqual((await service.call('editor', `/events/${id}`)).headers.etag, tag)
    assert.notEqual((await service.call(null, `/events/${id}`)).headers.etag, open)
    const stale = await service.call('editor', `/events/${id}`, {
      method: 'PATCH',
      json: { title: 'Stale' },
      query: { scope: 'all' },
      headers: { 'if-match': String(tag) },
    })
    assert.equal(stale.statusCode, 412)
    assert.ok((await list(id)).every(({ title }) => title === 'Rhyme time'))
  })

  it('is not changed when it is changed back', async () => {
    const { id } = await create()
    const [, second] = await list(id)
    await patch(second.id, { title: 'Other', start_date: '2031-06-17 09:00' })
    const back = await patch(second.id, { title: 'Rhyme time', start_date: '2031-06-17 10:00' })
    assert.equal(back.recurrence.changed, false)
  })

  it('leaves an event that was removed by itself out of a rule that no longer has its day', async () => {
    const { id } = await create({ recurrence: 'FREQ=WEEKLY;COUNT=5' })
    const events = await list(id)
    await remove(events[1].id)
    await patch(id, { recurrence: { rule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=3' } })
    await patch(events[1].id, { status: 'publish' })
    assert.equal((await get(events[1].id)).recurrence, null)
    assert.equal((await get(id)).recurrence.count, 3)
    assert.equal((await list(id)).length, 3)
  })

  it('detaches the first alone', async () => {
    const { id } = await create()
    await patch(id, { recurrence: null }, { scope: 'this' })
    const events = await list(id)
    assert.equal(events.length, 4)
    assert.ok(events.every(({ parent, recurrence }) => parent === undefined && recurrence.series === id))
    assert.equal((await get(id)).recurrence, null)
  })

  it('keeps what was changed by hand in the trash when a series ends', async () => {
    const { id } = await create()
    const [, second, third] = await list(id)
    await patch(second.id, { title: 'By hand' })
    await patch(id, { recurrence: null })
    assert.equal((await get(second.id, 'editor')).status, 'trash')
    await service.expect(404, 'editor', `/events/${third.id}`)
  })

  it('has whole days, also where midnight does not exist', async () => {
    const first = await create({
      start_date: '2031-09-05',
      end_date: '2031-09-06',
      all_day: true,
      timezone: 'America/Santiago',
      recurrence: 'FREQ=DAILY;COUNT=5',
    })
    assert.deepEqual(
      await starts(first.id),
      [5, 6, 7, 8, 9].map((day) => `2031-09-0${day} 00:00`),
    )
    assert.equal(first.recurrence.count, 5)
    const timed = await create({
      start_date: '2031-09-05 00:00',
      end_date: '2031-09-05 01:00',
      timezone: 'America/Santiago',
      recurrence: 'FREQ=DAILY;COUNT=4',
    })
    assert.deepEqual(await days(timed.id), ['09-05', '09-06', '09-08', '09-09'])
  })

  it('becomes a series of whole days, and back', async () => {
    const { id } = await create({ recurrence: { rule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4', except: ['2031-06-17'] } })
    const before = (await list(id)).map((event) => event.id)
    await patch(id, { all_day: true }, { scope: 'all' })
    const events = await list(id)
    assert.deepEqual(
      events.map((event) => event.id),
      before,
    )
    assert.ok(events.every(({ all_day, end_date }) => all_day && end_date.endsWith('23:59:59')))
    assert.deepEqual(await days(id), ['06-10', '06-24', '07-01'])
    assert.deepEqual((await get(id)).recurrence.except, ['2031-06-17 00:00:00'])
    await patch(id, { all_day: false, start_date: '2031-06-10 10:00', end_date: '2031-06-10 11:00' }, { scope: 'all' })
    assert.deepEqual(await starts(id), ['2031-06-10 10:00', '2031-06-24 10:00', '2031-07-01 10:00'])
    assert.ok((await list(id)).every(({ all_day, recurrence }) => !all_day && !recurrence.changed))
  })

  it('changes the time zone of all', async () => {
    const { id } = await create()
    await patch(id, { timezone: 'America/New_York' }, { scope: 'all' })
    const events = await list(id)
    assert.ok(
      events.every(({ timezone, start_date }) => timezone === 'America/New_York' && start_date.includes('10:00')),
    )
    assert.equal(events[4].utc_start_date, '2031-07-08 14:00:00')
    assert.ok(events.every(({ recurrence }) => !recurrence.changed))
  })

  it('has several occurrences on a day', async () => {
    const { id } = await create({ recurrence: 'FREQ=DAILY;BYHOUR=10,12,14;COUNT=6' })
    const before = await list(id)
    assert.equal(before.length, 6)
    assert.equal(new Set(before.map(({ slug }) => slug)).size, 6)
    await remove(before[1].id)
    await patch(id, { recurrence: { rule: 'FREQ=DAILY;BYHOUR=10,12,15;COUNT=6' } })
    const now = await list(id)
    assert.deepEqual(
      now.map((event) => event.id),
      before.filter((_, n) => n !== 1).map((event) => event.id),
    )
    assert.equal(now[1].start_date, '2031-06-10 15:00:00')
  })

  it('ends after midnight', async () => {
    const { id } = await create({
      start_date: '2031-10-25 22:00',
      end_date: '2031-10-26 02:30',
      recurrence: 'FREQ=WEEKLY;COUNT=2',
    })
    assert.deepEqual(
      (await list(id)).map(({ end_date }) => end_date),
      ['2031-10-26 02:30:00', '2031-11-02 02:30:00'],
    )
  })

  it('lets a contributor change only what is not published yet', async () => {
    const { id } = await create({}, 'contributor')
    const own = await list(id, { status: 'draft' }, 'contributor')
    assert.equal(own.length, 5)
    await patch(own[1].id, { status: 'publish' })
    const before = await service.call('editor', '/events', { query: { series: id, status: 'draft,publish' } })
    for (const query of [{ scope: 'all' }, { scope: 'following' }]) {
      const options = { method: 'PATCH' as const, json: { title: 'Mine' }, query }
      await service.expect(403, 'contributor', `/events/${id}`, options)
      await service.expect(403, 'contributor', `/events/${id}`, { method: 'DELETE', query })
    }
    const now = await service.call('editor', '/events', { query: { series: id, status: 'draft,publish' } })
    assert.equal(now.body, before.body)
    const [, , third] = own
    const options = { method: 'PATCH' as const, json: { title: 'Mine' }, query: { scope: 'following' } }
    await service.expect(200, 'contributor', `/events/${third.id}`, options)
  })

  it('takes scope and dry_run in the body, and writes nothing in a dry run', async () => {
    const { id } = await create()
    const [, second] = await list(id)
    const read = async () => (await service.call('editor', `/events/${second.id}`)).headers.etag
    const before = await read()
    const plan = await patch(second.id, { title: 'Planned', scope: 'following', dry_run: true })
    assert.equal(plan.changed.length, 4)
    await service.expect(200, 'editor', `/events/${second.id}`, { method: 'DELETE', json: { dry_run: true } })
    const form = await service.expect(200, 'editor', `/events/${second.id}`, {
      method: 'POST',
      form: { title: 'Planned', scope: 'all', dry_run: 'true' },
    })
    assert.equal(form.changed.length, 5)
    assert.equal(await read(), before)
    assert.equal((await list(id)).length, 5)
    const made = await service.expect(200, 'editor', '/events', { json: { ...RHYME, title: 'Never', dry_run: '1' } })
    assert.equal(made.created.length, 5)
    const { total } = await service.expect(200, 'editor', '/events', { query: { search: 'Never' } })
    assert.equal(total, 0)
    const bad = await service.call('editor', `/events/${id}`, { method: 'PATCH', json: { scope: 'some' } })
    assert.equal(bad.statusCode, 400)
  })
  it('collapses lists by distance, in any order and by cursor', async () => {
    const venue = (name: string, lat: number) => ({ venue: name, geo_lat: lat, geo_lng: 4.8 })
    const { id } = await create({ title: 'Walk', venue: venue('Far', 10), recurrence: 'FREQ=WEEKLY;COUNT=6' })
    const events = await list(id)
    await patch(events[2].id, { venue: venue('Near', 45.7) })
    await patch(events[4].id, { venue: venue('Nearer', 45.75) })
    const collapsed = async (query: Json): Promise<Json> =>
      service.expect(200, null, '/events', {
        query: { collapse: 'series', search: 'Walk', start_date: '2031-06-01', ...query },
      })
    const near = await collapsed({ geoloc_lat: 45.75, geoloc_lng: 4.8, geoloc_radius: 20 })
    assert.deepEqual(
      near.events.map((event: Json) => event.id),
      [events[2].id],
    )
    assert.equal(near.total, 1)
    const other = await create({ title: 'Walk at night', start_date: '2031-06-14 20:00', end_date: '2031-06-14 22:00' })
    const last = await create({ title: 'Walk alone', recurrence: null })
    const backwards = await collapsed({ orderby: 'start_date', order: 'desc', per_page: 1 })
    assert.equal(backwards.total, 3)
    assert.equal(backwards.events[0].id, other.id)
    const second = await collapsed({ per_page: 2, page: 2 })
    const first = await collapsed({ per_page: 2 })
    assert.equal(first.total_pages, 2)
    const ids = [...first.events, ...second.events].map((event: Json) => event.id)
    assert.deepEqual(ids, [id, last.id, other.id])
    const after = await collapsed({ per_page: 2, cursor: first.next_cursor })
    assert.deepEqual(
      after.events.map((event: Json) => event.id),
      [other.id],
    )
  })
})
