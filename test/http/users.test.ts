import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { ROLES } from '../../src/domain/access.ts'
import { toolsOf } from '../../src/rest/assistant/tools.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import { basic, type Service, startService } from '../support/service.ts'
import { signIn } from '../support/staff.ts'

describe('the REST interface of users', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  it('shows everybody their own account, and nobody a hash', async () => {
    for (const role of ROLES) {
      const answer = await service.call(role, '/users/me')
      assert.deepEqual(answer.json(), { id: service.ids[role], name: role, email: `${role}@example.org`, role })
      assert.match(String(answer.headers['cache-control']), /private|no-store/)
    }
    assert.equal((await service.call(null, '/users/me')).statusCode, 401)
    for (const path of ['/users', `/users/${service.ids.editor}`, '/users/me/tokens'])
      assert.doesNotMatch((await service.call('administrator', path)).body, /hash|argon|\$/)
  })

  it('takes a session with its token, and ignores one without', async () => {
    const { cookie, csrf } = await signIn(service, 'author')
    assert.equal((await service.call(null, '/users/me', { headers: { cookie } })).statusCode, 401)
    const me = await service.call(null, '/users/me', { headers: { cookie, 'x-csrf-token': csrf } })
    assert.equal(me.json().role, 'author')
  })

  it('is for administrators alone', async () => {
    for (const role of ROLES.filter((one) => one !== 'administrator')) {
      for (const [method, path] of [
        ['GET', '/users'],
        ['POST', '/users'],
        ['GET', `/users/${service.ids.editor}`],
        ['PATCH', `/users/${service.ids[role]}`],
        ['DELETE', '/users/999'],
      ] as const) {
        const json = method === 'GET' || method === 'DELETE' ? {} : { json: { role: 'administrator' } }
        assert.equal((await service.call(role, path, { method, ...json })).statusCode, 403, `${role} ${method} ${path}`)
      }
      assert.equal((await service.expect(200, role, '/users/me')).role, role)
    }
  })

  it('lists by pages', async () => {
    const first = await service.expect(200, 'administrator', '/users', { query: { per_page: 2 } })
    assert.deepEqual([first.users.length, first.total, first.total_pages], [2, ROLES.length, 3])
    await service.expect(404, 'administrator', '/users', { query: { page: 99 } })
    await service.expect(400, 'administrator', '/users', { query: { page: 'x' } })
  })

  it('invites, changes, disables and removes', async () => {
    const json = { name: 'mara', email: 'mara@example.org', role: 'editor' }
    const made = await service.expect(201, 'administrator', '/users', { json })
    assert.match(made.invitation_url, /^http:\/\/calendar\.example\.org:8080\/invite\/[\w-]{43}$/)
    assert.deepEqual([made.disabled, made.has_password], [false, false])
    const path = `/users/${made.id}`
    const again = await service.call('administrator', '/users', { json })
    assert.equal(again.statusCode, 400)
    assert.deepEqual(Object.keys(again.json().data.params), ['name', 'email'])
    const changed = await service.expect(200, 'administrator', path, {
      method: 'PATCH',
      json: { role: 'author', disabled: true },
    })
    assert.deepEqual([changed.role, changed.disabled, changed.name], ['author', true, 'mara'])
    const bad = await service.call('administrator', path, { method: 'PATCH', json: { name: '', role: 'king' } })
    assert.deepEqual(Object.keys(bad.json().data.params), ['name', 'role'])
    assert.equal((await service.expect(200, 'administrator', path)).disabled, true)
    await service.expect(200, 'administrator', path, { method: 'DELETE' })
    assert.equal((await service.call('administrator', path)).json().code, 'user-not-found')
  })

  it('keeps the last administrator', async () => {
    const path = `/users/${service.ids.administrator}`
    for (const [name, json] of [
      ['role', { role: 'editor' }],
      ['disabled', { disabled: true }],
    ] as const) {
      const refused = await service.call('administrator', path, { method: 'PATCH', json })
      assert.deepEqual([refused.statusCode, Object.keys(refused.json().data.params)], [400, [name]])
    }
    const query = { reassign: service.ids.editor }
    await service.expect(400, 'administrator', path, { method: 'DELETE', query })
  })

  it('has the tokens of the user who asks, and of nobody else', async () => {
    const made = await service.expect(201, 'author', '/users/me/tokens', {
      json: { token_name: '<b>Site</b>', expires: '90d' },
    })
    assert.match(made.token, /^kal_[\w-]{43}$/)
    assert.equal(made.token_name, '&lt;b&gt;Site&lt;/b&gt;')
    const { tokens } = await service.expect(200, 'author', '/users/me/tokens')
    assert.deepEqual(Object.keys(tokens[0]), ['id', 'token_name', 'created_utc', 'expires_utc', 'used_utc'])
    assert.deepEqual((await service.expect(200, 'editor', '/users/me/tokens')).tokens, [])
    const bearer = { authorization: `Bearer ${made.token}` }
    assert.equal((await service.call(null, '/users/me', { headers: bearer })).json().name, 'author')
    const path = `/users/me/tokens/${made.id}`
    const foreign = await service.call('administrator', path, { method: 'DELETE' })
    assert.deepEqual([foreign.statusCode, foreign.json().code], [404, 'token-not-found'])
    const bad = await service.call('author', '/users/me/tokens', { json: { expires: 'soon' } })
    assert.deepEqual(Object.keys(bad.json().data.params), ['expires'])
    await service.expect(200, 'author', path, { method: 'DELETE' })
    assert.equal((await service.call(null, '/users/me', { headers: bearer })).statusCode, 401)
  })

  it('bounds the tokens of a user', async () => {
    for (let n = 0; n < 100; n++) await service.call('contributor', '/users/me/tokens', { json: {} })
    await service.expect(400, 'contributor', '/users/me/tokens', { json: {} })
  })
})

