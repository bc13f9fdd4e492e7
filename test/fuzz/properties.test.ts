import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeHTML } from 'entities'
import { findZone, toInstant, toWallClock } from '../../src/calendar/zone.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import fc, { CHARACTER } from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const ZONES = Intl.supportedValuesOf('timeZone').filter((zone) => findZone(zone) !== null)
const zone = fc.oneof(
  fc.constantFrom(...ZONES),
  fc.integer({ min: -48, max: 56 }).map((quarters) => `UTC${quarters < 0 ? '' : '+'}${quarters / 4}`),
)
/** Whole seconds of the years 2 to 9998. */
const instant = fc.integer({ min: -62104060800, max: 253339228800 })
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() !== '' && !/[<>&\0]/.test(text) && text.isWellFormed())
const flag = fc.boolean()

describe('any event', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const sent = fc.record(
    {
      title: words,
      start: instant,
      length: fc.integer({ min: 0, max: 10_000_000 }),
      timezone: zone.filter((name) => findZone(name) !== null),
      excerpt: words,
      website: fc.webUrl({ withQueryParameters: true }),
      featured: flag,
      sticky: flag,
      show_map: flag,
      show_map_link: flag,
      hide_from_listings: flag,
    },
    { requiredKeys: ['title', 'start', 'length', 'timezone'] },
  )

  it('that is accepted reads back as sent, in local time and in UTC', async () => {
    await fc.assert(
      fc.asyncProperty(sent, async ({ start, length, ...fields }) => {
        const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace(/^\+0*/, '')
        const created = await service.call('editor', '/events', {
          json: { ...fields, start_date: iso(start), end_date: iso(start + length) },
        })
        assert.equal(created.statusCode, 201, created.body)
        const event = await service.expect(200, null, `/events/${created.json().id}`)
        assert.equal(decodeHTML(event.title), fields.title.trim())
        assert.equal(event.utc_start_date, toWallClock(start, 'UTC'))
        assert.equal(event.utc_end_date, toWallClock(start + length, 'UTC'))
        assert.equal(event.start_date, toWallClock(start, event.timezone))
        assert.equal(event.timezone, findZone(fields.timezone))
        for (const name of ['featured', 'sticky', 'show_map', 'show_map_link', 'hide_from_listings'] as const) {
          assert.equal(event[name], fields[name] ?? false)
        }
        if (fields.website) assert.equal(event.website, fields.website)
        if (fields.excerpt) assert.match(decodeHTML(event.excerpt), /^<p>.*<\/p>$/s)
      }),
      { numRuns: 150 },
    )
  })

  it('shows a wall clock that its zone has at that instant', async () => {
    await fc.assert(
      fc.asyncProperty(instant, zone, async (seconds, name) => {
        const canonical = findZone(name)
        if (canonical === null) return
        const wall = toWallClock(seconds, canonical)
        const event = await service.expect(201, 'editor', '/events', {
          json: { title: 'Z', start_date: wall, end_date: wall, timezone: name },
        })
        assert.equal(event.start_date, wall)
        assert.equal(toInstant(event.utc_start_date, 'UTC'), toInstant(wall, canonical))
      }),
      { numRuns: 100 },
    )
  })

  it('changes only in the one field that an update names', async () => {
    const change = fc.oneof(
      words.map((value) => ['title', value] as const),
      words.map((value) => ['description', value] as const),
      words.map((value) => ['excerpt', value] as const),
      fc.constantFrom('', '5', '$7 - $9', 'Donation').map((value) => ['cost', value] as const),
      fc.webUrl().map((value) => ['website', value] as const),
      fc
        .constantFrom('featured', 'sticky', 'show_map', 'show_map_link', 'hide_from_listings')
        .chain((name) => flag.map((value) => [name, value] as const)),
      fc.constantFrom([], ['One'], ['One', 'Two']).map((value) => ['categories', value] as const),
      fc.constantFrom([], ['one'], ['one', 'two']).map((value) => ['tags', value] as const),
      fc.constantFrom('', { venue: 'There' }).map((value) => ['venue', value] as const),
      fc.constantFrom([], [{ organizer: 'Them' }, { organizer: 'Us' }]).map((value) => ['organizer', value] as const),
      fc.constantFrom('draft', 'publish', 'private', 'pending').map((value) => ['status', value] as const),
    )
    const derived: Record<string, string[]> = { cost: ['cost_details', 'cost_text'], title: [] }
    const event = await service.expect(201, 'editor', '/events', {
      json: {
        title: 'Steady',
        start_date: '2031-06-10',
        end_date: '2031-06-11',
        tags: ['one'],
        categories: ['One'],
        venue: { venue: 'Here' },
        organizer: { organizer: 'Us' },
      },
    })
    let state = await service.expect(200, 'editor', `/events/${event.id}`)
    await fc.assert(
      fc.asyncProperty(change, async ([name, value]) => {
        const next = await service.expect(200, 'editor', `/events/${event.id}`, {
          method: 'PATCH',
          json: { [name]: value },
        })
        const ignore = new Set([name, ...(derived[name] ?? []), 'modified', 'modified_utc', 'json_ld'])
        const rest = (body: Json) =>
          Object.fromEntries(
            Object.entries(body)
              .filter(([key]) => !ignore.has(key))
              .map(([key, part]) => [key, withoutCounts(part)]),
          )
        assert.deepEqual(rest(next), rest(state))
        state = next
      }),
      { numRuns: 100 },
    )
  })
})

