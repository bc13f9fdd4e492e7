import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { exportEvents } from '../../src/feeds/export.ts'
import { siteOf } from '../../src/site.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** 2031-01-01 00:00:00 UTC. */
const NOW = 1_924_992_000

const START = 'DTSTART:20310610T190000Z'
const WEEKLY = 'RRULE:FREQ=WEEKLY;COUNT=2'
const NEXT = 'RECURRENCE-ID:20310617T190000Z'
const entry = (title: string, ...lines: string[]) =>
  ['BEGIN:VEVENT', 'UID:choir', `SUMMARY:${title}`, ...lines, 'END:VEVENT'].join('\r\n')

describe('versions of an entry', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ clock: () => NOW })
  })
  afterEach(() => service.close())
  const bring = (...entries: string[]): Promise<Json> =>
    service.expect(200, 'editor', '/import', {
      raw: ['BEGIN:VCALENDAR', ...entries, 'END:VCALENDAR', ''].join('\r\n'),
      headers: { 'content-type': 'text/calendar' },
    })
  const titles = async () =>
    (await service.expect(200, 'editor', '/events', { query: { start_date: '2031-01-01' } })).events.map(
      ({ title }: Json) => title,
    )

  /** Lines of an older and a newer version, and why the newer one is that. */
  const cases: Record<string, readonly [older: readonly string[], newer: readonly string[]]> = {
    'a later LAST-MODIFIED': [['LAST-MODIFIED:20301231T235959Z'], ['LAST-MODIFIED:20310101T000000Z']],
    'a later LAST-MODIFIED, whatever DTSTAMP says': [
      ['LAST-MODIFIED:20301231T235959Z', 'DTSTAMP:20310105T000000Z'],
      ['LAST-MODIFIED:20310101T000000Z', 'DTSTAMP:20310101T000000Z'],
    ],
    'a later DTSTAMP': [['DTSTAMP:20301231T235959Z'], ['DTSTAMP:20310101T000000Z']],
    'a higher SEQUENCE, whatever LAST-MODIFIED says': [
      ['SEQUENCE:9', 'LAST-MODIFIED:20310105T000000Z'],
      ['SEQUENCE:10', 'LAST-MODIFIED:20310101T000000Z'],
    ],
  }
  for (const [why, [older, newer]] of Object.entries(cases)) {
    it(`are told apart by ${why}, in whichever order they come`, async () => {
      const shapes = [
        { lines: [], others: [], around: (title: string) => [title] },
        { lines: [WEEKLY], others: [], around: (title: string) => [title, title] },
        { lines: [NEXT], others: [entry('Series', START, WEEKLY)], around: (title: string) => ['Series', title] },
      ]
      for (const { lines, others, around } of shapes) {
        const [old, fresh] = [entry('Old', START, ...lines, ...older), entry('New', START, ...lines, ...newer)]
        await bring(...others, old)
        assert.deepEqual((await titles()).sort(), around('Old').sort())
        for (const both of [
          [old, fresh],
          [fresh, old],
        ]) {
          const { skipped, notes } = await bring(...others, ...both)
          assert.deepEqual([(await titles()).sort(), skipped, notes.length], [around('New').sort(), 1, 1])
        }
      }
    })
  }
})

describe('an export to iCalendar', () => {
  it('marks private and protected events, and series of them, and no others', async (t) => {
    const service = await startService({ clock: () => NOW })
    t.after(() => service.close())
    const when = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 20:00' }
    const weekly = { recurrence: 'FREQ=WEEKLY;COUNT=2' }
    const cases: Record<string, Json> = {
      Open: {},
      Draft: { status: 'draft' },
      Private: { status: 'private' },
      Protected: { password: 'sesame' },
      'Protected draft': { status: 'draft', password: 'sesame' },
      'Protected series': { ...weekly, password: 'sesame' },
      'Open series': weekly,
    }
    for (const [title, json] of Object.entries(cases))
      await service.expect(201, 'administrator', '/events', { json: { title, ...when, ...json } })
    const user = { id: service.ids.administrator, role: 'administrator' }
    const scope = { db: service.db, clock: () => NOW, site: siteOf(service.config), user }
    let text = ''
    const query = { status: 'publish,draft,private' }
    for await (const piece of (await exportEvents(scope as never, 'ics', query)).text) text += piece
    const marked = text
      .split('BEGIN:VEVENT')
      .slice(1)
      .map((one) => [/^SUMMARY:(.*)\r$/m.exec(one)?.[1], /^CLASS:(.*)\r$/m.exec(one)?.[1]])
    const of = ([title, { status, password }]: [string, Json]) => [
      title,
      status === 'private' || password !== undefined ? 'PRIVATE' : undefined,
    ]
    assert.deepEqual(marked.sort(), Object.entries(cases).map(of).sort())

    // Another program knows only that, and so does its calendar when it comes back: no protected event becomes public.
    const foreign = text.replace(/^X-KALENDS.*\r\n(?: .*\r\n)*/gm, '')
    const other = await startService({ clock: () => NOW })
    t.after(() => other.close())
    await other.expect(200, 'editor', '/import', { raw: foreign, headers: { 'content-type': 'text/calendar' } })
    const { events } = await other.expect(200, null, '/events', { query: { start_date: '2031-01-01' } })
    const open = events.map(({ title }: Json) => title)
    assert.deepEqual([...new Set(open)].sort(), ['Draft', 'Open', 'Open series'])
  })
})
