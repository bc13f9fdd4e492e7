import assert from 'node:assert/strict'
import { before, describe, after as end, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { exportEvents } from '../../src/feeds/export.ts'
import { siteOf } from '../../src/site.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

const NOW = Date.UTC(2031, 0, 1) / 1000

/** Offsets without a name, and zones to compare them with. */
const ZONES = ['UTC+5.5', 'UTC-3.5', 'UTC+14', 'UTC-12', 'UTC+5.75', 'UTC-9.25', 'UTC+1', 'Europe/Berlin', 'UTC']

/** Columns that belong to each site alone. */
const OWN = ['author', 'modified_utc', 'revision', 'sequence']

const TABLES = [
  'events',
  'series',
  'tickets',
  'venues',
  'organizers',
  'terms',
  'event_venues',
  'event_organizers',
] as const

/** All rows, with names in place of ids. Tables hold no tickets. */
async function rowsOf({ db }: Service, format: string): Promise<Record<string, Json[]>> {
  const tables = await db.read(async (tx) => {
    const found: Record<string, Json[]> = {}
    for (const name of [...TABLES, 'event_terms'] as const)
      found[name] = await tx.selectFrom(name).selectAll().execute()
    return found
  })
  const trashed = new Set((tables.events ?? []).filter(({ status }) => status === 'trash').map(({ id }) => id))
  const names = new Map<string, string>()
  const at = (kind: string, id: Json) => (id === null || id === 0 ? id : (names.get(`${kind} ${id}`) ?? `no ${kind}`))
  for (const kind of ['events', 'venues', 'organizers', 'terms'])
    for (const row of tables[kind] ?? []) names.set(`${kind} ${row.id}`, row.slug)
  for (const row of tables.series ?? []) names.set(`series ${row.id}`, row.slug)
  const template = (text: string) => {
    const { linked, terms, tickets, ...rest } = JSON.parse(text)
    const all = (kind: string, ids: number[]) => ids.map((id) => at(kind, id))
    return {
      ...rest,
      tickets: format === 'csv' ? [] : tickets,
      linked: [all('venues', linked.venue), all('organizers', linked.organizer)],
      terms: [all('terms', terms.category).sort(), all('terms', terms.tag).sort()],
    }
  }
  const made: Record<string, (row: Json) => Json> = {
    events: (row) => ({ ...row, id: 0, parent: at('events', row.parent), series: at('series', row.series) }),
    series: (row) => ({ ...row, id: 0, template: template(row.template) }),
    tickets: (row) => ({ ...row, id: 0, event: at('events', row.event) }),
    terms: (row) => ({ ...row, id: 0, parent: at('terms', row.parent) }),
    event_venues: (row) => ({ ...row, event: at('events', row.event), linked: at('venues', row.linked) }),
    event_organizers: (row) => ({ ...row, event: at('events', row.event), linked: at('organizers', row.linked) }),
    event_terms: (row) => ({ ...row, event: at('events', row.event), term: at('terms', row.term) }),
  }
  const bare = (row: Json) => Object.fromEntries(Object.entries(row).filter(([name]) => !OWN.includes(name)))
  const key = (row: Json) => JSON.stringify([row.slug, row.event, row.linked, row.term, row.position])
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      rows
        // Files hold nothing that is in the trash.
        .filter(({ status, event }) => status !== 'trash' && !trashed.has(event))
        .filter(() => format !== 'csv' || name !== 'tickets')
        .map((row) => bare((made[name] ?? ((one) => ({ ...one, id: 0 })))(row)))
        .sort((one, other) => (key(one) < key(other) ? -1 : 1)),
    ]),
  )
}

/** What differs between rows of a table: how many there are, and their columns. */
function differences(table: string, found: readonly Json[] = [], wanted: readonly Json[] = []): string[] {
  const missing = found.length === wanted.length ? [] : [`${table}: ${found.length} rows for ${wanted.length}`]
  const others = wanted.flatMap((row, n) =>
    Object.entries(row)
      .filter(([name, value]) => !isDeepStrictEqual(found[n]?.[name], value))
      .map(
        ([name, value]) =>
          `${table} ${row.slug} ${name}: ${JSON.stringify(found[n]?.[name])} for ${JSON.stringify(value)}`,
      ),
  )
  return [...missing, ...others]
}

