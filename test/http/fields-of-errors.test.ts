import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basic, type Json, type Service, startService } from '../support/service.ts'

const API = '/calendar/events/v1'
const FORM = 'application/x-www-form-urlencoded'
const EVENT = { title: 'Night', start_date: '2031-06-10 20:00', end_date: '2031-06-10 23:00' }

type Case = readonly [name: string, status: number, path: string, init?: RequestInit & { headers?: object }]
const send = (role: string | null, method: string, body: unknown, more: object = {}): RequestInit => ({
  method,
  headers: {
    'content-type': 'application/json',
    ...(role && { authorization: basic(role) }),
    ...more,
  },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** Errors from every place that makes them. */
const CASES: readonly Case[] = [
  ['an unknown parameter', 400, `${API}/events?strict=true&startdate=1`],
  ['a bad parameter', 400, `${API}/events?per_page=none`],
  ['a bad cursor', 400, `${API}/venues?cursor=x`],
  ['nobody', 401, `${API}/users/me`],
  ['a wrong password', 401, `${API}/events`, { headers: { authorization: basic('editor', 'wrong') } }],
  ['a reader without the right', 403, `${API}/users`, { headers: { authorization: basic('subscriber') } }],
  ['no such event', 404, `${API}/events/999`],
  ['no such route', 404, `${API}/nowhere`],
  ['a damaged address', 400, `${API}/events/%zz`],
  ['an address that is too long', 414, `${API}/events/by-slug/${'x'.repeat(9000)}`],
  ['another method', 405, `${API}/events`, { method: 'DELETE' }],
  ['another mount', 404, '/wp-json/tribe/events/v1/events/999'],
  ['a language', 404, `/de${API}/events/999`],
  ['the WordPress interface', 404, '/wp-json/wp/v2/tribe_events/999'],
  ['the WordPress interface without a user', 401, '/wp-json/wp/v2/users/me'],
  ['nobody who writes', 401, `${API}/events`, send(null, 'POST', EVENT)],
  ['missing fields', 400, `${API}/events`, send('editor', 'POST', {})],
  ['a body that is no JSON', 400, `${API}/events`, send('editor', 'POST', '{')],
  ['a form', 400, `${API}/venues`, send('editor', 'POST', 'venue=', { 'content-type': FORM })],
  ['an unknown type', 415, `${API}/events`, send('editor', 'POST', 'x', { 'content-type': 'text/x-none' })],
  ['an old ETag', 412, `${API}/events/{id}`, send('editor', 'PATCH', { title: 'A' }, { 'if-match': '"0"' })],
  ['the same name', 400, `${API}/tags`, send('editor', 'POST', { name: 'jazz' })],
  ['a batch', 400, `${API}/batch`, send('editor', 'POST', { requests: 7 })],
  ['problem details', 404, `${API}/events/999`, { headers: { accept: 'application/problem+json' } }],
  [
    'problem details of a write',
    400,
    `${API}/events`,
    send('editor', 'POST', {}, { accept: 'application/problem+json' }),
  ],
]

describe('_fields of an error', () => {
  let service: Service
  let address: string
  let id: number
  before(async () => {
    service = await startService({ settings: { mounts: '/wp-json/tribe/events/v1' } })
    address = await service.listen()
    id = (await service.expect(201, 'editor', '/events', { json: EVENT })).id
    await service.expect(201, 'editor', '/tags', { json: { name: 'jazz' } })
  })
  after(() => service.close())

  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${address}${path}`, init)
    return {
      status: answer.status,
      replayed: answer.headers.get('idempotent-replayed'),
      json: (await answer.json()) as Json,
    }
  }
  const withFields = (path: string, fields = 'title,total') =>
    `${path}${path.includes('?') ? '&' : '?'}_fields=${fields}`

  it('leave it whole, wherever it is made', async () => {
    for (const [name, status, template, init] of CASES) {
      const path = template.replace('{id}', String(id))
      const whole = await ask(path, init)
      assert.equal(whole.status, status, `${name}: ${JSON.stringify(whole.json)}`)
      assert.equal(typeof whole.json.code, 'string', name)
      for (const fields of ['total', 'code,data.status'])
        assert.deepEqual(await ask(withFields(path, fields), init), whole, `${name}: ${fields}`)
    }
  })

  it('leave a replayed refusal whole', async () => {
    const init = send('editor', 'POST', {}, { 'idempotency-key': 'refused' })
    const first = await ask(withFields(`${API}/events`), init)
    const again = await ask(withFields(`${API}/events`), init)
    assert.deepEqual([first.replayed, again.replayed], [null, 'true'])
    assert.equal(first.json.code, 'rest_missing_callback_param')
    assert.deepEqual(again.json, first.json)
  })

  it('leave the refused parts of a batch whole, and shorten the others', async () => {
    const paths = [`/events/${id}`, '/events/999', '/events?per_page=none', '/nowhere', '/users?x=1']
    const requests = paths.map((path) => ({ method: 'GET', path: withFields(path, 'title') }))
    const { json } = await ask(`${API}/batch`, send('author', 'POST', { requests }))
    const [shown, ...refused] = json.responses
    assert.deepEqual(shown.body, { title: EVENT.title })
    for (const { status, body } of refused as Json[]) assert.equal(body.data.status, status)
  })

  it('leave 429 whole', async (t) => {
    const limited = await startService({ settings: { rateLimitLoopback: 'yes', rateLimit: '1' } })
    t.after(() => limited.close())
    await limited.call(null, '/events')
    const error = await limited.expect(429, null, '/events', { query: { _fields: 'total' } })
    assert.equal(error.code, 'rest_too_many_requests')
  })
})
