import type { LightMyRequestResponse } from 'fastify'
import { each, type Marking, markOf, SHOWN } from './marks.ts'
import type { Call, Reader } from './readers.ts'
import { type Entry, type Kind, pathOf, pluralOf, type World } from './world.ts'

/** Ways to change records through the REST interface. What was changed is made as it was before. */

type Send = (world: World, reader: Reader, entry: Entry) => Promise<LightMyRequestResponse>

/** A write, whose mark may say more than that it was done. `keeps` is set if others are not concerned: nothing is made as before. */
function sending(
  send: Send,
  { says = () => SHOWN, keeps = false }: { says?: (response: LightMyRequestResponse) => string; keeps?: boolean } = {},
): Marking {
  return each(async (world, reader, entry) => {
    const response = await send(world, reader, entry)
    if (markOf(response) !== SHOWN) return markOf(response)
    if (!keeps) await world.reset(entry)
    return says(response)
  })
}

/** The first letters of the status that a record has after a write. */
const newStatus = (response: LightMyRequestResponse) => String(response.json().status).slice(0, 3)

const update =
  (json: Call['json'], method: Call['method'] = 'PATCH'): Send =>
  (_, reader, entry) =>
    reader.rest(pathOf(entry), { method, json })

const restoring =
  (versionOf: (entry: Entry) => number): Send =>
  (_, reader, entry) =>
    reader.rest(`${pathOf(entry)}/versions/${versionOf(entry)}/restore`, { method: 'POST' })

/** A request as the only one of a batch. */
const inBatch = (method: string, pathIn: (entry: Entry) => string, body?: object, keeps = true): Marking =>
  each(async (world, reader, entry) => {
    const requests = [{ method, path: pathIn(entry), ...(body && { body }) }]
    const response = await reader.rest('/batch', { json: { requests } })
    if (markOf(response) !== SHOWN) return markOf(response)
    const [{ status }] = response.json().responses
    if (status < 300 && !keeps) await world.reset(entry)
    return status < 300 ? SHOWN : String(status)
  })

const LATER = '2099-01-01 12:00:00'
/** Changes that every kind has a field for. */
const CHANGE = { show_map: true, phone: '1' }

function writingOf(kind: Kind): Record<string, Marking> {
  const plural = pluralOf(kind)
  const status = (json: object) => sending(update(json), { says: newStatus })
  const bySlug = ({ slug }: Entry) => `/${plural}/by-slug/${slug}`
  const force = { method: 'DELETE', query: { force: true } } as const
  const ways: Record<string, Marking> = {
    update: sending(update(CHANGE), { keeps: true }),
    'update =nothing': sending(update({}, 'POST'), { keeps: true }),
    'update-by-slug': sending((_, reader, entry) => reader.rest(bySlug(entry), { method: 'PUT', json: CHANGE }), {
      keeps: true,
    }),
    'update =publish': status({ status: 'publish' }),
    'update =future': status({ status: 'future', date: LATER }),
    'update =private': status({ status: 'private' }),
    'update =draft': status({ status: 'draft' }),
    'update =trash': status({ status: 'trash' }),
    'update =author': sending((world, reader, entry) => {
      const author = entry.owner === 'someone' ? world.ids.author : world.ids.someone
      return reader.rest(pathOf(entry), { method: 'PATCH', json: { author } })
    }),
    remove: sending((_, reader, entry) => reader.rest(pathOf(entry), { method: 'DELETE' })),
    'remove ?force': sending((_, reader, entry) => reader.rest(pathOf(entry), force)),
    'remove-by-slug ?force': sending((_, reader, entry) => reader.rest(bySlug(entry), force)),
    'restore-version': sending(restoring(({ version }) => version)),
    'restore-version (unknown)': sending(restoring(() => 999_999)),
  }
  return {
    ...Object.fromEntries(Object.entries(ways).map(([name, way]) => [`${plural}.${name}`, way])),
    [`batch.run (${plural}.get)`]: inBatch('GET', pathOf),
    [`batch.run (${plural}.update)`]: inBatch('PATCH', pathOf, CHANGE),
    [`batch.run (${plural}.remove)`]: inBatch('DELETE', (entry) => `${pathOf(entry)}?force=true`, undefined, false),
  }
}

const NEW = { title: 'Planned', start_date: '2034-01-01', end_date: '2034-01-01' }

/** Names a record in a new event that is only planned. */
const namedInNew = (field: 'parent' | 'venue' | 'organizer'): Marking =>
  each(async (_, reader, { id }) =>
    markOf(await reader.rest('/events', { query: {}, json: { ...NEW, [field]: id, dry_run: true } })),
  )

/** Data of a record: whether it is that record. */
const sameData = (kind: 'venue' | 'organizer'): Marking =>
  each(async (world, reader, entry) => {
    const named = kind === 'venue' ? `Place ${entry.name}` : `Band ${entry.name}`
    const response = await reader.rest(`/${pluralOf(kind)}`, { json: { [kind]: named } })
    if (markOf(response) !== SHOWN) return markOf(response)
    const { id } = response.json()
    if (id === entry.id) return SHOWN
    await world.admin(`/${pluralOf(kind)}/${id}`, { method: 'DELETE', query: { force: true } })
    return 'new'
  })

export const writing: Record<string, Marking> = {
  'events.create =parent': namedInNew('parent'),
  ...writingOf('event'),
}

export const writingLinked = (kind: 'venue' | 'organizer'): Record<string, Marking> => ({
  [`events.create =${kind}`]: namedInNew(kind),
  [`${pluralOf(kind)}.create (with the same data)`]: sameData(kind),
  ...writingOf(kind),
})
