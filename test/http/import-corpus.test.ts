import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import ICAL from 'ical.js'
import { type Json, type Service, startService } from '../support/service.ts'

/** 2031-01-01 00:00:00 UTC. */
const NOW = 1_924_992_000
const FOLDER = join(import.meta.dirname, '../fixtures/calendars')

interface Expected {
  readonly why: string
  readonly events: readonly {
    readonly title: string
    readonly utc_start: string
    readonly utc_end: string
    readonly timezone?: string
  }[]
  /** UIDs and beginnings of messages. */
  readonly notes: readonly string[]
  readonly skipped: number
  /** Whether another program reads the same instants of the file. */
  readonly judge: boolean
}

const corpus: Record<string, Expected> = JSON.parse(readFileSync(join(FOLDER, 'expected.json'), 'utf8'))

/** The starts of all entries, in UTC, as another program reads them by the descriptions of the file. */
function startsOf(text: string): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const zones = new Map(
    calendar.getAllSubcomponents('vtimezone').map((zone) => [zone.getFirstPropertyValue('tzid'), zone]),
  )
  return calendar.getAllSubcomponents('vevent').map((event) => {
    const start = event.getFirstProperty('dtstart')
    const time = start?.getFirstValue() as ICAL.Time
    const zone = zones.get(start?.getFirstParameter('tzid') ?? '')
    assert.ok(zone !== undefined)
    time.zone = new ICAL.Timezone({ component: zone })
    return new Date(time.toUnixTime() * 1000).toISOString().slice(0, 19).replace('T', ' ')
  })
}

describe('a calendar with', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ clock: () => NOW })
  })
  afterEach(() => service.close())

  for (const [name, { why, events, notes, skipped, judge }] of Object.entries(corpus)) {
    it(`${name.replaceAll('-', ' ')}: ${why}`, async () => {
      const raw = readFileSync(join(FOLDER, `${name}.ics`), 'utf8')
      const send = () => service.expect(200, 'editor', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
      const report: Json = await send()
      const query = { per_page: 50, start_date: '1900-01-01', end_date: '2040-01-01' }
      const list: Json[] = (await service.expect(200, 'editor', '/events', { query })).events
      const byStart = (one: Json, other: Json) =>
        `${one.utc_start} ${one.title}` < `${other.utc_start} ${other.title}` ? -1 : 1
      const wanted = events.toSorted(byStart)
      const seen = list
        .map((event) => ({
          title: event.title,
          utc_start: event.utc_start_date,
          utc_end: event.utc_end_date,
          timezone: event.timezone,
        }))
        .toSorted(byStart)
        // Where several zones are right, none is expected.
        .map(({ timezone, ...event }, place) => ({ ...event, ...(wanted[place]?.timezone && { timezone }) }))
      assert.deepEqual(seen, wanted)
      assert.equal(report.skipped, skipped)
      const told = report.notes.map((note: Json) => `${note.uid}: ${note.message}`)
      assert.equal(told.length, notes.length, told.join('\n'))
      for (const note of notes)
        assert.ok(
          told.some((one: string) => one.startsWith(note)),
          `${note}\n${told.join('\n')}`,
        )
      if (judge) assert.deepEqual(startsOf(raw).toSorted(), events.map((event) => event.utc_start).toSorted())
      // Again, nothing changes.
      const { created, updated, removed, unchanged } = await send()
      assert.deepEqual([created, updated, removed, unchanged], [0, 0, 0, events.length])
    })
  }

  it('a name in this folder is expected', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ics'))
    assert.deepEqual(files.map((file) => file.replace('.ics', '')).toSorted(), Object.keys(corpus).toSorted())
  })
})
