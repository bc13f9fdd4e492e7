import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createScope } from '../../src/app.ts'
import { mergeTerms } from '../../src/domain/merging.ts'
import fc from '../support/property.ts'
import { WrittenSite, write } from '../support/random-writes.ts'
import { Copy, compareWithTruth } from '../support/replica-of-changes.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }
const WRITES = times(2000, 200)
/** Copies are compared after so many writes. */
const BETWEEN = times(100, 20)
const AUDIENCES = [null, 'editor'] as const

describe('a copy that follows changes by the client', () => {
  it('is what its reader sees, whatever is written', { timeout: 600_000 }, async (t) => {
    const site = await WrittenSite.start()
    t.after(() => site.service.close())
    const copies = AUDIENCES.map((role) => ({ role, copy: new Copy(site.service, role) }))
    const seed = Number(process.env.KALENDS_TEST_SEED ?? 2031)
    for (const [n, one] of fc.sample(write, { numRuns: WRITES, seed }).entries()) {
      await site.write(one)
      if (n % BETWEEN === BETWEEN - 1)
        for (const { role, copy } of copies) await compareWithTruth(site.service, role, copy)
    }
  })

  const started = async (t: { after(work: () => Promise<void>): void }) => {
    const service = await startService()
    t.after(() => service.close())
    const copies = AUDIENCES.map((role) => ({ role, copy: new Copy(service, role) }))
    /** What both audiences are told since the last call. */
    const told = async () => {
      const seen: string[][] = []
      for (const { role, copy } of copies) {
        seen.push((await copy.follow()).map(({ type, id, action }) => `${type} ${id} ${action}`).sort())
        await compareWithTruth(service, role, copy)
      }
      return { everybody: seen[0], editors: seen[1] }
    }
    const both = (...lines: string[]) => ({ everybody: lines.sort(), editors: lines.sort() })
    return { service, told, both }
  }
  const make = async (service: Service, list: string, json: Json): Promise<number> =>
    (await service.expect(201, 'editor', `/${list}`, { json })).id
  const patch = (service: Service, path: string, json: Json) =>
    service.expect(200, 'editor', path, { method: 'PATCH', json })
  const remove = (service: Service, path: string) => service.expect(200, 'editor', path, { method: 'DELETE' })

  it('has the addresses of all categories below one that is renamed, moved or removed', async (t) => {
    const { service, told, both } = await started(t)
    const ids: number[] = []
    for (const name of ['a', 'b', 'c', 'd'])
      ids.push(await make(service, 'categories', { name, parent: ids.at(-1) ?? 0 }))
    const [a, b, c, d] = ids
    const other = await make(service, 'categories', { name: 'other' })
    const changed = (...some: (number | undefined)[]) => some.map((id) => `category ${id} changed`)
    await told()
    await patch(service, `/categories/${a}`, { slug: 'renamed' })
    assert.deepEqual(await told(), both(...changed(a, b, c, d)), 'renamed')
    await patch(service, `/categories/${b}`, { parent: other })
    assert.deepEqual(await told(), both(...changed(b, c, d)), 'moved')
    await remove(service, `/categories/${b}`)
    assert.deepEqual(await told(), both(`category ${b} removed`, ...changed(c, d)), 'removed')
    await patch(service, `/categories/${other}`, { description: 'D' })
    assert.deepEqual(await told(), both(...changed(other)), 'another field')
  })

  it('has the parents, venues and organizers of events that readers see by then', async (t) => {
    const { service, told, both } = await started(t)
    const parent = await make(service, 'events', EVENT)
    const venue = await make(service, 'venues', { venue: 'Hall' })
    const organizer = await make(service, 'organizers', { organizer: 'Guild' })
    const child = await make(service, 'events', { ...EVENT, parent, venue, organizer })
    const draft = await make(service, 'events', { ...EVENT, parent, venue, status: 'draft' })
    await told()
    for (const path of [`event ${parent}`, `venue ${venue}`, `organizer ${organizer}`]) {
      const [kind, id] = path.split(' ')
      const events = [`event ${child} changed`, ...(kind === 'organizer' ? [] : [`event ${draft} changed`])]
      const lines = (toAll: string, toEditors = toAll) => ({
        everybody: [`event ${child} changed`, `${path} ${toAll}`].sort(),
        editors: [...events, `${path} ${toEditors}`].sort(),
      })
      await patch(service, `/${kind}s/${id}`, { status: 'private' })
      assert.deepEqual(await told(), lines('removed', 'changed'), `${path} is unpublished`)
      await patch(service, `/${kind}s/${id}`, { status: 'draft' })
      assert.deepEqual(await told(), { everybody: [`${path} removed`], editors: [`${path} changed`] })
      await patch(service, `/${kind}s/${id}`, { status: 'publish' })
      assert.deepEqual(await told(), lines('changed'), `${path} is published`)
      await remove(service, `/${kind}s/${id}`)
      assert.deepEqual(await told(), lines('removed'), `${path} is in the trash`)
      await patch(service, `/${kind}s/${id}`, { status: 'publish' })
      assert.deepEqual(await told(), lines('changed'), `${path} is restored`)
    }
    await remove(service, `/events/${parent}?force=true`)
    assert.deepEqual(
      await told(),
      {
        ...both(`event ${child} changed`, `event ${parent} removed`, `event ${draft} changed`),
        everybody: [`event ${child} changed`, `event ${parent} removed`].sort(),
      },
      'the parent is gone',
    )
  })

  it('has the addresses of categories that move up or over when theirs is merged', async (t) => {
    const { service, told, both } = await started(t)
    const into = await make(service, 'categories', { name: 'into' })
    const from = await make(service, 'categories', { name: 'from' })
    const child = await make(service, 'categories', { name: 'child', parent: from })
    const grandchild = await make(service, 'categories', { name: 'grandchild', parent: child })
    await told()
    const user = { id: service.ids.editor, name: 'editor', role: 'editor' } as const
    await mergeTerms({ ...createScope(service.config, service.db), user }, 'category', from, () => ({ into }))
    assert.deepEqual(
      await told(),
      both(`category ${from} removed`, `category ${child} changed`, `category ${grandchild} changed`),
    )
  })

  it('has the parent of an author’s event until that is somebody else’s draft', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    const draft = await service.expect(201, 'author', '/events', { json: { ...EVENT, status: 'draft' } })
    const child = await service.expect(201, 'author', '/events', { json: { ...EVENT, parent: draft.id } })
    const copy = new Copy(service, 'author')
    await copy.follow()
    assert.equal(copy.records.get(`event ${child.id}`).parent, draft.id)
    for (const author of [service.ids.editor, service.ids.author]) {
      await patch(service, `/events/${draft.id}`, { author })
      await compareWithTruth(service, 'author', copy)
    }
  })

  it('has the rule and the number of all occurrences of a series', async (t) => {
    const { service, told } = await started(t)
    const first = await make(service, 'events', { ...EVENT, recurrence: { rule: 'FREQ=DAILY;COUNT=3' } })
    const { events } = await service.expect(200, null, '/events', { query: { series: 1, start_date: '2031-01-01' } })
    const last = events.at(-1)?.id ?? first + 2
    await told()
    await remove(service, `/events/${last}?force=true`)
    await told()
    await patch(service, `/events/${first}?scope=all`, { recurrence: { rule: 'FREQ=DAILY;COUNT=2' } })
    await told()
  })
})
