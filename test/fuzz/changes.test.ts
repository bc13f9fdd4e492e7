import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { publishDue } from '../../src/domain/publishing.ts'
import fc from '../support/property.ts'
import { Copy, readAll } from '../support/replica-of-changes.ts'
import { type Json, type Service, startService } from '../support/service.ts'

const READERS = [null, 'contributor', 'author', 'editor'] as const
const WRITERS = ['contributor', 'author', 'editor'] as const
const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const LISTS = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
} as const
type Kind = keyof typeof LISTS
const KINDS = Object.keys(LISTS) as Kind[]

/** One step: what is written, by whom, and which of the known records it concerns. */
const step = fc.record({
  act: fc.constantFrom('create', 'create', 'create', 'change', 'change', 'trash', 'remove', 'wait', 'merge', 'follow'),
  kind: fc.constantFrom('event', 'event', ...KINDS),
  writer: fc.constantFrom(...WRITERS),
  which: fc.nat(1000),
  status: fc.constantFrom('publish', 'publish', 'draft', 'pending', 'private', 'future'),
  odd: fc.constantFrom({}, {}, { password: 'secret' }, { hide_from_listings: true }, { hide_from_listings: false }),
  name: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
})
type Step = typeof step extends { generate: unknown } ? Json : never

/** The fields of a record that its own changes tell of: not those of records that it is linked to. */
function own(type: string, record: Json): Json {
  const { id, title, venue, organizer, name, slug, status, date_utc, modified_utc, parent, description } = record
  if (type === 'category' || type === 'tag') return { id, name, slug, description, parent }
  if (type !== 'event') return { id, venue, organizer, slug, status, date_utc, modified_utc }
  const ids = (terms: Json[]) => terms.map((term) => term.id)
  const terms = { categories: ids(record.categories), tags: ids(record.tags) }
  return { id, title, slug, status, date_utc, modified_utc, description, ...terms }
}

describe('a client that applies changes', () => {
  it('has what a full read shows, for every reader, whatever is written', async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        let now = Math.floor(Date.parse('2031-01-01T00:00:00Z') / 1000)
        const service = await startService({ clock: () => now })
        try {
          const copies = new Map(READERS.map((role) => [role, new Copy(service, role, { per_page: 3 })]))
          const known: Record<Kind, number[]> = { event: [], venue: [], organizer: [], category: [], tag: [] }
          for (const one of steps) {
            now += 1
            if (one.act === 'wait') now += 5000
            if (one.act === 'wait') await publishDue({ db: service.db, clock: () => now })
            else if (one.act === 'follow') await copies.get(READERS[one.which % 4] ?? null)?.follow()
            else await write(service, one, known, now)
          }
          for (const [role, copy] of copies) await compare(service, role, copy)
        } finally {
          await service.close()
        }
      }),
      { numRuns: 12, endOnFailure: true },
    )
    t.diagnostic('12 histories of up to 40 writes')
  })
})

async function compare(service: Service, role: Role | null, copy: Copy): Promise<void> {
  await copy.follow()
  const all = await readAll(service, role)
  // Lists hide some events from everybody, and show the titles of protected ones: changes tell of both to editors alone.
  const special = await service.db.read((tx) =>
    tx
      .selectFrom('events')
      .select('id')
      .where('status', '!=', 'trash')
      .where((eb) => eb.or([eb('hide_from_listings', '=', 1), eb('password_hash', 'is not', null)]))
      .execute(),
  )
  for (const { id } of special) {
    if (role === 'editor') all.set(`event ${id}`, await service.expect(200, role, `/events/${id}`))
    else all.delete(`event ${id}`)
  }
  assert.deepEqual([...copy.records.keys()].sort(), [...all.keys()].sort(), `the records that ${role} sees`)
  for (const [key, record] of all) {
    const [type = ''] = key.split(' ')
    assert.deepEqual(own(type, copy.records.get(key)), own(type, record), `${key} for ${role}`)
  }
}

/** Writes something; a refusal is as good. */
async function write(service: Service, one: Step, known: Record<Kind, number[]>, now: number): Promise<void> {
  const kind = one.kind as Kind
  const ids = known[kind]
  const id = ids[one.which % Math.max(ids.length, 1)]
  const path = `/${LISTS[kind]}`
  const json = contentOf(one, known, now)
  if (one.act === 'create') {
    const answer = await service.call(one.writer, path, { json })
    if (answer.statusCode === 201) ids.push(answer.json().id)
    return assert.ok(answer.statusCode < 500, answer.body)
  }
  if (id === undefined) return
  const other = ids[(one.which + 1) % ids.length]
  const isMerge = one.act === 'merge' && kind !== 'event'
  const answer = isMerge
    ? await merge(service, kind, id, other ?? 0)
    : one.act === 'change' || one.act === 'merge'
      ? await service.call(one.writer, `${path}/${id}`, { method: 'PATCH', json })
      : await service.call(one.writer, `${path}/${id}`, {
          method: 'DELETE',
          query: one.act === 'remove' ? { force: 'true' } : {},
        })
  assert.ok(answer.statusCode < 500, answer.body)
}

async function merge(service: Service, kind: Exclude<Kind, 'event'>, id: number, into: number) {
  const { mergeLinked, mergeTerms } = await import('../../src/domain/merging.ts')
  const { createScope } = await import('../../src/app.ts')
  const user = { id: service.ids.editor, name: 'editor', role: 'editor' } as const
  const scope = { ...createScope(service.config, service.db), user }
  const merged =
    kind === 'category' || kind === 'tag'
      ? mergeTerms(scope, kind, id, () => ({ into }))
      : mergeLinked(scope, kind, id, () => ({ into }))
  return merged.then(
    () => ({ statusCode: 200, body: '' }),
    (error) => ({ statusCode: error.status ?? 500, body: String(error) }),
  )
}

function contentOf(one: Step, known: Record<Kind, number[]>, now: number): object {
  const { kind, status, odd, name, which } = one
  const pick = (of: Kind) => known[of][which % Math.max(known[of].length, 1)]
  if (kind === 'category' || kind === 'tag') return { name: `${name}${which % 20}`, parent: pick('category') ?? 0 }
  const date = status === 'future' ? { date_utc: new Date((now + 3000) * 1000).toISOString() } : {}
  if (kind !== 'event') return { [kind]: `${name}${which}`, status, ...date }
  return {
    ...EVENT,
    title: name,
    status,
    ...date,
    ...odd,
    ...(which % 3 === 0 && { tags: [name] }),
    ...(which % 3 === 1 && pick('category') && { categories: [pick('category')] }),
    ...(which % 2 === 0 && { venue: pick('venue') ?? { venue: name, status: 'draft' } }),
  }
}