/** Counts of terms follow the status, and are of the term, not of the event. */
function withoutCounts(part: Json): Json {
  return Array.isArray(part)
    ? part.map((item) => (typeof item === 'object' ? { ...item, count: 0, modified: '', modified_utc: '' } : item))
    : part
}

describe('following next_rest_url', () => {
  it('visits every matching event exactly once', async () => {
    const service = await startService()
    const ids: Record<string, number[]> = { a: [], b: [] }
    for (let n = 0; n < 60; n++) {
      const tag = n % 3 === 0 ? 'a' : 'b'
      // Many share a start, so that only the id parts them.
      const day = `2031-01-${String((n % 7) + 1).padStart(2, '0')}`
      const { id } = await service.expect(201, 'editor', '/events', {
        json: { title: `N ${n}`, start_date: day, end_date: day, tags: tag },
      })
      ids[tag]?.push(id)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('a', 'b', 'a,b'),
        fc.integer({ min: 1, max: 50 }),
        flag,
        async (tags, per_page, strict_dates) => {
          const seen: number[] = []
          let url: string | undefined =
            `/calendar/events/v1/events?${new URLSearchParams({ tags, per_page: String(per_page), strict_dates: String(strict_dates), start_date: '2031-01-01' })}`
          while (url !== undefined) {
            const response = await service.inject({ url })
            assert.equal(response.statusCode, 200)
            const page: Json = response.json()
            seen.push(...page.events.map((event: Json) => event.id))
            const next: URL | undefined = page.next_rest_url && new URL(page.next_rest_url)
            url = next && next.pathname + next.search
          }
          const expected = tags.split(',').flatMap((tag) => ids[tag] ?? [])
          assert.deepEqual(
            [...seen].sort((x, y) => x - y),
            expected.sort((x, y) => x - y),
          )
        },
      ),
      { numRuns: 30 },
    )
    await service.close()
  })
})

/** As a query string can say it: lists of texts, and texts. */
function asText(values: Record<string, unknown>): Record<string, unknown> {
  const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed()
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(text) : text(value)]),
  )
}

describe('random bytes in any parameter', () => {
  it('never give a 500', async () => {
    const service = await startService()
    await service.expect(201, 'editor', '/events', {
      json: {
        title: 'X',
        start_date: '2031-01-01',
        end_date: '2031-01-02',
        tags: 'x',
        categories: 'x',
        venue: { venue: 'x' },
        organizer: { organizer: 'x' },
      },
    })
    const scalar = fc.oneof(
      fc.string({ unit: CHARACTER, maxLength: 30 }),
      fc.constantFrom(
        '0',
        '-1',
        '1',
        '99999999999999999999',
        '1e9',
        '2031-01-01',
        '__proto__',
        'constructor',
        'toString',
        'null',
        ',',
        '[]',
        '{}',
        '%',
      ),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('id', 'venue', 'organizer', 'name', 'toString', 'city'), scalar, { maxKeys: 3 }),
      fc.json().map((text) => JSON.parse(text)),
    )
    const names = [...new Set(endpoints.flatMap(({ parameters }) => Object.keys(parameters)))]
    const call = fc.record({
      endpoint: fc.constantFrom(...endpoints),
      values: fc.dictionary(fc.constantFrom(...names, '_fields', 'force'), value, { maxKeys: 5 }),
      base: flag,
      id: fc.constantFrom('0', '1', '2', '3', '4', '99999999999999999999'),
      slug: fc.oneof(
        fc.constantFrom('x', '%00', '%ff', '..', 'a%2fb'),
        fc
          .string({ unit: CHARACTER, minLength: 1, maxLength: 20 })
          .map((text) => encodeURIComponent(text.toWellFormed())),
      ),
      role: fc.constantFrom('editor' as const, 'contributor' as const, null),
      raw: fc.option(fc.uint8Array({ maxLength: 60 })),
    })
    await fc.assert(
      fc.asyncProperty(call, async ({ endpoint, values, base, id, slug, role, raw }) => {
        const path = endpoint.path.replace(':id', id).replace(':slug', slug)
        const [method = 'GET'] = endpoint.methods
        const isQuery = method === 'GET' || method === 'DELETE'
        const valid = {
          title: 't',
          start_date: '2031-01-01',
          end_date: '2031-01-02',
          venue: endpoint.path.startsWith('/venues') ? 'v' : undefined,
          organizer: 'o',
          name: 'n',
        }
        const body = { ...(base ? valid : {}), ...values }
        const response = await service.call(role, path, {
          method,
          ...(isQuery
            ? { query: asText(values) }
            : raw
              ? {
                  raw: Buffer.from(raw),
                  headers: { 'content-type': base ? 'application/json' : 'application/x-www-form-urlencoded' },
                }
              : { json: body }),
        })
        assert.ok(response.statusCode < 500, `${method} ${path} ${JSON.stringify(values)}: ${response.body}`)
      }),
      { numRuns: 1500 },
    )
    await service.close()
  })
})
