import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fold } from '../../src/lib/fold.ts'
import { dialectOf } from '../../src/storage/dialect.ts'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { type Service, startService } from '../support/service.ts'

const EVENT = { title: 'E', start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }
/** Records that are told with another one. */
const MANY = 10_000
const CHUNK = 250

describe('a record that many others show', () => {
  let folder: string
  let service: Service
  let parent: number
  let venue: number
  let category: number
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-told-'))
    service = await startService({ folder, writesTables: true })
    venue = (await service.expect(201, 'editor', '/venues', { json: { venue: 'Hall' } })).id
    parent = (await service.expect(201, 'editor', '/events', { json: EVENT })).id
    category = (await service.expect(201, 'editor', '/categories', { json: { name: 'Above' } })).id
    const child = await service.expect(201, 'editor', '/events', { json: { ...EVENT, parent } })
    const below = await service.expect(201, 'editor', '/categories', { json: { name: 'Below', parent: category } })
    const row = await service.db.read((tx) => tx.selectFrom('events').selectAll().where('id', '=', child.id).execute())
    const term = await service.db.read((tx) => tx.selectFrom('terms').selectAll().where('id', '=', below.id).execute())
    for (let n = 1; n < MANY; n += CHUNK)
      await service.db.writeMany(async (tx) => {
        const idsFrom = (of: 'records' | 'terms') => dialectOf(tx).nextIds(tx, of, CHUNK)
        const ids = await idsFrom('records')
        const events = row.flatMap((one) => ids.map((id) => ({ ...one, id, slug: `e${id}` })))
        await tx.insertInto('events').values(events).execute()
        const links = events.map(({ id }) => ({ event: id, linked: venue, position: 0, start_local: '' }))
        await tx.insertInto('event_venues').values(links).execute()
        const named = (id: number) => ({ id, name: `T${id}`, name_key: fold(`T${id}`), slug: `t${id}` })
        const other = await idsFrom('terms')
        const terms = term.flatMap((one) => other.map((id) => ({ ...one, ...named(id) })))
        await tx.insertInto('terms').values(terms).execute()
      })
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const isShort = async (what: string, work: () => Promise<unknown>) => {
    const hold = await longestHold(work)
    assert.ok(hold <= LONGEST_HOLD, `${what} kept others waiting for ${hold} ms`)
  }
  const patch = (path: string, json: object) => service.expect(200, 'editor', path, { method: 'PATCH', json })
  const trash = (path: string) => service.expect(200, 'editor', path, { method: 'DELETE' })

  it('keeps nobody waiting while they are told of it', async () => {
    for (const path of [`/events/${parent}`, `/venues/${venue}`]) {
      await isShort(`unpublish ${path}`, async () => {
        await patch(path, { status: 'draft' })
        await patch(path, { status: 'publish' })
      })
      await isShort(`trash ${path}`, async () => {
        await trash(path)
        await patch(path, { status: 'publish' })
      })
    }
    let time = 0
    await isShort('rename a category', () => patch(`/categories/${category}`, { slug: `above-${time++}` }))
    await isShort('remove a category', async () => {
      const above = await service.expect(201, 'editor', '/categories', { json: { name: `Other ${time++}` } })
      await patch(`/categories/${category}`, { parent: above.id })
      await trash(`/categories/${above.id}`)
    })
  })
})
