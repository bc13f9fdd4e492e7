import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as users from '../../src/domain/users.ts'
import { processTime } from '../support/cost.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'

describe('credentials', () => {
  let service: Service
  let now = 1_900_000_000
  const clock = () => now
  before(async () => {
    service = await startService({ clock })
  })
  after(() => service.close())

  const status = async (authorization: string, path = '/venues', method: 'GET' | 'POST' = 'GET') =>
    (await service.inject({ method, url: `/calendar/events/v1${path}`, headers: { authorization } })).statusCode
  const store = () => ({ db: service.db, clock })

  it('are a name or e-mail address with a password or token, or a token alone', async () => {
    const token = await users.createToken(store(), 'editor', 'test')
    for (const header of [
      basic('editor'),
      basic('EDITOR'),
      basic('editor@example.org'),
      basic('editor', token),
      `Bearer ${token}`,
      `bearer ${token}`,
    ]) {
      assert.equal(await status(header), 200, header)
    }
    for (const header of [
      basic('editor', 'wrong'),
      basic('nobody'),
      basic('author', token),
      `Bearer ${token}x`,
      'Bearer kal_',
      'Basic !',
      'Basic',
    ]) {
      assert.equal(await status(header), 401, header)
    }
  })

  it('of other systems make a read anonymous, and are refused on a write', async () => {
    const { id } = await service.expect(201, 'editor', '/venues', { json: { venue: 'Hidden', status: 'draft' } })
    for (const header of ['Bearer', 'Bearer undefined', 'Bearer a b', `Bearer ${PASSWORD}`, 'Digest x', 'x']) {
      assert.equal(await status(header), 200, header)
      assert.equal(await status(header, `/venues/${id}`), 403, header)
      assert.equal(await status(header, '/images'), 401, header)
      assert.equal(await status(header, '/venues', 'POST'), 401, header)
    }
    await service.expect(200, 'editor', `/venues/${id}`, { method: 'DELETE', query: { force: true } })
  })

  it('that are wrong are told on every address and method, before anything else', async () => {
    const wrong = basic('editor', 'wrong')
    for (const path of ['/venues', '/nothing', '/venues/999']) assert.equal(await status(wrong, path), 401)
    assert.equal(await status(wrong, '/doc', 'POST'), 401)
    const response = await service.inject({ url: '/calendar/events/v1/venues', headers: { authorization: wrong } })
    assert.equal(response.json().code, 'incorrect_password')
    assert.match(String(response.headers['www-authenticate']), /^Basic/)
  })

  it('end with the token, the password or the user they belong to', async () => {
    await users.create(store(), { name: 'temp', email: 'temp@example.org', role: 'editor', password: 'first password' })
    const token = await users.createToken(store(), 'temp', '')
    assert.equal(await status(basic('temp', 'first password')), 200)
    await users.setPassword(store(), 'temp', 'second password')
    assert.equal(await status(basic('temp', 'first password')), 401)
    assert.equal(await status(basic('temp', 'second password')), 200)
    const [{ id } = { id: 0 }] = await users.listTokens(store(), 'temp')
    await users.revokeToken(store(), id)
    assert.equal(await status(`Bearer ${token}`), 401)
    await users.remove(store(), 'temp', null)
    assert.equal(await status(basic('temp', 'second password')), 401)
  })

  it('are checked slowly only once in a while', async () => {
    await users.create(store(), {
      name: 'slow',
      email: 'slow@example.org',
      role: 'editor',
      password: 'a slow password',
    })
    const time = async () => {
      const start = processTime()
      assert.equal(await status(basic('slow', 'a slow password')), 200)
      return processTime() - start
    }
    const first = await time()
    const rest = Math.min(await time(), await time(), await time(), await time())
    assert.ok(rest < first / 2, `${rest} ms after ${first} ms`)
    now += 301
    assert.ok((await time()) > rest)
  })
})

describe('checks', () => {
  it('come in the order of the contract', async () => {
    const service = await startService()
    const broken = { method: 'PATCH' as const, raw: '{', headers: { 'content-type': 'application/json' } }
    const { id } = await service.expect(201, 'editor', '/venues', { json: { venue: 'V' } })
    await service.expect(404, null, '/nothing', broken)
    await service.expect(405, null, '/venues', broken)
    await service.expect(401, null, '/venues/999', broken)
    await service.expect(404, 'subscriber', '/venues/999', broken)
    await service.expect(403, 'subscriber', `/venues/${id}`, broken)
    await service.expect(400, 'editor', `/venues/${id}`, broken)
    await service.expect(403, 'subscriber', '/venues', { json: {} })
    await service.expect(404, 'contributor', '/categories/999', broken)
    await service.close()
  })
})