/** Series of every kind, with changed, moved and removed events. */
async function fill(service: Service, timezone: string): Promise<void> {
  const when = { timezone, start_date: '2031-03-04 22:30', end_date: '2031-03-05 01:00' }
  const parts = { venue: [{ venue: 'Hall' }], organizer: [{ organizer: 'Guild' }], tags: ['late'], cost: '5' }
  const make = async (title: string, recurrence: Json, more: Json = {}) => {
    const json = { title, ...when, ...parts, recurrence, ...more }
    const { id } = await service.expect(201, 'editor', '/events', { json })
    const query = { series: id, start_date: '2031-01-01', end_date: '2039-01-01', per_page: 50 }
    const { events } = await service.expect(200, 'editor', '/events', { query })
    return (n: number, change: Json | null) =>
      service.expect(
        200,
        'editor',
        `/events/${events[n].id}`,
        change === null ? { method: 'DELETE' } : { method: 'PATCH', json: change },
      )
  }
  const weekly = await make('Weekly', {
    rule: 'FREQ=WEEKLY;BYDAY=TU,SA;COUNT=12',
    dates: ['2031-03-06 04:15', '2031-03-08 22:30'],
    except: ['2031-03-11 22:30', '2031-03-12 10:00'],
  })
  await weekly(2, { title: 'Another', slug: 'another' })
  await weekly(3, { start_date: '2031-03-17 03:00', end_date: '2031-03-17 04:00' })
  await weekly(4, null)
  await weekly(5, { timezone: 'Asia/Tokyo', start_date: '2031-03-20 10:00', end_date: '2031-03-20 11:00' })
  await weekly(6, { slug: 'an-address' })
  await make('Endless', 'FREQ=MONTHLY;BYMONTHDAY=-1,15')
  await make('Until', 'FREQ=DAILY;INTERVAL=3;UNTIL=20310320T223000')
  await make('Until a day', 'FREQ=WEEKLY;UNTIL=20310401')
  await make('Start besides', 'FREQ=MONTHLY;BYDAY=-1FR;COUNT=4')
  await make('Dates', { dates: ['2031-03-10 00:00', '2031-03-12 23:59'], except: ['2031-03-12 23:59'] })
  const moved = await make('First is moved', 'FREQ=WEEKLY;COUNT=4', {
    tickets: [{ name: 'Seat', price: '5', available_until: '2031-03-04 20:00' }],
  })
  await moved(0, { start_date: '2031-03-05 23:30', end_date: '2031-03-05 23:45' })
  const days = { start_date: '2031-03-04', end_date: '2031-03-05', all_day: true }
  const whole = await make('Days', { rule: 'FREQ=WEEKLY;COUNT=5', dates: ['2031-03-07'] }, days)
  await whole(1, { title: 'Other days' })
  await make('No time', 'FREQ=WEEKLY;COUNT=3', { end_date: when.start_date })
  await service.expect(201, 'editor', '/events', { json: { title: 'Single', ...when } })
}

describe('series by the clock of', () => {
  let there: Service
  for (const zone of some(ZONES, 2)) {
    describe(zone, () => {
      before(async () => {
        there = await startService({ settings: { rateLimit: '0', timezone: 'America/New_York' }, clock: () => NOW })
        await fill(there, zone)
      })
      end(() => there.close())

      for (const [format, type] of [
        ['ics', 'text/calendar'],
        ['csv', 'text/csv'],
      ] as const) {
        it(`are the same in every column when they are exported and imported as ${format}`, async () => {
          const user = { id: there.ids.administrator, role: 'administrator' } as const
          const scope = { db: there.db, clock: () => NOW, site: siteOf(there.config), user }
          let raw = ''
          const query = { status: 'publish,draft,pending,private,future' }
          for await (const piece of (await exportEvents(scope as never, format, query)).text) raw += piece
          const here = await startService({
            settings: { rateLimit: '0', timezone: 'America/New_York' },
            clock: () => NOW,
          })
          try {
            const headers = { 'content-type': `${type}; charset=utf-8` }
            const report = await here.expect(200, 'editor', '/import', { raw, headers })
            assert.deepEqual([report.skipped, report.notes], [0, []])
            const [wanted, found] = [await rowsOf(there, format), await rowsOf(here, format)]
            const unlike = [...TABLES, 'event_terms'].flatMap((name) => differences(name, found[name], wanted[name]))
            assert.deepEqual(unlike, [])
            const again = await here.expect(200, 'editor', '/import', { raw, headers })
            assert.deepEqual([again.created, again.updated, again.removed, again.skipped], [0, 0, 0, 0])
            const after = await rowsOf(here, format)
            assert.deepEqual(
              [...TABLES].flatMap((name) => differences(name, after[name], found[name])),
              [],
            )
          } finally {
            await here.close()
          }
        })
      }
    })
  }
})
