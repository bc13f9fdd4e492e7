import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import sharp from 'sharp'
import type { Role } from '../../src/domain/access.ts'
import { type Options, startService } from '../support/service.ts'

const WHEN = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
const LANGUAGES = { en: /not published/, fr: /non publiées/, de: /unveröffentlichte/, es: /sin publicar/ }

const start = async (t: TestContext, settings: Options['settings']) => {
  const service = await startService({ ...(settings && { settings }) })
  t.after(() => service.close())
  return service
}

describe('the quota of drafts', () => {
  it('holds for events, venues and organizers of a contributor together, and leaves nothing behind', async (t) => {
    const service = await start(t, { draftQuota: '3' })
    const all = () => service.expect(200, 'administrator', '/venues', { query: { status: 'draft,pending' } })
    const send = (path: string, json: object) => service.call('contributor', path, { json })
    assert.equal((await send('/events', { title: 'One', ...WHEN })).statusCode, 201)
    // Two at once are one too many, and none of them is kept.
    const both = { title: 'Two', ...WHEN, venue: { venue: 'Hall' }, organizer: { organizer: 'Guild' } }
    assert.equal((await send('/events', both)).statusCode, 403)
    assert.equal((await all()).total, 0)
    assert.equal((await send('/venues', { venue: 'Hall' })).statusCode, 201)
    assert.equal((await send('/organizers', { organizer: 'Guild', status: 'pending' })).statusCode, 201)
    const refused: [string, object][] = [
      ['/events', { title: 'Four', ...WHEN }],
      ['/events', { title: 'Four', ...WHEN, status: 'publish' }],
      ['/events', { title: 'Four', ...WHEN, status: 'trash' }],
      ['/venues', { venue: 'Another' }],
      ['/organizers', { organizer: 'Another' }],
    ]
    for (const [path, json] of refused) {
      const answer = await send(path, json)
      assert.deepEqual([answer.statusCode, answer.json().code], [403, 'draft-quota-exceeded'], path)
    }
    for (const [language, text] of Object.entries(LANGUAGES)) {
      const headers = { 'accept-language': language }
      const answer = await service.call('contributor', '/venues', { json: { venue: 'Another' }, headers })
      assert.match(answer.json().message, text)
    }
    // An equal one is no other.
    assert.equal((await send('/venues', { venue: 'Hall' })).statusCode, 201)
    for (const role of ['author', 'editor'] as const)
      for (let n = 0; n < 4; n++)
        await service.expect(201, role, '/events', { json: { title: `Draft ${n}`, status: 'draft', ...WHEN } })
  })

  it('is free again for what is published or removed for good, and not for what is in the trash', async (t) => {
    const service = await start(t, { draftQuota: '2' })
    const create = () => service.call('contributor', '/events', { json: { title: 'Draft', ...WHEN } })
    const [one, other] = [(await create()).json().id, (await create()).json().id]
    assert.equal((await create()).statusCode, 403)
    await service.expect(200, 'contributor', `/events/${one}`, { method: 'PATCH', json: { title: 'Changed' } })
    await service.expect(200, 'contributor', `/events/${one}`, { method: 'DELETE' })
    assert.equal((await create()).statusCode, 403)
    await service.expect(200, 'contributor', `/events/${one}`, { method: 'DELETE', query: { force: true } })
    assert.equal((await create()).statusCode, 201)
    assert.equal((await create()).statusCode, 403)
    await service.expect(200, 'editor', `/events/${other}`, { method: 'PATCH', json: { status: 'publish' } })
    assert.equal((await create()).statusCode, 201)
  })

  it('holds for what comes at once, and is off at 0', async (t) => {
    const create = (service: Awaited<ReturnType<typeof start>>, n: number) =>
      n % 2
        ? service.call('contributor', '/events', { json: { title: 'Draft', ...WHEN } })
        : service.call('contributor', '/venues', { json: { venue: `Hall ${n}` } })
    const statuses = async (quota: string) => {
      const service = await start(t, { draftQuota: quota })
      const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => create(service, n)))
      return answers.filter(({ statusCode }) => statusCode === 201).length
    }
    assert.equal(await statuses('5'), 5)
    assert.equal(await statuses('0'), 12)
  })
})