describe('what changes who may sign in', () => {
  const CHANGES = endpoints.filter(({ access }) => access === 'by-password')
  let service: Service
  let token = ''
  let users = 0
  before(async () => {
    service = await startService({ settings: { mounts: '/wp-json/tribe/events/v1', languages: 'en,de' } })
    token = (await service.expect(201, 'administrator', '/users/me/tokens', { json: { expires: '1h' } })).token
  })
  after(() => service.close())

  const byToken = () => ({ authorization: `Bearer ${token}` })
  const newUser = () => ({ name: `user ${++users}`, email: `user-${users}@example.org`, role: 'administrator' })
  const everybody = async () => JSON.stringify(await service.expect(200, 'administrator', '/users'))

  function refused({ statusCode, body }: Pick<LightMyRequestResponse, 'statusCode' | 'body'>, what = ''): void {
    assert.equal(statusCode, 403, `${what} ${body}`)
    const { code, message } = JSON.parse(body)
    assert.equal(code, 'rest_forbidden')
    assert.match(message, /password or a session/)
  }

  it('is every write of users and tokens, and every write of a resource that is not known to hold none', () => {
    const harmless = /^(events|venues|organizers|categories|tags|images|batch|webhooks)\./
    const writes = endpoints.filter(({ methods }) => methods.some((method) => method !== 'GET'))
    assert.deepEqual(
      writes.filter(({ name }) => !harmless.test(name)).map(({ name }) => name),
      CHANGES.map(({ name }) => name),
    )
  })

  for (const endpoint of CHANGES)
    for (const method of endpoint.methods) {
      const { path } = endpoint
      it(`is refused to a token: ${method} ${path}, on every mount, by an override and in a batch`, async () => {
        const asked = path.replace(':id', String(service.ids.author))
        const before = await everybody()
        const json = { ...newUser(), token_name: 'x', disabled: true }
        for (const headers of [byToken(), { authorization: basic('administrator', token) }])
          refused(await service.call(null, asked, { method, json, headers }))
        for (const mount of ['/wp-json/tribe/events/v1', '/de/calendar/events/v1']) {
          const headers = { ...byToken(), 'content-type': 'application/json', 'accept-language': 'en' }
          const url = `${mount}${asked}/`
          const { statusCode, body } = await service.inject({ url, method, payload: JSON.stringify(json), headers })
          assert.deepEqual([statusCode, JSON.parse(body).code], [403, 'rest_forbidden'], url)
        }
        const overridden = { ...byToken(), 'x-http-method-override': method }
        refused(await service.call(null, asked, { method: 'POST', json, headers: overridden }), 'header')
        refused(
          await service.call(null, asked, { method: 'POST', json, headers: byToken(), query: { _method: method } }),
        )
        for (const atomic of [false, true]) {
          const requests = [{ method, path: asked, body: json }]
          const batch = await service.call(null, '/batch', { json: { atomic, requests }, headers: byToken() })
          const [{ status, body }] = batch.json().responses
          refused({ statusCode: status, body: JSON.stringify(body) }, 'batch')
        }
        assert.equal(await everybody(), before)
      })
    }

  it('is refused to a token before the stored answer is shown, and stored for nobody', async () => {
    for (const [path, json] of [
      ['/users/me/tokens', { token_name: 'kept' }],
      ['/users', newUser()],
    ] as const) {
      const headers = { 'idempotency-key': `key of ${path}` }
      refused(await service.call(null, path, { json, headers: { ...headers, ...byToken() } }))
      const made = await service.expect(201, 'administrator', path, { json, headers })
      refused(await service.call(null, path, { json, headers: { ...headers, ...byToken() } }))
      assert.deepEqual(await service.expect(201, 'administrator', path, { json, headers }), made)
    }
  })

  it('is not shown to a token by the stored answer of a batch', async () => {
    const requests = [{ method: 'POST', path: '/users/me/tokens', body: { token_name: 'in a batch' } }]
    const call = { json: { requests }, headers: { 'idempotency-key': 'key of a batch' } }
    const made = await service.expect(200, 'administrator', '/batch', call)
    assert.equal(made.responses[0].status, 201)
    const again = await service.call(null, '/batch', { ...call, headers: { ...call.headers, ...byToken() } })
    assert.equal(again.statusCode, 422, again.body)
    assert.deepEqual(await service.expect(200, 'administrator', '/batch', call), made)
  })

  it('is open to a session', async () => {
    const { cookie, csrf } = await signIn(service, 'administrator')
    const headers = { cookie, 'x-csrf-token': csrf }
    assert.equal((await service.call(null, '/users', { json: newUser(), headers })).statusCode, 201)
    assert.equal((await service.call(null, '/users/me/tokens', { json: {}, headers })).statusCode, 201)
  })

  it('can be read by a token, which may write everything else', async () => {
    for (const path of ['/users', '/users/me', '/users/me/tokens', `/users/${service.ids.author}`])
      assert.equal((await service.call(null, path, { headers: byToken() })).statusCode, 200)
    const category = await service.call(null, '/categories', { json: { name: 'By a token' }, headers: byToken() })
    assert.equal(category.statusCode, 201)
  })

  it('is no tool of an assistant', () => {
    const names = toolsOf(endpoints, 'en').map(({ name }) => name)
    assert.deepEqual(
      names.filter((name) => /user|token|invit|account|password/.test(name)),
      [],
    )
  })
})
