import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { PROGRAM_FORM } from '../../src/rest/rendered/event-template.ts'
import { clock } from '../support/calendar.ts'
import { startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const GOLDEN = join(import.meta.dirname, 'golden/event-templates.txt')

const EVENTS: readonly object[] = [
  { title: 'Plain' },
  {
    title: 'Concert <b>&</b>',
    description: '<p>Music &amp; light</p>',
    excerpt: 'Short',
    all_day: true,
    cost: '5 - 7',
    website: 'https://example.org/concert',
    featured: true,
    is_virtual: true,
    virtual_url: 'https://example.org/stream',
    categories: ['Music'],
    tags: ['open air'],
    venue: { venue: 'Hall' },
    organizer: [{ organizer: 'Guild' }],
  },
  {
    title: 'Talk',
    cost: 'Free',
    tickets: [{ name: 'Seat', price: '5', currency: 'USD', url: 'https://example.org/seat', capacity: 9 }],
  },
  { title: 'Berlin', timezone: 'Europe/Berlin', cost: '5 €' },
  { title: 'Tokyo', timezone: 'Asia/Tokyo', cost: '¥1,500' },
  { title: 'Zurich', timezone: 'Europe/Zurich', cost: 'CHF 10 - 20' },
  {
    title: 'Kolkata',
    timezone: 'Asia/Kolkata',
    cost: '12.50',
    start_date: '2031-12-01 09:00',
    end_date: '2031-12-03 10:00',
  },
  { title: 'Weekly', recurrence: 'FREQ=WEEKLY;COUNT=2' },
]

describe('the form of stored templates', { skip: ON_POSTGRES && 'asks for no database' }, () => {
  it('is raised when the JSON of events, or their entries in calendars, change', async () => {
    const service = await startService({ clock })
    for (const json of EVENTS) {
      const day = { start_date: '2031-06-12 19:00', end_date: '2031-06-12 22:00' }
      await service.expect(201, 'editor', '/events', { json: { ...day, ...json } })
    }
    await service.render()
    const rows = await service.db.read((tx) =>
      tx.selectFrom('event_templates').select('text').orderBy('event').execute(),
    )
    const entries = await service.db.read((tx) =>
      tx.selectFrom('event_entries').select('entry').orderBy('event').execute(),
    )
    await service.close()
    const stored = [...rows.map(({ text }) => text), entries.map(({ entry }) => entry).join('\n')]
    const current = [PROGRAM_FORM, ...stored, ''].join('\n\n')
    if (process.env.KALENDS_TEST_UPDATE) writeFileSync(GOLDEN, current)
    const known = readFileSync(GOLDEN, 'utf8')
    if (current === known) return
    const isRaised = !known.startsWith(`${PROGRAM_FORM}\n`)
    const advice = isRaised
      ? ''
      : 'raise FORM in rest/rendered/event-template.ts or ENTRY_FORM in storage/event-entries.ts, or databases show events as before; '
    assert.equal(current, known, `${advice}then run this test with KALENDS_TEST_UPDATE=1`)
  })
})
