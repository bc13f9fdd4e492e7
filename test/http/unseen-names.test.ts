import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { type Staff, signIn } from '../support/staff.ts'

const EVENT = { title: 'Own event', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
/** In every name that only editors may know. */
const SECRET = /merger/i

/** Ways in which editors take a record from the eyes of others. Each gives it a name that others must not read. */
const HIDING = {
  private: { status: 'private' },
  'a draft': { status: 'draft' },
  pending: { status: 'pending' },
  scheduled: { status: 'publish', date: '2099-01-01 00:00' },
  'in the trash': { status: 'trash' },
}
const LINKED = ['venue', 'organizer', 'parent'] as const
const FIELD = { venue: 'venue', organizer: 'organizer', parent: 'title' } as const

describe('what an event of one’s own was linked to', () => {
  let service: Service
  const staff = new Map<Role, Staff>()
  before(async () => {
    service = await startService()
    for (const role of ['contributor', 'author', 'editor', 'administrator'] as const)
      staff.set(role, await signIn(service, role))
  })
  after(() => service.close())

  const make = (kind: (typeof LINKED)[number], name: string, role: Role = 'editor', more: object = {}) =>
    kind === 'parent'
      ? service.expect(201, role, '/events', { json: { ...EVENT, title: name, ...more } })
      : service.expect(201, role, `/${kind}s`, { json: { [kind]: name, ...more } })
  const pathOf = (kind: (typeof LINKED)[number], id: number) => `/${kind === 'parent' ? 'event' : kind}s/${id}`
  const send = (role: Role, path: string, json: object) => service.expect(200, role, path, { json })
  const screen = async (role: Role, path: string) => {
    const { statusCode, body } = (await staff.get(role)?.get(path)) ?? { statusCode: 0, body: '' }
    assert.equal(statusCode, 200, `${role} ${path}`)
    return body
  }
  /** Everything that shows versions of an event: the list, each of them beside now, and the same as JSON. */
  const versionsOf = async (role: Role, id: number): Promise<string> => {
    const { versions } = await service.expect(200, role, `/events/${id}/versions`)
    const seen = [await screen(role, `/manage/events/${id}/versions`), JSON.stringify(versions)]
    for (const { version } of versions) {
      seen.push(await screen(role, `/manage/events/${id}/versions/${version}`))
      seen.push(JSON.stringify(await service.expect(200, role, `/events/${id}/versions/${version}`)))
    }
    return seen.join('\n')
  }

  for (const role of ['contributor', 'author'] as const)
    for (const [hiding, change] of Object.entries(HIDING))
      it(`is shown to the ${role} by its number once it is ${hiding}`, async () => {
        const linked: Record<string, Json> = {}
        for (const kind of LINKED) linked[kind] = await make(kind, `Open ${kind}`)
        const links = Object.fromEntries(LINKED.map((kind) => [kind, linked[kind].id]))
        const { id } = await service.expect(201, role, '/events', { json: EVENT })
        await send(role, `/events/${id}`, links)
        await send(role, `/events/${id}`, { venue: [], organizer: [], parent: 0 })
        assert.match(await versionsOf(role, id), /Open venue.*Open organizer/s)
        for (const kind of LINKED)
          await send('editor', pathOf(kind, linked[kind].id), { [FIELD[kind]]: `Merger ${kind}`, ...change })
        const seen = await versionsOf(role, id)
        assert.doesNotMatch(seen, SECRET)
        for (const kind of LINKED) assert.ok(seen.includes(`>#${linked[kind].id}<`), kind)
        for (const kind of LINKED) assert.ok((await versionsOf('editor', id)).includes(`Merger ${kind}`), kind)
        const log = await screen('administrator', `/manage/audit?record=event:${id}`)
        for (const kind of LINKED) assert.ok(log.includes(`Merger ${kind}`), kind)
      })

  it('is named if it is their own, also in the trash', async () => {
    const { id } = await service.expect(201, 'author', '/events', { json: EVENT })
    for (const status of ['draft', 'private', 'trash'])
      for (const kind of LINKED) {
        const own = await make(kind, `My ${status} ${kind}`, 'author')
        await send('author', `/events/${id}`, { [kind]: own.id })
        await send('author', `/events/${id}`, { [kind]: kind === 'parent' ? 0 : [] })
        await send('author', pathOf(kind, own.id), { status })
      }
    const seen = await versionsOf('author', id)
    for (const status of ['draft', 'private', 'trash'])
      for (const kind of LINKED) assert.ok(seen.includes(`My ${status} ${kind}`), `${status} ${kind}`)
  })

  it('is a term that nobody else knows: its name is shown as long as the event has it', async () => {
    const { id } = await service.expect(201, 'contributor', '/events', { json: { ...EVENT, tags: ['own tag'] } })
    await send('editor', `/events/${id}`, { categories: ['Merger rooms'], tags: ['own tag', 'merger'] })
    assert.match(await versionsOf('contributor', id), /Merger rooms.*own tag/s)
    await send('editor', `/events/${id}`, { categories: [], tags: ['own tag'] })
    await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, status: 'draft', categories: ['Merger rooms'], tags: ['merger'] },
    })
    const seen = await versionsOf('contributor', id)
    assert.doesNotMatch(seen, SECRET)
    assert.match(seen, /own tag/)
    assert.match(await versionsOf('editor', id), /Merger rooms/)
  })

  it('is not brought back with a version if the reader may not see it', async () => {
    const { id } = await service.expect(201, 'contributor', '/events', { json: EVENT })
    await send('editor', `/events/${id}`, { title: 'Other', categories: ['Merger stage'] })
    await send('editor', `/events/${id}`, { categories: [] })
    const { versions } = await service.expect(200, 'contributor', `/events/${id}/versions`)
    const path = `/events/${id}/versions/${versions[1].version}`
    assert.deepEqual((await service.expect(200, 'contributor', path)).not_restorable, ['categories'])
    const back = await service.call('contributor', `${path}/restore`, { method: 'POST' })
    assert.deepEqual([back.statusCode, back.headers['x-not-restored']], [200, 'categories'])
    assert.doesNotMatch(back.body, SECRET)
  })

  it('is an account whose name others do not read', async () => {
    const { id } = await service.expect(201, 'editor', '/events', {
      json: { ...EVENT, author: service.ids.administrator },
    })
    await send('editor', `/events/${id}`, { author: service.ids.author })
    const seen = await screen('author', `/manage/events/${id}/versions`)
    assert.ok(seen.includes(`>#${service.ids.administrator}<`))
    assert.match(await screen('editor', `/manage/events/${id}/versions`), /<del dir="auto">administrator</)
  })
})
