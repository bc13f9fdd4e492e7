import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { extendSeries } from '../../src/domain/series-extension.ts'
import { siteOf } from '../../src/site.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** A weekly calendar entry; `more` are further lines. */
const weekly = (name: string, rule: string, more: readonly string[] = [], hour = '19') =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    `UID:${name}@example.org`,
    `SUMMARY:${name}`,
    `DTSTART;TZID=Europe/Paris:20310107T${hour}0000`,
    `DTEND;TZID=Europe/Paris:20310107T${hour}3000`,
    `RRULE:FREQ=WEEKLY${rule}`,
    ...more,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const without = (day: string) => [`EXDATE;TZID=Europe/Paris:${day}T190000`]

describe('an import that brings a series again', () => {
  const now = Date.UTC(2031, 0, 1) / 1000
  let later = 0
  let service: Service
  before(async () => {
    service = await startService({
      settings: { rateLimit: '0', timezone: 'Europe/Paris' },
      clock: () => now + later,
    })
  })
  after(() => service.close())

  const bring = (text: string, query: Json = {}, to = service): Promise<Json> =>
    to.expect(200, 'editor', '/import', {
      raw: text,
      query,
      headers: { 'content-type': 'text/calendar; charset=utf-8' },
    })
  const list = async (search: string, from = service, status = 'publish'): Promise<Json[]> => {
    const events: Json[] = []
    for (let page = 1; ; page++) {
      const query = { start_date: '2031-01-01', end_date: '2039-12-31', per_page: 50, search, status, page }
      const found = await from.expect(200, 'editor', '/events', { query })
      events.push(...found.events)
      if (page >= found.total_pages) return events
    }
  }
  const shown = async (search: string) =>
    (await list(search)).map(({ id, slug, url, start_date, recurrence }) => ({
      id,
      slug,
      url,
      start_date,
      original: recurrence.original_start_date,
      changed: recurrence.changed,
      count: recurrence.count,
    }))

  it('brings back what its source had left out, with its id and address', async () => {
    await bring(weekly('returning', ';COUNT=6'))
    const all = await shown('returning')
    for (const [text, days] of [
      [weekly('returning', ';COUNT=6', without('20310121')), [0, 1, 3, 4, 5]],
      [weekly('returning', ';COUNT=3'), [0, 1, 2]],
    ] as const) {
      const tried = await bring(text, { dry_run: true })
      const report = await bring(text)
      assert.deepEqual([report.created, report.removed], [0, all.length - days.length])
      assert.deepEqual([tried.created, tried.removed], [0, all.length - days.length])
      const left = days.map((n) => ({ ...all[n], count: days.length }))
      assert.deepEqual(await shown('returning'), left)
      const again = await bring(text)
      assert.deepEqual([again.created, again.updated, again.removed], [0, 0, 0])
      const back = await bring(weekly('returning', ';COUNT=6'))
      assert.deepEqual([back.created, back.updated], [0, all.length - days.length])
      assert.deepEqual(await shown('returning'), all)
    }
  })

  it('leaves in the trash what was removed by hand', async () => {
    await bring(weekly('removed', ';COUNT=4'))
    const [, second] = await list('removed')
    await service.expect(200, 'editor', `/events/${second.id}`, { method: 'DELETE' })
    await bring(weekly('removed', ';COUNT=4', without('20310114')))
    await bring(weekly('removed', ';COUNT=4'))
    assert.equal((await list('removed')).length, 3)
    assert.deepEqual(
      (await list('removed', service, 'trash')).map(({ id }) => id),
      [second.id],
    )
  })

  it('brings back what came into view by itself', async () => {
    await bring(weekly('endless', ''))
    later = 40 * 86_400
    await extendSeries({ db: service.db, clock: () => now + later, site: siteOf(service.config) })
    const all = await shown('endless')
    const last = all.at(-1)
    assert.ok(last !== undefined && last.start_date > '2033-02-01')
    await bring(weekly('endless', '', without(last.start_date.slice(0, 10).replaceAll('-', ''))))
    assert.deepEqual(await shown('endless'), all.slice(0, -1))
    await bring(weekly('endless', ''))
    assert.deepEqual(await shown('endless'), all)
    later = 0
  })

  it('keeps the ids of a series that is moved to another hour', async () => {
    await bring(weekly('shifted', ';COUNT=5'))
    const all = await shown('shifted')
    const text = weekly('shifted', ';COUNT=5', [], '20')
    const tried = await bring(text, { dry_run: true })
    const report = await bring(text)
    for (const { created, updated, removed } of [tried, report])
      assert.deepEqual([created, updated, removed], [0, 5, 0])
    const at = (start: string) => start.replace(' 19:', ' 20:')
    assert.deepEqual(
      await shown('shifted'),
      all.map((one) => ({ ...one, start_date: at(one.start_date), original: at(one.original) })),
    )
    const again = await bring(text)
    assert.deepEqual([again.unchanged, again.removed], [5, 0])
    await bring(weekly('shifted', ';COUNT=5'))
    assert.deepEqual(await shown('shifted'), all)
  })

  it('ends a series whose rule can be none of ours', async () => {
    await bring(weekly('hourly', ';COUNT=4'))
    const all = await shown('hourly')
    await bring(weekly('hourly', ';COUNT=4').replace('FREQ=WEEKLY;COUNT=4', 'FREQ=HOURLY;COUNT=3'))
    const loose = await list('hourly')
    assert.deepEqual(
      loose.map(({ id, recurrence }) => [id === all[0]?.id, recurrence]),
      [
        [true, null],
        [false, null],
        [false, null],
      ],
    )
    await bring(weekly('hourly', ';COUNT=4'))
    assert.deepEqual(await shown('hourly'), all)
  })

  it('adds occurrences that are as the others', async () => {
    await bring(weekly('growing', ';COUNT=3'))
    later = 86_400
    await bring(weekly('growing', ';COUNT=5'))
    later = 0
    const all = await shown('growing')
    assert.deepEqual(
      all.map(({ changed, count }) => [changed, count]),
      all.map(() => [false, 5]),
    )
    assert.equal(all.length, 5)
  })

  it('goes as far ahead as series do', async (t) => {
    for (const years of [1, 4]) {
      const other = await startService({
        settings: { rateLimit: '0', timezone: 'Europe/Paris', seriesYears: String(years) },
        clock: () => now,
      })
      t.after(() => other.close())
      const { created } = await bring(weekly('far', ''), {}, other)
      const events = await list('far', other)
      assert.equal(created, events.length)
      assert.equal(events.at(-1)?.start_date.slice(0, 7), years === 1 ? '2032-01' : '2035-01')
    }
  })
})
