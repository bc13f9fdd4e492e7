import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import { importTable } from '../../src/imports/table/import-table.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

/** 2031-06-01 12:00:00 UTC. */
const NOW = 1_938_081_600
const WALL = /^(?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

const entry = (...lines: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    'UID:edge',
    'SUMMARY:Edge',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')

for (const timezone of some(['America/New_York', 'Asia/Tokyo', 'UTC'] as const, 2)) {
  describe(`the first and the last year, on a site in ${timezone}`, () => {
    let service: Service
    before(async () => {
      service = await startService({ clock: () => NOW, settings: { timezone } })
    })
    after(() => service.close())

    const create = (json: object, path = '/events') => service.call('editor', path, { json })
    const refused = async (json: object, path?: string): Promise<Json> => {
      const response = await create(path === undefined ? { title: 'Edge', ...json } : json, path)
      assert.equal(response.statusCode, 400, response.body)
      return response.json().data.params
    }
    const made = async (json: object): Promise<Json> => {
      const response = await create({ title: 'Edge', ...json })
      assert.equal(response.statusCode, 201, response.body)
      return response.json()
    }
    const west = { timezone: 'America/New_York' }
    const east = { timezone: 'Asia/Tokyo' }

    it('refuses events that leave these years in UTC or by their own clock, and names the end that does', async () => {
      const late = { start_date: '9999-12-31 20:00', end_date: '9999-12-31 21:00' }
      assert.deepEqual(Object.keys(await refused({ ...late, ...west })), ['start_date', 'end_date'])
      const across = { start_date: '9999-12-31 18:00', end_date: '9999-12-31 19:00' }
      assert.deepEqual(Object.keys(await refused({ ...across, ...west })), ['end_date'])
      const early = { start_date: '0001-01-01 08:00', end_date: '0001-01-01 12:00' }
      assert.deepEqual(Object.keys(await refused({ ...early, ...east })), ['start_date'])
      const instants = { start_date: '9999-12-31T23:00:00Z', end_date: '9999-12-31T23:30:00Z' }
      assert.deepEqual(Object.keys(await refused({ ...instants, ...east })), ['start_date', 'end_date'])
      const first = { start_date: '0001-01-01T00:00:00Z', end_date: '0001-01-02T00:00:00Z' }
      assert.deepEqual(Object.keys(await refused({ ...first, ...west })), ['start_date'])
      const days = { start_date: '9999-12-31', end_date: '9999-12-31', all_day: true }
      assert.deepEqual(Object.keys(await refused({ ...days, ...west })), ['end_date'])
      assert.deepEqual(Object.keys(await refused({ ...days, start_date: '0001-01-01', ...east })), ['start_date'])
      for (const date of ['10000-01-01', '0000-12-31', '+010000-01-01T00:00:00Z', '-000001-06-10 10:00']) {
        const params = await refused({ start_date: date, end_date: '9999-12-30', timezone: 'UTC' })
        assert.match(params.start_date, /0001/, date)
      }
    })

    it('says why in four languages', async () => {
      const texts = new Set<string>()
      for (const language of ['en', 'fr', 'de', 'es']) {
        const response = await service.call('editor', '/events', {
          json: { title: 'Edge', start_date: '9999-12-31 20:00', end_date: '9999-12-31 21:00', ...west },
          headers: { 'accept-language': language },
        })
        const { start_date: text } = response.json().data.params
        assert.match(text, /0001.*9999.*UTC/)
        texts.add(text)
      }
      assert.equal(texts.size, 4)
    })

    it('takes the first and the last second that can be written both ways', async () => {
      for (const [timezone, start_date, end_date] of [
        ['UTC', '0001-01-01 00:00:00', '9999-12-31 23:59:59'],
        ['America/New_York', '0001-01-01 00:00:00', '9999-12-31 18:59:59'],
        ['Asia/Tokyo', '0001-01-01 09:18:59', '9999-12-31 23:59:59'],
      ]) {
        const event = await made({ timezone, start_date, end_date })
        assert.deepEqual([event.start_date, event.end_date], [start_date, end_date])
        for (const name of ['utc_start_date', 'utc_end_date']) assert.match(event[name], WALL)
        for (const url of [`/event/${event.slug}/`, `/event/${event.slug}.ics`, '/events.rss', '/events.atom']) {
          const { statusCode, body } = await service.inject({ url })
          assert.equal(statusCode, 200, url)
          assert.doesNotMatch(body, /[+-]0\d{5}-?\d\d-?\d\d|Invalid/, url)
        }
        await service.expect(200, 'editor', `/events/${event.id}`, { method: 'DELETE', query: { force: true } })
      }
    })

    it('refuses a change of the zone or to whole days that leads there, and names it', async () => {
      const event = await made({ start_date: '9999-12-31 15:00', end_date: '9999-12-31 23:30', timezone: 'UTC' })
      const change = async (json: object) => {
        const response = await service.call('editor', `/events/${event.id}`, { method: 'PUT', json })
        assert.equal(response.statusCode, 400, response.body)
        return Object.keys(response.json().data.params)
      }
      assert.deepEqual(await change(west), ['timezone'])
      const kept = await service.expect(200, null, `/events/${event.id}`)
      assert.equal(kept.utc_end_date, '9999-12-31 23:30:00')
      const before = { start_date: '9999-12-31 10:00', end_date: '9999-12-31 18:00' }
      await service.expect(200, 'editor', `/events/${event.id}`, { method: 'PUT', json: { ...before, ...west } })
      assert.deepEqual(await change({ all_day: true }), ['all_day'])
      assert.deepEqual(await change({ end_date: '9999-12-31 20:00' }), ['end_date'])
    })

    it('refuses tickets and publication dates that leave them', async () => {
      const dates = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
      const ticket = (json: object, zone: object) => refused({ ...dates, ...zone, tickets: [{ name: 'One', ...json }] })
      assert.match((await ticket({ available_until: '9999-12-31 20:00' }, west)).tickets, /available_until/)
      assert.match((await ticket({ available_from: '0001-01-01 01:00' }, east)).tickets, /available_from/)
      assert.match((await ticket({ available_until: '9999-12-31T20:00:00Z' }, east)).tickets, /available_until/)
      const dated = await made({
        ...dates,
        timezone: 'UTC',
        tickets: [{ name: 'One', available_until: '9999-12-31 20:00' }],
      })
      const moved = await service.call('editor', `/events/${dated.id}`, { method: 'PUT', json: east })
      assert.equal(moved.statusCode, 400, moved.body)
      assert.deepEqual(Object.keys(moved.json().data.params), ['timezone'])
      if (timezone === 'UTC') return
      const [bad, badUtc] =
        timezone === 'Asia/Tokyo' ? ['0001-01-01 00:00', '9999-12-31 23:00'] : ['9999-12-31 23:00', '0001-01-01 00:00']
      for (const [path, json] of [
        [undefined, dates],
        ['/venues', { venue: 'Hall' }],
        ['/organizers', { organizer: 'Guild' }],
      ] as const) {
        assert.deepEqual(Object.keys(await refused({ ...json, date: bad }, path)), ['date'])
        assert.deepEqual(Object.keys(await refused({ ...json, date_utc: badUtc }, path)), ['date_utc'])
      }
      const inline = await refused({ ...dates, venue: { venue: 'Inside', date: bad } })
      assert.match(inline.venue, /date/)
    })

    it('answers filters at their edges, or names the one that leaves them', async () => {
      const names = ['start_date', 'end_date', 'starts_after', 'starts_before', 'ends_after', 'ends_before']
      for (const name of names) {
        for (const date of ['0001-01-01', '9999-12-31', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
          for (const strict_dates of [true, false]) {
            for (const path of ['/calendar/events/v1/events', '/events.ics', '/events.rss']) {
              const url = `${path}?${new URLSearchParams({ [name]: date, strict_dates: String(strict_dates) })}`
              const { statusCode, body } = await service.inject({ url })
              assert.ok(statusCode === 200 || statusCode === 400, `${url}: ${body}`)
              if (statusCode === 400) assert.deepEqual(Object.keys(JSON.parse(body).data.params), [name], url)
              assert.doesNotMatch(body, /\+010000|0000-12-31/, url)
            }
          }
        }
      }
    })

    it('skips entries of calendars and rows of tables that leave them, and says why', async () => {
      const send = (raw: string) =>
        service.expect(200, 'editor', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
      for (const lines of [
        ['DTSTART:99991231T230000Z', 'DURATION:PT2H'],
        ['DTSTART;VALUE=DATE:99991231', 'DURATION:P10D'],
        ['DTSTART;TZID=America/New_York:99991231T200000'],
        ['DTSTART;TZID=Asia/Tokyo:00010101T000000'],
        ['DTSTART;TZID=Asia/Tokyo:00010101T000000', 'DURATION:PT1H'],
        ['DTSTART:99991231T230000Z', 'DURATION:P99999W'],
        ['DTSTART;TZID=America/New_York:99991231T200000', 'RRULE:FREQ=DAILY;COUNT=3'],
        ['DTSTART:99991231T233000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'],
        ['DTSTART:20310610T100000Z', 'DTEND;TZID=America/New_York:99991231T230000'],
        ['DTSTART:20310610T100000Z', 'RECURRENCE-ID;TZID=America/New_York:99991231T230000'],
        ['DTSTART;TZID=Asia/Tokyo:20310610T100000', 'RDATE:99991231T230000Z', 'EXDATE:00010101T000000Z'],
      ]) {
        const report = await send(entry(...lines))
        assert.equal(report.created + report.skipped, 1, lines.join())
        for (const note of report.notes) assert.match(JSON.stringify(note), /0001|9999|10000/, lines.join())
        if (report.created === 0) continue
        const list = await service.expect(200, null, '/events', { query: { search: 'Edge', start_date: '2031-01-01' } })
        for (const event of list.events) assert.match(event.utc_end_date, WALL)
        await service.expect(200, 'editor', `/events/${list.events[0].id}`, {
          method: 'DELETE',
          query: { force: true },
        })
      }
      const user = { id: service.ids.editor, name: 'editor', role: 'editor' } as const
      const rows = [
        'title,start_date,end_date,timezone',
        'Late,9999-12-31 20:00,9999-12-31 21:00,America/New_York',
        'Early,0001-01-01,0001-01-01,Asia/Tokyo',
      ]
      const scope = { ...createScope(service.config, service.db, () => NOW), user }
      const report = await importTable(scope, [Buffer.from(`${rows.join('\n')}\n`)], { dryRun: false })
      assert.deepEqual([report.created, report.skipped], [0, 2])
    })

    it('makes pages and lists of the first and the last day', async () => {
      for (const url of [
        '/events/?start_date=9999-12-31',
        '/events/?start_date=0001-01-01&end_date=0001-01-02',
        '/events/?end_date=9999-12-31',
      ]) {
        assert.equal((await service.inject({ url })).statusCode, 200, url)
      }
      const days = { start_date: '0001-01-01', end_date: '0001-01-01', all_day: true, timezone: 'America/New_York' }
      await made({ ...days, title: 'The first day' })
      for (const url of ['/events/?start_date=0001-01-01&end_date=0001-01-02', '/events/?start_date=0001-01-01'])
        assert.match((await service.inject({ url })).body, /The first day/, url)
    })
  })
}
