import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { Role } from '../../src/domain/access.ts'
import { basic, type Json, type Service, startService } from '../support/service.ts'

const HOME = 'http://calendar.example.org:8080'
const ROOT = '/wp-json'

/** The part of WordPress that programs use which write to its calendar. */
describe('the general interface of WordPress', () => {
  let service: Service
  let picture: Buffer

  before(async () => {
    service = await startService({
      clock: () => Date.UTC(2031, 5, 1, 12) / 1000,
      settings: { mounts: `${ROOT}/tribe/events/v1`, languages: 'en,fr', siteName: 'Town Calendar' },
    })
    picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#2f6b46' } })
      .jpeg()
      .toBuffer()
  })
  after(() => service.close())

  const call = async (
    status: number,
    role: Role | null,
    path: string,
    { json, raw, headers = {} }: { json?: unknown; raw?: Buffer | string; headers?: Record<string, string> } = {},
  ) => {
    const payload = json === undefined ? raw : JSON.stringify(json)
    const response = await service.inject({
      method: payload === undefined ? 'GET' : 'POST',
      url: `${ROOT}${path}`,
      headers: {
        ...(role && { authorization: basic(role) }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    })
    assert.equal(response.statusCode, status, `${path}: ${response.body}`)
    return { body: response.json() as Json, headers: response.headers }
  }

  it('is found through an index that names its namespaces, and through pages', async () => {
    for (const path of ['/', '']) {
      const { body } = await call(200, null, path)
      assert.deepEqual(body.namespaces, ['tribe/events/v1', 'wp/v2'])
      assert.equal(body.name, 'Town Calendar')
      assert.equal(body.url, HOME)
      assert.equal(body.timezone_string, 'America/New_York')
      assert.equal(body.gmt_offset, -4)
      assert.deepEqual(body.routes['/wp/v2/tags'].methods, ['GET', 'POST'])
      const own = body.routes['/tribe/events/v1/events']
      assert.deepEqual([own.namespace, own.methods], ['tribe/events/v1', ['GET', 'POST']])
      assert.equal(own._links.self[0].href, `${HOME}${ROOT}/tribe/events/v1/events`)
      assert.ok(body.routes['/tribe/events/v1/events/(?P<id>\\d+)'].methods.includes('DELETE'))
      assert.equal(body.routes['/tribe/events/v1']._links.self[0].href, `${HOME}${ROOT}/tribe/events/v1`)
    }
    const { namespace, routes } = (await call(200, null, '/wp/v2')).body
    assert.equal(namespace, 'wp/v2')
    assert.ok(Object.keys(routes).every((path) => path.startsWith('/wp/v2')))
    const index = (await call(200, null, '/tribe/events/v1')).body
    const { routes: all } = (await call(200, null, '/')).body
    for (const path of Object.keys(index.routes))
      assert.ok(all[path.replace('calendar/events/v1', 'tribe/events/v1')], path)
    const page = await service.inject({ url: '/fr/events/' })
    assert.ok(page.body.includes(`<link rel="https://api.w.org/" href="${HOME}/fr/wp-json/">`))
    assert.ok(String(page.headers.link).includes(`<${HOME}/fr/wp-json/>; rel="https://api.w.org/"`))
  })

  it('creates, reads and lists tags and categories, which are those of the calendar', async () => {
    for (const [path, own, role] of [
      ['tags', 'tags', 'editor'],
      ['tribe_events_cat', 'categories', 'author'],
    ] as const) {
      const made = await call(201, role, `/wp/v2/${path}`, { json: { name: `Jazz & Blues ${path}`, description: 'x' } })
      const { id } = made.body
      assert.equal(made.headers.location, `${HOME}${ROOT}/wp/v2/${path}/${id}`)
      assert.equal(made.body.taxonomy, path === 'tags' ? 'post_tag' : path)
      assert.equal(made.body.name, `Jazz &#038; Blues ${path}`)
      assert.equal(made.body.count, 0)
      assert.deepEqual((await call(200, null, `/wp/v2/${path}/${id}`)).body, made.body)
      assert.equal((await service.expect(200, null, `/${own}/${id}`)).slug, made.body.slug)
      const listed = async (query: string) =>
        (await call(200, null, `/wp/v2/${path}?${query}`)).body.map((t: Json) => t.id)
      assert.deepEqual(await listed(`search=blues`), [id])
      assert.deepEqual(await listed(`slug=${made.body.slug}`), [id])
      assert.deepEqual(await listed('slug=other'), [])
      assert.deepEqual(await listed(`slug=other,${made.body.slug}`), [id])
      assert.deepEqual(await listed(`slug[]=${made.body.slug}`), [id])
      assert.deepEqual(await listed(`slug[]=${made.body.slug}&slug[]=other`), [id])
      assert.deepEqual(await listed('hide_empty=true'), [])
    }
  })

  it('answers up to a hundred records a page, with their number in headers', async () => {
    for (let n = 0; n < 60; n++) await call(201, 'editor', '/wp/v2/tags', { json: { name: `Numbered ${n}` } })
    const all = await call(200, null, '/wp/v2/tags?per_page=100&search=numbered')
    assert.equal(all.body.length, 60)
    assert.deepEqual([all.headers['x-wp-total'], all.headers['x-wp-totalpages']], ['60', '1'])
    const second = await call(200, null, '/wp/v2/tags?per_page=25&page=2&search=numbered&_fields=id,slug')
    assert.deepEqual([second.headers['x-wp-total'], second.headers['x-wp-totalpages']], ['60', '3'])
    assert.deepEqual(Object.keys(second.body[0]).sort(), ['id', 'slug'])
    assert.match(String(second.headers.link), /page=1[^>]*>; rel="prev", <[^>]*page=3[^>]*>; rel="next"/)
    assert.deepEqual((await call(200, null, '/wp/v2/tags?page=99')).body, [])
  })

  it('answers a term that exists with its id, as WordPress does and as the calendar itself does', async () => {
    for (const [path, own] of [
      ['tags', 'tags'],
      ['tribe_events_cat', 'categories'],
    ] as const) {
      const { id } = (await call(201, 'editor', `/wp/v2/${path}`, { json: { name: 'Twice' } })).body
      const again = (await call(400, 'editor', `/wp/v2/${path}`, { json: { name: 'twice' } })).body
      assert.equal(again.code, 'term_exists')
      assert.deepEqual(again.data, { status: 400, term_id: id })
      assert.equal((await call(200, null, `/wp/v2/${path}/${again.data.term_id}`)).body.name, 'Twice')
      assert.deepEqual(await service.expect(400, 'editor', `/${own}`, { json: { name: 'twice' } }), again)
    }
  })

  it('is reached by the rest_route of sites without readable addresses', async () => {
    const json = { title: 'By route', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    const headers = { authorization: basic('editor'), 'content-type': 'application/json' }
    const made = await service.inject({
      method: 'POST',
      url: '/?rest_route=/tribe/events/v1/events',
      headers,
      payload: JSON.stringify(json),
    })
    assert.equal(made.statusCode, 201, made.body)
    const { id } = made.json()
    const pairs = {
      '/?rest_route=/tribe/events/v1/events': '/wp-json/tribe/events/v1/events',
      '/?rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents&per_page=1&search=route':
        '/wp-json/tribe/events/v1/events?per_page=1&search=route',
      '/?per_page=1&rest_route=/tribe/events/v1/events/': '/wp-json/tribe/events/v1/events?per_page=1',
      [`/index.php?rest_route=/tribe/events/v1/events/${id}`]: `/wp-json/tribe/events/v1/events/${id}`,
      '/?rest_route=/tribe/events/v1/events/by-slug/by-route': '/wp-json/tribe/events/v1/events/by-slug/by-route',
      '/?rest_route=/wp/v2/tags': '/wp-json/wp/v2/tags',
      '/?rest_route=/': '/wp-json/',
      '/fr/?rest_route=/tribe/events/v1/events': '/fr/wp-json/tribe/events/v1/events',
    }
    for (const [url, same] of Object.entries(pairs)) {
      for (const time of ['first', 'cached']) {
        const response = await service.inject({ url })
        assert.equal(response.statusCode, 200, `${url} ${time}`)
        assert.deepEqual(response.json(), (await service.inject({ url: same })).json(), `${url} ${time}`)
      }
    }
    const missing = await service.inject({ url: '/?rest_route=/none', headers: { accept: 'text/html' } })
    assert.deepEqual([missing.statusCode, missing.json().code], [404, 'rest_no_route'])
    for (const url of ['/?rest_route=', '/events/?rest_route=/wp/v2/tags'])
      assert.match(String((await service.inject({ url })).headers['content-type']), /^text\/html/, url)
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE', query: { force: true } })
  })

  it('has the rights of the calendar', async () => {
    await call(401, null, '/wp/v2/tags', { json: { name: 'Nobody' } })
    await call(403, 'author', '/wp/v2/tags', { json: { name: 'Author' } })
    await call(403, 'contributor', '/wp/v2/tribe_events_cat', { json: { name: 'Contributor' } })
    await call(401, null, '/wp/v2/media')
    await call(401, null, '/wp/v2/media', { raw: picture, headers: { 'content-type': 'image/jpeg' } })
    await call(403, 'contributor', '/wp/v2/media', { raw: picture, headers: { 'content-type': 'image/jpeg' } })
    assert.equal((await call(400, 'editor', '/wp/v2/tags', { json: {} })).body.code, 'rest_missing_callback_param')
  })

  it('takes an image as a raw body or as the file of a form, which an event can then show', async () => {
    const raw = await call(201, 'author', '/wp/v2/media', {
      raw: picture,
      headers: { 'content-type': 'image/jpeg', 'content-disposition': 'attachment; filename="poster.jpg"' },
    })
    const { id } = raw.body
    assert.equal(raw.headers.location, `${HOME}${ROOT}/wp/v2/media/${id}`)
    assert.deepEqual(
      [raw.body.media_type, raw.body.mime_type, raw.body.media_details.width, raw.body.media_details.height],
      ['image', 'image/jpeg', 40, 30],
    )
    const file = await service.inject({ url: raw.body.source_url.slice(HOME.length) })
    assert.equal(file.statusCode, 200)
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'poster.jpg')
    form.append('title', 'Poster')
    const sent = new Response(form)
    const same = await call(201, 'author', '/wp/v2/media', {
      raw: Buffer.from(await sent.arrayBuffer()),
      headers: { 'content-type': String(sent.headers.get('content-type')) },
    })
    assert.equal(same.body.id, id)
    const json = { title: 'With poster', start_date: '2031-06-10', end_date: '2031-06-10', image: id }
    const event = await service.expect(201, 'author', '/events', { json })
    assert.equal(event.image.id, id)
    assert.equal((await call(200, 'author', `/wp/v2/media/${id}`)).body.slug, raw.body.slug)
    assert.equal((await call(200, 'author', '/wp/v2/media')).headers['x-wp-total'], '1')
    assert.equal((await call(200, 'author', `/wp/v2/media?search=${raw.body.slug}`)).body[0].id, id)
    assert.deepEqual((await call(200, 'author', '/wp/v2/media?search=other')).body, [])
  })

  it('takes forms of every kind, and answers errors as JSON to every client', async () => {
    const form = new FormData()
    form.append('name', 'By form')
    const sent = new Response(form)
    const headers = { 'content-type': String(sent.headers.get('content-type')), accept: 'text/html, */*; q=.2' }
    const raw = Buffer.from(await sent.arrayBuffer())
    const { id } = (await call(201, 'editor', '/wp/v2/tags', { raw, headers })).body
    assert.equal((await call(400, 'editor', '/wp/v2/tags', { raw, headers })).body.data.term_id, id)
    await call(401, null, '/wp/v2/users/me', { headers: { accept: 'text/html' } })
    await call(415, 'editor', '/wp/v2/tags', { raw: picture, headers: { 'content-type': 'image/jpeg' } })
  })

  it('refuses a file that is no image', async () => {
    const notes = readFileSync(new URL(import.meta.url))
    await call(400, 'author', '/wp/v2/media', { raw: notes, headers: { 'content-type': 'image/jpeg' } })
  })

  it('tells users who they are', async () => {
    await call(401, null, '/wp/v2/users/me')
    const { body, headers } = await call(200, 'editor', '/wp/v2/users/me?context=edit')
    assert.deepEqual([body.id, body.name, body.roles], [service.ids.editor, 'editor', ['editor']])
    assert.equal(body.capabilities.publish_tribe_events, true)
    assert.equal(headers['cache-control'], 'private, no-store')
    assert.equal((await call(200, 'contributor', '/wp/v2/users/me')).body.roles, undefined)
  })

  it('shows events as posts, past ones too, and nothing that a reader may not see', async () => {
    const add = (title: string, more: object = {}) =>
      service.expect(201, 'administrator', '/events', {
        json: {
          title,
          start_date: '2030-01-10 19:00',
          end_date: '2030-01-10 22:00',
          description: `<p>${title}</p>`,
          ...more,
        },
      })
    const past = await add('Past', { tags: ['Twice'], categories: ['Music'] })
    const secret = await add('Secret', { password: 'sesame', tags: ['Hidden'] })
    const draft = await add('Draft', { status: 'draft' })
    const { body: list } = await call(200, null, '/wp/v2/tribe_events?per_page=100')
    const found = (id: number) => list.find((post: Json) => post.id === id)
    assert.equal(found(draft.id), undefined)
    const post = found(past.id)
    assert.deepEqual(
      [post.type, post.slug, post.status, post.title.rendered, post.content.rendered, post.link],
      ['tribe_events', 'past', 'publish', 'Past', '<p>Past</p>', past.url],
    )
    assert.equal(post.tags.length, 1)
    assert.deepEqual(
      post.tribe_events_cat,
      past.categories.map((one: Json) => one.id),
    )
    assert.match(post.date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.deepEqual(found(secret.id).content, { rendered: '', protected: true })
    assert.deepEqual(found(secret.id).tags, [])
    assert.deepEqual((await call(200, null, `/wp/v2/tribe_events/${past.id}`)).body, post)
    assert.deepEqual((await call(200, null, '/wp/v2/tribe_events?slug=past')).body, [post])
    assert.deepEqual((await call(200, null, '/wp/v2/tribe_events?slug=none,past')).body, [post])
    assert.deepEqual((await call(200, null, `/wp/v2/tribe_events?tribe_events_cat=${past.categories[0].id}`)).body, [
      post,
    ])
    await call(403, null, `/wp/v2/tribe_events/${draft.id}`)
    assert.equal((await call(200, 'editor', `/wp/v2/tribe_events/${draft.id}`)).body.status, 'draft')
  })

  it('has no other parts, and none without a mount below /wp-json/', async () => {
    await call(404, null, '/wp/v2/posts')
    const plain = await startService({ settings: { mounts: '/api' } })
    assert.equal((await plain.inject({ url: '/wp-json/' })).statusCode, 404)
    assert.ok(!(await plain.inject({ url: '/events/' })).body.includes('api.w.org'))
    const routed = await plain.inject({ url: '/?rest_route=/api/events' })
    assert.match(String(routed.headers['content-type']), /^text\/html/)
    await plain.close()
  })
})