/** A form as it is sent. */
async function sentAs(form: FormData): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const request = new Request('http://localhost', { method: 'POST', body: form })
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  return { headers, body: Buffer.from(await request.arrayBuffer()) }
}

describe('the quota of uploads', () => {
  const picture = (width: number) =>
    sharp({ create: { width, height: 9, channels: 3, background: '#3366aa' } })
      .png()
      .toBuffer()
  // Small ones count as 16 KiB each: two are within it.
  const settings = { uploadQuota: '40000' }

  it('holds for the images of an author, and is free again for what is removed', async (t) => {
    const service = await start(t, settings)
    const upload = async (width: number, role: Role = 'author') =>
      service.call(role, '/images', {
        method: 'POST',
        raw: await picture(width),
        headers: { 'content-type': 'image/png' },
      })
    const first = await upload(10)
    assert.deepEqual([first.statusCode, (await upload(11)).statusCode], [201, 201])
    const refused = await upload(12)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'upload-quota-exceeded'])
    assert.match(refused.json().message, /0 MB/)
    assert.equal((await service.expect(200, 'author', '/images')).total, 2)
    // The same bytes are the same image.
    assert.equal((await upload(10)).statusCode, 201)
    for (let n = 0; n < 3; n++) assert.equal((await upload(20 + n, 'editor')).statusCode, 201)
    assert.equal((await upload(20)).statusCode, 201)
    await service.expect(200, 'author', `/images/${first.json().id}`, { method: 'DELETE' })
    const at = await Promise.all(Array.from({ length: 6 }, (_, n) => upload(30 + n)))
    assert.equal(at.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(at.filter(({ statusCode }) => statusCode === 403).length, 5)
  })

  it('holds for images that forms bring as files', async (t) => {
    const service = await start(t, settings)
    const create = async (width: number) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ title: `Event ${width}`, ...WHEN })) form.set(name, value)
      form.set('image', new File([new Uint8Array(await picture(width))], 'poster.png', { type: 'image/png' }))
      const { headers, body } = await sentAs(form)
      return service.call('author', '/events', { method: 'POST', raw: body, headers })
    }
    assert.deepEqual([(await create(10)).statusCode, (await create(11)).statusCode], [201, 201])
    const refused = await create(12)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'upload-quota-exceeded'])
  })

  it('holds for images that events name by their address, also where the event is refused', async (t) => {
    const server = createServer(async (request, response) => {
      response.setHeader('content-type', 'image/png')
      response.end(await picture(Number(request.url?.slice(1)) || 10))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const service = await start(t, { ...settings, fetchHosts: host })
    const create = (width: number, title: string | null) =>
      service.call('author', '/events', { json: { title, ...WHEN, image: `http://${host}/${width}` } })
    assert.equal((await create(10, 'With an image')).statusCode, 201)
    assert.equal((await create(11, null)).statusCode, 400)
    const refused = await create(12, 'One too many')
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'upload-quota-exceeded'])
    assert.equal((await create(10, 'The first again')).statusCode, 201)
    assert.equal((await service.expect(200, null, '/events', { query: { search: 'many' } })).total, 0)
    assert.equal((await service.expect(200, 'author', '/images')).total, 1)
  })

  it('is off at 0', async (t) => {
    const service = await start(t, { uploadQuota: '0' })
    for (let n = 0; n < 4; n++)
      assert.equal(
        (
          await service.call('author', '/images', {
            method: 'POST',
            raw: await picture(40 + n),
            headers: { 'content-type': 'image/png' },
          })
        ).statusCode,
        201,
      )
  })
})
