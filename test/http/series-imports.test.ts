import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { extendSeries } from '../../src/domain/series-extension.ts'
import { exportEvents } from '../../src/feeds/export.ts'
import { siteOf } from '../../src/site.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const calendar = (...entries: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...entries.flatMap((lines) => ['BEGIN:VEVENT', ...lines.trim().split(/\s*\n\s*/), 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n')

const CHOIR = `
  UID:choir@example.org
  DTSTART;TZID=Europe/Paris:20310107T190000
  DTEND;TZID=Europe/Paris:20310107T210000
  RRULE:FREQ=WEEKLY;COUNT=6
  EXDATE;TZID=Europe/Paris:20310121T190000
  SUMMARY:Choir
  LOCATION:Old Hall
  CATEGORIES:Music`
const GUESTS = `
  UID:choir@example.org
  RECURRENCE-ID;TZID=Europe/Paris:20310128T190000
  DTSTART;TZID=Europe/Paris:20310128T180000
  DTEND;TZID=Europe/Paris:20310128T200000
  SUMMARY:Choir with guests`

describe('imports of series', () => {
  let now = Date.UTC(2031, 0, 1) / 1000
  let service: Service
  before(async () => {
    service = await startService({ settings: { rateLimit: '0', timezone: 'Europe/Paris' }, clock: () => now })
  })
  after(() => service.close())

  const bring = (text: string, to = service): Promise<Json> =>
    to.expect(200, 'editor', '/import', { raw: text, headers: { 'content-type': 'text/calendar; charset=utf-8' } })
  const list = async (query: Json, from = service): Promise<Json[]> =>
    (
      await from.expect(200, null, '/events', {
        query: { start_date: '2031-01-01', end_date: '2034-12-31', per_page: 50, ...query },
      })
    ).events

  it('keep the series as a series, again and again', async () => {
    const { created } = await bring(calendar(CHOIR, GUESTS))
    assert.equal(created, 5)
    const events = await list({ search: 'choir' })
    assert.equal(events.length, 5)
    const [first, second, third] = events
    assert.equal(first.recurrence.series, first.id)
    assert.equal(first.recurrence.rule, 'FREQ=WEEKLY;COUNT=6')
    assert.equal(first.recurrence.count, 5)
    assert.equal(second.parent, first.id)
    assert.deepEqual(
      events.map(({ recurrence }) => recurrence.changed),
      [false, false, true, false, false],
    )
    assert.equal(third.recurrence.original_start_date, '2031-01-28 19:00:00')
    const alone = await service.expect(200, null, `/events/${first.id}`)
    assert.deepEqual(alone.recurrence.except, ['2031-01-21 19:00:00'])
    const again = await bring(calendar(CHOIR, GUESTS))
    assert.deepEqual([again.created, again.updated, again.unchanged, again.removed], [0, 0, 5, 0])
    const renamed = await bring(calendar(CHOIR.replace('SUMMARY:Choir', 'SUMMARY:Great choir'), GUESTS))
    assert.deepEqual([renamed.created, renamed.removed], [0, 0])
    const after = await list({ search: 'choir' })
    assert.deepEqual(
      after.map(({ id }) => id),
      events.map(({ id }) => id),
    )
    assert.deepEqual(
      after.map(({ recurrence }) => recurrence.changed),
      [false, false, true, false, false],
    )
    assert.deepEqual(
      after.map(({ title }) => title),
      ['Great choir', 'Great choir', 'Choir with guests', 'Great choir', 'Great choir'],
    )
    const shorter = await bring(calendar(CHOIR.replace('COUNT=6', 'COUNT=3'), GUESTS))
    assert.equal(shorter.removed, 2)
    const left = await list({ series: first.id })
    assert.deepEqual(
      left.map(({ start_date }) => start_date.slice(0, 10)),
      ['2031-01-07', '2031-01-14', '2031-01-28'],
    )
  })

  it('bring a series that begins years from now as any other', async (t) => {
    const early = await startService({
      settings: { rateLimit: '0', timezone: 'Europe/Paris' },
      clock: () => Date.UTC(2026, 0, 1) / 1000,
    })
    t.after(() => early.close())
    const days = async () =>
      (await list({ search: 'choir' }, early)).map(({ id, title, start_date }) => [id, title, start_date.slice(5, 13)])
    assert.equal((await bring(calendar(CHOIR, GUESTS), early)).created, 5)
    const before = await days()
    const again = await bring(calendar(CHOIR, GUESTS), early)
    assert.deepEqual([again.created, again.updated, again.unchanged, again.removed], [0, 0, 5, 0])
    const plain = await bring(calendar(CHOIR), early)
    assert.deepEqual([plain.created, plain.updated, plain.removed], [0, 1, 0])
    assert.deepEqual(
      await days(),
      before.map(([id], n) => [id, 'Choir', ['01-07 19', '01-14 19', '01-28 19', '02-04 19', '02-11 19'][n]]),
    )
    assert.ok((await list({ search: 'choir' }, early)).every(({ recurrence }) => !recurrence.changed))
  })

  it('end a series that recurs no longer', async () => {
    const weekly = CHOIR.replaceAll('choir@', 'ends@').replace('SUMMARY:Choir', 'SUMMARY:Ending')
    for (const rule of ['RRULE:FREQ=WEEKLY;COUNT=6', 'RRULE:FREQ=WEEKLY']) {
      await bring(calendar(weekly.replace('RRULE:FREQ=WEEKLY;COUNT=6', rule)))
      const [first] = await list({ search: 'ending' })
      assert.equal(first.recurrence.series, first.id)
      const report = await bring(calendar(weekly.replace(/\n +(RRULE|EXDATE).*/g, '')))
      assert.ok(report.removed > 0)
      const left = await list({ search: 'ending' })
      assert.deepEqual(
        left.map(({ id, recurrence }) => [id, recurrence]),
        [[first.id, null]],
      )
      const again = await bring(calendar(weekly.replace(/\n +(RRULE|EXDATE).*/g, '')))
      assert.deepEqual([again.unchanged, again.updated, again.removed], [1, 0, 0])
    }
  })

  it('join what was flattened before', async () => {
    const text = calendar(CHOIR.replaceAll('choir@', 'flat@').replace('SUMMARY:Choir', 'SUMMARY:Flat'))
    await bring(text)
    const before = await list({ search: 'flat' })
    await service.db.write(async (tx) => {
      await tx.updateTable('events').set({ series: null, original_start: null }).where('title', '=', 'Flat').execute()
      await tx.deleteFrom('series').where('id', '=', before[0].id).execute()
    })
    await bring(text)
    const after = await list({ search: 'flat' })
    assert.deepEqual(
      after.map(({ id }) => id),
      before.map(({ id }) => id),
    )
    assert.deepEqual(
      after.map(({ recurrence }) => recurrence),
      before.map(({ recurrence }) => recurrence),
    )
  })

  it('know the events that came into view since', async () => {
    const text = calendar(`
      UID:endless@example.org
      DTSTART;TZID=Europe/Paris:20310110T190000
      RRULE:FREQ=MONTHLY
      SUMMARY:Endless`)
    await bring(text)
    const [first] = await list({ search: 'endless' })
    assert.equal(first.recurrence.count, null)
    const scope = { db: service.db, clock: () => now, site: siteOf(service.config) }
    now = Date.UTC(2031, 6, 1) / 1000
    await extendSeries(scope)
    const total = (await list({ search: 'endless' })).length
    assert.equal(total, 30)
    const again = await bring(text)
    assert.equal(again.created, 0)
    assert.equal((await list({ search: 'endless' })).length, total)
    await bring(text.replace('FREQ=MONTHLY', 'FREQ=MONTHLY;UNTIL=20310601T000000Z'))
    assert.equal((await list({ search: 'endless' })).length, 5)
    now = Date.UTC(2031, 0, 1) / 1000
  })

  it('keep a series by the clock of UTC', async () => {
    await bring(
      calendar(`
        UID:utc@example.org
        DTSTART:20310310T190000Z
        DTEND:20310310T200000Z
        RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5
        SUMMARY:Universal`),
    )
    const events = await list({ search: 'universal' })
    assert.equal(events.length, 5)
    assert.ok(events.every(({ recurrence }) => recurrence.series === events[0].id && !recurrence.changed))
    assert.ok(events.every(({ utc_start_date }) => utc_start_date.endsWith('19:00:00')))
  })

  it('take an export of ours in again', async () => {
    const json = {
      start_date: '2031-02-03 10:00',
      end_date: '2031-02-03 11:00',
      tags: ['trip'],
      venue: { venue: 'Hall' },
    }
    const weekly = await service.expect(201, 'editor', '/events', {
      json: { ...json, title: 'Round', recurrence: { rule: 'FREQ=WEEKLY;COUNT=5', dates: ['2031-02-05 12:00'] } },
    })
    const events = await list({ series: weekly.id })
    const patch = (n: number, change: Json) =>
      service.expect(200, 'editor', `/events/${events[n].id}`, { method: 'PATCH', json: change })
    await patch(2, { title: 'Round and round', slug: 'special' })
    await patch(4, { slug: 'another-address' })
    await patch(0, { end_date: '2031-02-03 15:00' })
    await service.expect(200, 'editor', `/events/${events[3].id}`, { method: 'DELETE' })
    const scope = { db: service.db, clock: () => now, site: siteOf(service.config), user: null }
    const shown = (one: Json) => ({
      title: one.title,
      slug: one.slug,
      start: one.start_date,
      end: one.end_date,
      zone: one.timezone,
      venue: one.venue.venue,
      rule: one.recurrence.rule,
      original: one.recurrence.original_start_date,
      changed: one.recurrence.changed,
      count: one.recurrence.count,
    })
    const here = (await list({ series: weekly.id })).map(shown)
    for (const [format, type] of [
      ['ics', 'text/calendar'],
      ['csv', 'text/csv'],
    ] as const) {
      let text = ''
      for await (const piece of (await exportEvents(scope, format, { tags: 'trip' })).text) text += piece
      const other = await startService({ settings: { rateLimit: '0', timezone: 'UTC' }, clock: () => now })
      try {
        const headers = { 'content-type': `${type}; charset=utf-8` }
        for (const created of [5, 0]) {
          const report = await other.expect(200, 'editor', '/import', { raw: text, headers })
          assert.deepEqual([report.created, report.skipped], [created, 0], `${format} ${JSON.stringify(report)}`)
          assert.deepEqual((await list({ tags: 'trip' }, other)).map(shown), here, format)
        }
      } finally {
        await other.close()
      }
    }
  })

  it('take in the rule of an export, though other programs need another one', async () => {
    const tags = ['exact']
    const odd = { start_date: '2031-01-07 10:00', end_date: '2031-01-07 11:00' }
    const night = { start_date: '2031-03-23 02:30', end_date: '2031-03-23 03:00' }
    for (const json of [
      { title: 'Odd', ...odd, recurrence: 'FREQ=MONTHLY;BYDAY=-1FR;COUNT=5' },
      { title: 'Night', ...night, recurrence: 'FREQ=WEEKLY;COUNT=4' },
      { title: 'Until', ...odd, recurrence: 'FREQ=WEEKLY;UNTIL=20310201' },
    ])
      await service.expect(201, 'editor', '/events', { json: { ...json, tags } })
    const scope = { db: service.db, clock: () => now, site: siteOf(service.config), user: null }
    let text = ''
    for await (const piece of (await exportEvents(scope, 'ics', { tags: 'exact' })).text) text += piece
    const other = await startService({ settings: { rateLimit: '0', timezone: 'UTC' }, clock: () => now })
    try {
      const shown = async (from: Service) =>
        Promise.all(
          (await list({ tags: 'exact' }, from)).map(async ({ id, slug, start_date, recurrence }) => {
            const { dates, except } = (await from.expect(200, null, `/events/${id}`)).recurrence
            return { slug, start_date, ...recurrence, series: 0, dates, except }
          }),
        )
      for (const _ of [1, 2]) await bring(text, other)
      assert.deepEqual(await shown(other), await shown(service))
    } finally {
      await other.close()
    }
  })

  it('take an export of the rest of a series', async () => {
    const json = {
      title: 'Rest',
      start_date: '2031-03-03 10:00',
      end_date: '2031-03-03 11:00',
      tags: ['rest'],
      recurrence: { rule: 'FREQ=WEEKLY;COUNT=5', dates: ['2031-03-05 12:00'] },
    }
    const { id } = await service.expect(201, 'editor', '/events', { json })
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { force: true } })
    const shown = ({ slug, start_date, recurrence }: Json) => ({ slug, start_date, count: recurrence.count })
    const here = (await list({ series: id })).map(shown)
    assert.equal(here.length, 5)
    const scope = { db: service.db, clock: () => now, site: siteOf(service.config), user: null }
    for (const start_date of ['2031-03-01', '2031-03-12'])
      for (const [format, type] of [
        ['ics', 'text/calendar'],
        ['csv', 'text/csv'],
      ] as const) {
        let text = ''
        for await (const piece of (await exportEvents(scope, format, { tags: 'rest', start_date })).text) text += piece
        const other = await startService({ settings: { rateLimit: '0', timezone: 'UTC' }, clock: () => now })
        try {
          const headers = { 'content-type': `${type}; charset=utf-8` }
          for (const _ of [1, 2]) await other.expect(200, 'editor', '/import', { raw: text, headers })
          const wanted = here.filter((one) => one.start_date >= start_date)
          const found = (await list({ tags: 'rest' }, other)).map(shown)
          assert.deepEqual(
            found,
            wanted.map((one) => ({ ...one, count: wanted.length })),
            `${format} from ${start_date}`,
          )
        } finally {
          await other.close()
        }
      }
  })

  it('of a table make a series of a row with a rule', async () => {
    const headers = { 'content-type': 'text/csv; charset=utf-8' }
    const table = (title: string, rule: string) =>
      `id,title,start_date,end_date,recurrence\n7,${title},2031-04-01 10:00,2031-04-01 11:00,"${rule}"\n8,Plain,2031-04-02 10:00,2031-04-02 11:00,\n`
    await service.expect(200, 'editor', '/import', { raw: table('Lesson', 'FREQ=WEEKLY;BYDAY=TU,TH;COUNT=4'), headers })
    const events = await list({ search: 'lesson' })
    assert.equal(events.length, 4)
    await service.expect(200, 'editor', '/import', {
      raw: table('Lessons', 'FREQ=WEEKLY;BYDAY=TU,TH;COUNT=3'),
      headers,
    })
    const after = await list({ search: 'lessons' })
    assert.deepEqual(
      after.map(({ id }) => id),
      events.slice(0, 3).map(({ id }) => id),
    )
    const bad = await service.expect(200, 'editor', '/import', {
      raw: table('Bad', 'FREQ=HOURLY').replace('7,', '9,'),
      headers,
    })
    assert.match(JSON.stringify(bad.notes), /HOURLY/)
  })
})
