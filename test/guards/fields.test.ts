import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createScope, exportEvents } from '../../src/app.ts'
import { importCalendar } from '../../src/imports/calendar/import-calendar.ts'
import { importTable } from '../../src/imports/table/import-table.ts'
import { words } from '../../src/lib/html.ts'
import { eventFields } from '../../src/schema/event.ts'
import { type Described, type Fields, Refused, storedEntries } from '../../src/schema/field.ts'
import { LINKED_FIELDS } from '../../src/schema/linked.ts'
import { type Json, type Service, startService } from '../support/service.ts'

/** Fields of which the page of a record shows nothing, or something else: each with the reason. */
const NOT_ON_PAGE: Record<string, Record<string, string>> = {
  events: {
    all_day: 'it decides how the dates are shown',
    show_map: 'it decides whether there is a map',
    show_map_link: 'it decides whether there is a link to a map',
    hide_from_listings: 'it is for lists',
    sticky: 'it is for lists',
    featured: 'it is for lists',
    is_virtual: 'it is shown as a mark with the word “Online”',
  },
  venues: {
    province: 'the region is shown once, as stateprovince',
    state: 'the region is shown once, as stateprovince',
    geo_lat: 'a link to a map has it',
    geo_lng: 'a link to a map has it',
    show_map: 'it decides whether there is a map',
    show_map_link: 'it decides whether there is a link to a map',
  },
}

/** A value that a field takes and that is found again in a text. */
function probe(name: string, { kind, default: preset }: Described): unknown {
  if (kind.type === 'boolean') return preset !== true
  const word = name.replaceAll('_', '-')
  for (const value of [`probe ${word}`, `https://${word}.example.org`, `${word}@example.org`, 7]) {
    try {
      if (kind.read(value, { today: '' }) !== undefined) return value
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }
  return assert.fail(`no value is known that ${name} takes: add one to probe() in test/guards/fields.test.ts`)
}

const probes = (fields: Fields) =>
  Object.fromEntries(storedEntries(fields).map(([name, field]) => [name, probe(name, field)]))

/** What a reader sees of a value, however it is marked up. */
const seen = (value: unknown) => words(String(value)).replace(/^https:\/\//, '')

/** The values of stored fields in a response, as they were sent. */
const answered = (fields: Fields, body: Json) =>
  Object.fromEntries(
    storedEntries(fields).map(([name]) => [name, typeof body[name] === 'string' ? words(body[name]) : body[name]]),
  )

const expected = (sent: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, typeof value === 'string' ? words(value) : value]),
  )

const RESOURCES: [list: string, fields: Fields, more: object][] = [
  ['events', eventFields, { start_date: '2031-06-10 12:00', end_date: '2031-06-10 15:00' }],
  ...Object.entries(LINKED_FIELDS).map(([kind, fields]): [string, Fields, object] => [`${kind}s`, fields, {}]),
]

for (const [list, fields, more] of RESOURCES) {
  describe(`each stored field of ${list}`, () => {
    const sent = probes(fields)
    let service: Service
    let body: Json
    before(async () => {
      service = await startService()
      body = await service.expect(201, 'editor', `/${list}`, { json: { ...more, ...sent } })
    })
    after(() => service.close())

    it('is answered as it was sent', () => assert.deepEqual(answered(fields, body), expected(sent)))

    it('is on the public page of its record, or named above with the reason why not', async () => {
      const { pathname } = new URL(body.url)
      const page = await service.inject({ method: 'GET', url: pathname })
      assert.equal(page.statusCode, 200)
      const [, main = ''] = page.body.split('<main')
      const missing = Object.entries(sent).filter(
        ([name, value]) => NOT_ON_PAGE[list]?.[name] === undefined && !main.includes(seen(value)),
      )
      const names = missing.map(([name]) => name)
      assert.deepEqual(names, [], `src/pages shows nothing of ${names}: show it there, or name it in NOT_ON_PAGE`)
    })
  })
}

describe('each field of events', () => {
  const sent = probes(eventFields)
  let service: Service
  before(async () => {
    service = await startService()
    const dates = { start_date: '2031-06-10 12:00', end_date: '2031-06-10 15:00' }
    await service.expect(201, 'editor', '/events', { json: { ...dates, ...sent, hide_from_listings: false } })
  })
  after(() => service.close())

  for (const [format, bring] of [
    ['csv', importTable],
    ['ics', importCalendar],
  ] as const) {
    it(`comes back from an export as ${format}`, async () => {
      const { text } = await exportEvents(service.config, service.db, { format, query: {}, all: true })
      const chunks: Buffer[] = []
      for await (const piece of text) chunks.push(Buffer.from(piece))
      const other = await startService()
      const user = { id: other.ids.editor, name: 'editor', role: 'editor' } as const
      const report = await bring({ ...createScope(other.config, other.db), user }, chunks, { dryRun: false })
      assert.deepEqual([report?.created, report?.notes], [1, []])
      const { events } = await other.expect(200, null, '/events', { query: { start_date: '2031-01-01' } })
      assert.deepEqual(answered(eventFields, events[0]), expected({ ...sent, hide_from_listings: false }))
      await other.close()
    })
  }
})
