import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import ICAL from 'ical.js'
import { type Json, type Service, startService } from '../support/service.ts'

const NOW = Date.UTC(2031, 0, 1) / 1000

/** Every occurrence of a calendar until a day, as another program sees it. */
function expanded(text: string, until: string): string[] {
  ICAL.TimezoneService.reset()
  const calendar = new ICAL.Component(ICAL.parse(text))
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone)
  const entries = calendar.getAllSubcomponents('vevent').map((entry: Json) => new ICAL.Event(entry))
  const end = ICAL.Time.fromDateString(until)
  const found: string[] = []
  const add = (start: Json, title: string) => {
    const at = start.isDate ? start.toString() : start.toJSDate().toISOString().slice(0, 16)
    found.push(`${at} ${title}`)
  }
  for (const event of entries.filter((one: Json) => !one.isRecurrenceException())) {
    const changes = entries.filter((one: Json) => one.isRecurrenceException() && one.uid === event.uid)
    for (const change of changes) event.relateException(change)
    if (!event.isRecurring()) add(event.startDate, event.summary)
    else {
      const times = event.iterator()
      for (let next = times.next(); next && next.compare(end) < 0; next = times.next()) {
        const { startDate, item } = event.getOccurrenceDetails(next)
        add(startDate, item.summary)
      }
    }
  }
  const masters = new Set(entries.filter((one: Json) => !one.isRecurrenceException()).map(({ uid }: Json) => uid))
  for (const one of entries) if (one.isRecurrenceException() && !masters.has(one.uid)) add(one.startDate, one.summary)
  return found.sort()
}

