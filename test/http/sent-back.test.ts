import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { ENCODINGS, encoded } from '../support/encodings.ts'
import fc, { WEBSITE } from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

const EVENT = { title: 'Night', start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }
const STATUSES = ['publish', 'draft', 'pending', 'private', 'future', 'trash'] as const

/** Everything that a write leaves alone. */
function content(record: Json): Json {
  const { modified: _, modified_utc: __, json_ld: ___, ...rest } = record
  return rest
}

describe('a record that is sent back as it was read', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  /** Reads a record, sends it back, and compares. */
  async function sendBack(role: Role, path: string, method: 'PUT' | 'POST' | 'PATCH' = 'PUT'): Promise<Json> {
    const shown = await service.expect(200, role, path)
    const answer = await service.expect(200, role, path, { method, json: shown })
    assert.deepEqual(content(answer), content(shown))
    const now = await service.expect(200, role, path)
    assert.deepEqual(content(now), content(shown))
    return shown
  }

  it('keeps its slug in the trash, and gets it back', async () => {
    for (const [list, json] of [
      ['events', EVENT],
      ['venues', { venue: 'Hall' }],
      ['organizers', { organizer: 'Guild' }],
    ] as const) {
      const { id, slug } = await service.expect(201, 'editor', `/${list}`, { json })
      await service.expect(200, 'editor', `/${list}/${id}`, { method: 'DELETE' })
      const trashed = await sendBack('editor', `/${list}/${id}`)
      assert.equal(trashed.slug, `${slug}__trashed`)
      const json2 = { ...trashed, status: 'publish' }
      const restored = await service.expect(200, 'editor', `/${list}/${id}`, { method: 'PUT', json: json2 })
      assert.equal(restored.slug, slug)
      // The copy from the trash is sent once more: it goes back there under the same slug.
      const again = await service.expect(200, 'editor', `/${list}/${id}`, { method: 'PUT', json: trashed })
      assert.equal(again.slug, `${slug}__trashed`)
    }
  })

  it('keeps the second of two equal times of an autumn night', async () => {
    const json = {
      title: 'Autumn',
      timezone: 'Europe/Berlin',
      start_date: '2031-10-26T02:30:00+01:00',
      end_date: '2031-10-26T02:45:00+01:00',
      tickets: [
        { name: 'Early', available_from: '2031-10-26T02:10:00+01:00' },
        { name: 'Late', price: '5' },
      ],
    }
    const { id } = await service.expect(201, 'editor', '/events', { json })
    const shown = await sendBack('editor', `/events/${id}`)
    assert.equal(shown.utc_start_date, '2031-10-26 01:30:00')
    const other = await service.expect(200, 'editor', `/events/${id}`, {
      method: 'PUT',
      json: { ...shown, title: 'Winter', tickets: shown.tickets.map((one: Json) => ({ ...one, capacity: 7 })) },
    })
    assert.equal(other.utc_start_date, shown.utc_start_date)
    assert.equal(other.utc_end_date, shown.utc_end_date)
    assert.equal(other.tickets[0].available_from, shown.tickets[0].available_from)
  })

  it('keeps the text of its cost, and takes the one of cost and cost_text that was changed', async () => {
    const json = { ...EVENT, cost: '20 or 10 € , at the door' }
    const { id, ...created } = await service.expect(201, 'editor', '/events', { json })
    assert.notEqual(created.cost, created.cost_text)
    assert.equal(created.cost_text, '20 or 10 € , at the door')
    const shown = await sendBack('editor', `/events/${id}`)
    const put = (change: object) =>
      service.expect(200, 'editor', `/events/${id}`, { method: 'PUT', json: { ...shown, ...change } })
    assert.equal((await put({ cost: '7 €' })).cost_text, '7 €')
    assert.equal((await put({ cost_text: '8 to 9 €' })).cost_text, '8 to 9 €')
    const both = await put({ cost: '1 €', cost_text: '1 € or 2 €' })
    assert.equal(both.cost_text, '1 € or 2 €')
    const patched = await service.expect(200, 'editor', `/events/${id}`, { method: 'PATCH', json: { cost: '' } })
    assert.deepEqual([patched.cost, patched.cost_text], ['', ''])
  })

  it('keeps links to records that the writer may not see', async () => {
    const secret = await service.expect(201, 'editor', '/venues', { json: { venue: 'Vault', status: 'draft' } })
    const hidden = await service.expect(201, 'editor', '/organizers', { json: { organizer: 'X', status: 'private' } })
    const open = await service.expect(201, 'editor', '/organizers', { json: { organizer: 'Y' } })
    const json = { ...EVENT, author: service.ids.author, venue: secret.id, organizer: [hidden.id, open.id] }
    const { id } = await service.expect(201, 'editor', '/events', { json })
    const shown = await sendBack('author', `/events/${id}`)
    assert.deepEqual([shown.venue, shown.organizer.map((one: Json) => one.id)], [[], [open.id]])
    const own = await service.expect(201, 'author', '/venues', { json: { venue: 'Own' } })
    const change = { ...shown, venue: own.id, organizer: [] }
    await service.expect(200, 'author', `/events/${id}`, { method: 'PUT', json: change })
    const now = await service.expect(200, 'editor', `/events/${id}`)
    assert.deepEqual(now.venue.map((one: Json) => one.id).sort(), [secret.id, own.id].sort())
    assert.deepEqual(
      now.organizer.map((one: Json) => one.id),
      [hidden.id],
    )
  })

  it('publishes no draft that it is linked to, and no hidden tag', async () => {
    const venue = await service.expect(201, 'author', '/venues', { json: { venue: 'Barn' } })
    const { id } = await service.expect(201, 'author', '/events', { json: { ...EVENT, venue: venue.id } })
    await service.expect(200, 'author', `/venues/${venue.id}`, { method: 'PATCH', json: { status: 'draft' } })
    await sendBack('author', `/events/${id}`)
    assert.equal((await service.call(null, `/venues/${venue.id}`)).statusCode, 403)
    const draft = await service.expect(201, 'contributor', '/events', { json: { ...EVENT, tags: ['not yet'] } })
    const tag = draft.tags[0].id
    await sendBack('editor', `/tags/${tag}`)
    assert.equal((await service.call(null, `/tags/${tag}`)).statusCode, 404)
  })

  it('keeps a region that is shown by another field', async () => {
    const { id } = await service.expect(201, 'editor', '/venues', { json: { venue: 'Y', state: 'Bavaria' } })
    await sendBack('editor', `/venues/${id}`)
    await service.expect(200, 'editor', `/venues/${id}`, { method: 'PATCH', json: { state: 'Saxony' } })
    assert.equal((await service.expect(200, null, `/venues/${id}`)).stateprovince, 'Saxony')
  })

  const odd = fc.oneof(
    fc.constantFrom(
      'R&D <3 "quoted" ’',
      '&amp;amp; &lt;b&gt;',
      'a < b',
      "O'Neill & Sons",
      '{{x}}',
      '  spaces  inside  ',
      'two\nlines',
      'two\r\nlines\rof old',
    ),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((text) => /\p{L}/u.test(text) && !/\0|</.test(text)),
  )
  const markup = fc.constantFrom(
    '',
    'plain\n\ntext',
    '<p>a</p>b',
    '<b>x',
    'a & b < c',
    '<a href="x">y</a>\n<ul><li>1',
    '5 > 3',
  )
  const cost = fc.constantFrom(
    '',
    '5',
    'free',
    '10 - 20 €',
    '20 or 10',
    'EUR 5,50',
    '< 5 €',
    '1.234,50',
    'a hat & coat',
    '0',
  )
  const moment = fc.integer({ min: 1_900_000_000, max: 1_990_000_000 })
  const autumn = fc.constantFrom('2031-10-26T00:30:00Z', '2031-10-26T01:30:00Z', '2031-03-30T01:30:00Z')
  const when = fc.oneof(
    autumn,
    moment.map((seconds) => new Date(seconds * 1000).toISOString()),
  )
  const role = fc.constantFrom<Role>('administrator', 'editor', 'author', 'contributor')
  const status = fc.constantFrom(...STATUSES)
  const record = { slug: odd, description: markup, status }

  const kinds = fc.oneof(
    fc.record({
      list: fc.constant('events'),
      json: fc.record(
        {
          title: odd,
          start_date: when,
          timezone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'UTC', 'UTC+5.5', 'Australia/Lord_Howe'),
          ...record,
          date_utc: fc.oneof(autumn, fc.constant('2020-11-01 06:30:00')),
          excerpt: markup,
          all_day: fc.boolean(),
          cost,
          website: WEBSITE,
          venue: fc.constantFrom(0, { venue: 'Here & there', state: 'NY' }, [{ venue: 'A' }, { venue: 'B' }]),
          organizer: fc.constantFrom([], [{ organizer: 'A <b>' }, { organizer: "B's" }]),
          tags: fc.constantFrom([], ['a, b'], ['12', 'x & y']),
          tickets: fc.constantFrom(
            [],
            [{ name: 'A & B', price: '1.50', currency: 'EUR', available_from: '2031-10-26T01:30:00Z' }],
            [
              { name: '<', url: 'https://x.example.org/?a=1&b=2' },
              { name: 'C', capacity: 0 },
            ],
          ),
          password: fc.constantFrom('', 'sesame'),
        },
        { requiredKeys: ['title', 'start_date'] },
      ),
    }),
    fc.record({
      list: fc.constant('venues'),
      json: fc.record(
        {
          venue: odd,
          ...record,
          address: odd,
          city: odd,
          state: odd,
          province: odd,
          zip: odd,
          website: WEBSITE,
          show_map: fc.boolean(),
        },
        { requiredKeys: ['venue'] },
      ),
    }),
    fc.record({
      list: fc.constant('organizers'),
      json: fc.record(
        { organizer: odd, ...record, phone: odd, website: WEBSITE, email: fc.constant("a'b&c@example.org") },
        { requiredKeys: ['organizer'] },
      ),
    }),
    fc.record({
      list: fc.constantFrom('categories', 'tags'),
      json: fc.record({ name: odd, slug: odd, description: markup }, { requiredKeys: ['name'] }),
    }),
  )

  it('is as before, whatever it is, whoever reads it, by every method', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        kinds,
        role,
        status,
        fc.constantFrom('PUT', 'POST', 'PATCH') as fc.Arbitrary<'PUT' | 'POST' | 'PATCH'>,
        fc.constantFrom(...ENCODINGS),
        async ({ list, json }, writer, later, method, encoding) => {
          const sent = 'start_date' in json ? { ...json, end_date: json.start_date } : json
          const isTerm = list === 'categories' || list === 'tags'
          const created = await service.call(isTerm ? 'editor' : writer, `/${list}`, { json: sent })
          if (created.statusCode !== 201) return
          const path = `/${list}/${created.json().id}`
          // Another status than at its creation, set by somebody else.
          if (!isTerm) await service.call('editor', path, { method: 'PATCH', json: { status: later } })
          const before = isTerm ? null : content(await service.expect(200, 'administrator', path))
          for (const reader of [writer, 'editor'] as const) {
            const shown = await service.call(reader, path)
            if (shown.statusCode !== 200) continue
            const answer = await service.call(reader, path, { method, ...(await encoded(shown.json(), encoding)) })
            if (answer.statusCode === 403) continue
            assert.equal(answer.statusCode, 200, answer.body)
            assert.deepEqual(answer.json(), shown.json())
            // Changing one field leaves the others alone, too.
            const json = { ...shown.json(), description: '<p>Other words</p>' }
            const changed = await service.call(reader, path, { method, ...(await encoded(json, encoding)) })
            assert.equal(changed.statusCode, 200, changed.body)
            assert.deepEqual(content(changed.json()), { ...content(shown.json()), description: json.description })
            await service.expect(200, reader, path, { method, json: { description: shown.json().description ?? '' } })
            compared++
          }
          if (before !== null) assert.deepEqual(content(await service.expect(200, 'administrator', path)), before)
          await service.call('administrator', `${path}?force=true`, { method: 'DELETE' })
        },
      ),
      { numRuns: times(200, 50) },
    )
    assert.ok(compared > times(100, 50), `only ${compared} records were compared`)
  })
})
