import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type * as Argon2 from '@node-rs/argon2'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'

/** The package as the service loads it. */
const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as { verify: typeof Argon2.verify }

describe('a sign-in that fails', () => {
  const { verify } = argon2
  let service: Service
  let hashes = 0
  let now = 2_000_000_000
  before(async () => {
    argon2.verify = (...given) => {
      hashes++
      return verify(...given)
    }
    service = await startService({
      clock: () => now,
      settings: { loginLimit: '0', rateLimit: '0', userRateLimit: '0' },
    })
    const add = (name: string) =>
      service.expect(201, 'administrator', '/users', { json: { name, email: `${name}@example.org`, role: 'editor' } })
    await add('invited')
    const path = `/users/${service.ids.author}`
    await service.expect(200, 'administrator', path, { method: 'PATCH', json: { disabled: true } })
  })
  after(async () => {
    argon2.verify = verify
    await service.close()
  })

  /** How many slow hashes a sign-in computes, and what it answers: by Basic, and by the form. */
  async function cost(name: string, password: string): Promise<[hashes: number, status: number][]> {
    const authorization = basic(name, password)
    const form = new URLSearchParams({ user: name, password }).toString()
    const costs: [number, number][] = []
    for (const request of [
      { url: '/calendar/events/v1/users/me', headers: { authorization } },
      { method: 'POST', url: '/calendar/events/v1/events', headers: { authorization } },
      {
        method: 'POST',
        url: '/sign-in',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: form,
      },
    ] as const) {
      const before = hashes
      const { statusCode } = await service.inject(request)
      costs.push([hashes - before, statusCode])
    }
    return costs
  }

  it('computes one slow hash, whether or not there is such a user', async () => {
    const wrong = await cost('editor', 'wrong')
    assert.deepEqual(
      wrong.map(([count]) => count),
      [1, 1, 1],
    )
    const names = {
      'an unknown name': 'nobody',
      'an unknown address': 'nobody@example.org',
      'the address of a user': 'editor@example.org',
      'a name in capitals': 'EDITOR',
      'a user who is disabled': 'author',
      'a user who was invited and has no password': 'invited',
      'a name with a character that databases refuse': 'edi\0tor',
      'a name in another script': 'редактор',
      'a very long name': 'x'.repeat(3000),
    }
    for (const [what, name] of Object.entries(names)) {
      for (const password of ['wrong', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA', 'x'.repeat(900)])
        assert.deepEqual(await cost(name, password), wrong, `${what}, with ${password.slice(0, 20)}`)
    }
  })

  it('computes one with the right password of a disabled user, too', async () => {
    // A right password is not checked again for five minutes.
    now += 600
    assert.deepEqual((await cost('author', PASSWORD))[0], (await cost('nobody', PASSWORD))[0])
  })

  it('computes as many for a password that looks like a token, or is empty, as for that of nobody', async () => {
    for (const password of ['kal_', `kal_${'a'.repeat(43)}`, ''])
      for (const name of ['editor', 'author', 'invited'])
        assert.deepEqual(await cost(name, password), await cost('nobody', password), `${name}: ${password}`)
  })
})

describe('a password of a protected event', () => {
  it('costs one slow hash while it is wrong, and none for what has no password', async () => {
    const service = await startService({ settings: { loginLimit: '0', rateLimit: '0' } })
    const event = { title: 'E', start_date: '2031-06-10', end_date: '2031-06-10' }
    const { id } = await service.expect(201, 'editor', '/events', { json: { ...event, password: 'open' } })
    const { id: free } = await service.expect(201, 'editor', '/events', { json: event })
    const { verify } = argon2
    let hashes = 0
    argon2.verify = (...given) => {
      hashes++
      return verify(...given)
    }
    const cost = async (path: string) => {
      const before = hashes
      await service.call(null, path)
      return hashes - before
    }
    try {
      for (const [path, count] of [
        [`/events/${id}`, 0],
        [`/events/${id}?password=wrong`, 1],
        [`/events/${id}?password=wrong`, 1],
        [`/events/${id}?password=open`, 1],
        [`/events/${id}?password=open`, 0],
        [`/events/${free}?password=wrong`, 0],
        [`/events/999?password=wrong`, 0],
      ] as const)
        assert.equal(await cost(path), count, path)
    } finally {
      argon2.verify = verify
      await service.close()
    }
  })
})