describe('feeds of series', () => {
  let service: Service
  before(async () => {
    service = await startService({ settings: { rateLimit: '0', timezone: 'Europe/Paris' }, clock: () => NOW })
  })
  after(() => service.close())

  const create = (json: Json): Promise<Json> =>
    service.expect(201, 'editor', '/events', {
      json: { title: 'Choir', start_date: '2031-01-07 19:00', end_date: '2031-01-07 21:00', ...json },
    })
  const feed = async (path: string): Promise<string> => {
    const answer = await service.inject({ url: path })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.body.replaceAll('\r\n ', '')
  }
  const listed = async (query: Json): Promise<string[]> => {
    const found: string[] = []
    for (let page = 1; ; page++) {
      const { events, total_pages } = await service.expect(200, null, '/events', {
        query: { start_date: '2031-01-01', end_date: '2032-12-31', per_page: 50, ...query, page },
      })
      for (const { utc_start_date: utc, start_date, all_day, title } of events)
        found.push(`${all_day ? start_date.slice(0, 10) : utc.slice(0, 16).replace(' ', 'T')} ${title}`)
      if (page >= total_pages) return found.sort()
    }
  }
  const remove = (id: number, query: Json = {}) =>
    service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query })
  const agree = async (query: Json) => {
    const search = new URLSearchParams(query).toString()
    assert.deepEqual(expanded(await feed(`/events.ics${search && `?${search}`}`), '2033-01-01'), await listed(query))
  }

  it('are the list of events, expanded', async () => {
    const weekly = await create({ recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=40', categories: ['Music'] })
    await create({
      title: 'Endless',
      recurrence: 'FREQ=MONTHLY;BYDAY=2FR',
      start_date: '2031-01-10 20:00',
      end_date: '2031-01-10 23:00',
    })
    await create({
      title: 'Night',
      recurrence: 'FREQ=WEEKLY;COUNT=20',
      start_date: '2031-01-05 02:30',
      end_date: '2031-01-05 03:30',
    })
    await create({ title: 'Fair', all_day: true, recurrence: { rule: 'FREQ=YEARLY;COUNT=2', dates: ['2031-03-01'] } })
    await create({
      title: 'Offset',
      timezone: 'UTC+5.5',
      start_date: '2031-01-07 02:00',
      end_date: '2031-01-07 03:00',
      recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=5',
    })
    await create({ title: 'Universal', timezone: 'UTC', recurrence: 'FREQ=DAILY;UNTIL=20310112' })
    await create({ title: 'Single' })
    await agree({})
    const events = (await service.expect(200, null, '/events', { query: { series: weekly.id, per_page: 50 } })).events
    const patch = (n: number, json: Json, query: Json = {}) =>
      service.expect(200, 'editor', `/events/${events[n].id}`, { method: 'PATCH', json, query })
    await patch(3, { title: 'Choir with guests' })
    await patch(5, { start_date: '2031-02-12 18:00', end_date: '2031-02-12 20:00' })
    await remove(events[7].id)
    await patch(9, { categories: [] })
    await patch(11, { hide_from_listings: true })
    await agree({})
    await agree({ categories: 'music' })
    await agree({ start_date: '2031-03-01', end_date: '2031-06-30' })
    await agree({ search: 'guests' })
    await remove(events[0].id)
    await agree({})
    await remove(events[20].id, { scope: 'following' })
    await agree({})
  })

  it('have a start that the rule does not give', async () => {
    const tags = ['odd']
    for (const [n, recurrence] of [
      'FREQ=MONTHLY;BYDAY=-1FR;COUNT=5',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=9',
      'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=4',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=3;COUNT=2',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3',
      'FREQ=DAILY;BYDAY=SA,SU;UNTIL=20310301T000000Z',
      'FREQ=DAILY;BYDAY=SA,SU;COUNT=1',
      'FREQ=DAILY;BYMONTH=2;COUNT=12',
      'FREQ=DAILY;BYMONTHDAY=1,13;BYDAY=MO,FR,SA',
      'FREQ=WEEKLY;BYDAY=WE',
    ].entries())
      for (const all_day of [false, true]) await create({ title: `Odd ${n} ${all_day}`, all_day, tags, recurrence })
    // The rule gives one of the dates, too.
    await create({
      title: 'Odd twice',
      tags,
      recurrence: { rule: 'FREQ=WEEKLY;COUNT=3', dates: ['2031-01-14', '2031-01-15'] },
    })
    // The clock skips the third one.
    const night = { start_date: '2031-03-17 02:30', end_date: '2031-03-17 03:00' }
    await create({ title: 'Odd night', tags, ...night, recurrence: 'FREQ=WEEKLY;BYDAY=SU;COUNT=5' })
    await agree({ tags: 'odd' })
    const { events } = await service.expect(200, null, '/events', { query: { search: 'odd 0 false' } })
    await remove(events[0].id)
    await remove(events[2].id)
    await agree({ tags: 'odd' })
  })

  it('have one entry for a series, and one for each changed event', async () => {
    const first = await create({ title: 'Entries', recurrence: 'FREQ=WEEKLY;COUNT=4' })
    const read = () => feed(`/event/${first.slug}.ics?scope=all`)
    const before = await read()
    assert.equal(before.match(/BEGIN:VEVENT/g)?.length, 1)
    assert.match(before, new RegExp(`UID:event-${first.id}@calendar.example.org`))
    assert.match(before, /RRULE:FREQ=WEEKLY;COUNT=4/)
    const { events } = await service.expect(200, null, '/events', { query: { series: first.id } })
    await service.expect(200, 'editor', `/events/${events[2].id}`, { method: 'PATCH', json: { title: 'Another' } })
    const text = await read()
    assert.equal(text.match(/BEGIN:VEVENT/g)?.length, 2)
    assert.equal(text.match(new RegExp(`UID:event-${first.id}@`, 'g'))?.length, 2)
    assert.match(text, /RECURRENCE-ID;TZID=Europe\/Paris:20310121T190000/)
    await remove(events[3].id)
    const sequence = (calendar: string) => Number(/SEQUENCE:(\d+)/.exec(calendar)?.[1])
    const removed = await read()
    assert.match(removed, /EXDATE;TZID=Europe\/Paris:20310128T190000/)
    assert.ok(sequence(removed) > sequence(before))
  })

  it('of one event have that event alone', async () => {
    const first = await create({ title: 'Alone', recurrence: 'FREQ=WEEKLY;COUNT=4' })
    const { events } = await service.expect(200, null, '/events', { query: { series: first.id } })
    const text = await feed(`/event/${events[1].slug}.ics`)
    assert.equal(text.match(/BEGIN:VEVENT/g)?.length, 1)
    assert.doesNotMatch(text.slice(text.indexOf('BEGIN:VEVENT')), /RRULE/)
    assert.match(text, /DTSTART;TZID=Europe\/Paris:20310114T190000/)
  })

  it('describe the schedule in JSON-LD', async () => {
    const first = await create({ title: 'Scheduled', recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4' })
    const { json_ld } = await service.expect(200, null, `/events/${first.id}`)
    assert.equal(json_ld.eventSchedule.repeatFrequency, 'P1W')
    assert.deepEqual(json_ld.eventSchedule.byDay, ['https://schema.org/Tuesday'])
    assert.equal(json_ld.eventSchedule.repeatCount, 4)
  })
})
