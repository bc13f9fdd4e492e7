import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import { type Service, startService } from '../support/service.ts'
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

  it('does not let a token create others, which would outlive it', async () => {
    const { token } = await service.expect(201, 'author', '/users/me/tokens', { json: { expires: '1h' } })
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await service.call(null, '/users/me/tokens', { json: {}, headers })).statusCode, 403)
    assert.equal((await service.call(null, '/users/me/tokens', { headers })).statusCode, 200)
  })

  it('bounds the tokens of a user', async () => {
    for (let n = 0; n < 100; n++) await service.call('contributor', '/users/me/tokens', { json: {} })
    await service.expect(400, 'contributor', '/users/me/tokens', { json: {} })
  })
})
