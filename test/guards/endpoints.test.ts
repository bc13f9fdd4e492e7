import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { endpoints } from '../../src/rest/endpoints.ts'
import { LINKED_KINDS } from '../../src/schema/linked.ts'
import { type Service, startService } from '../support/service.ts'

/** Paths of one's own account, which every user has. */
const OWN = ['/users/me', '/users/me/tokens', '/users/me/tokens/:id']

describe('every endpoint', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  it('declares who may call it', () => {
    for (const { name, access } of endpoints) assert.ok(['anyone', 'signed-in', 'by-password'].includes(access), name)
  })

  it('that writes takes a user', () => {
    const open = endpoints.filter(
      ({ access, methods }) => access === 'anyone' && methods.some((method) => method !== 'GET'),
    )
    assert.deepEqual(open, [])
  })

  for (const endpoint of endpoints.filter(({ access }) => access !== 'anyone')) {
    for (const method of endpoint.methods) {
      const path = endpoint.path.replace(':id', '1').replace(/:(slug|delivery|version)/, 'some')
      it(`refuses ${method} ${endpoint.path} to a visitor and, unless it is their own, to a subscriber, whatever they send`, async () => {
        const visitor = await service.call(null, path, {
          method,
          raw: '{',
          headers: { 'content-type': 'application/json' },
        })
        assert.equal(visitor.statusCode, 401)
        assert.equal(visitor.json().code, 'rest_forbidden')
        const subscriber = await service.call('subscriber', path, { method, json: {} })
        // Each request of a batch is refused by itself.
        if (endpoint.path === '/batch') assert.equal(subscriber.statusCode, 400, subscriber.body)
        else if (OWN.includes(endpoint.path))
          assert.ok([200, 201, 404].includes(subscriber.statusCode), subscriber.body)
        else assert.ok([403, 404].includes(subscriber.statusCode), subscriber.body)
      })
    }
  }

  it('has a name of its own', () => {
    const names = endpoints.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)])
  })

  it('is one of the specification, of changes, of versions, of webhooks, of images, of imports or of users, and all of the specification are there', () => {
    const paths = [...new Set(endpoints.map(({ path }) => path))].sort()
    const records = ['events', ...LINKED_KINDS.map((kind) => `${kind}s`)].flatMap((name) => [
      `/${name}`,
      `/${name}/:id`,
      `/${name}/by-slug/:slug`,
      ...['', '/:version', '/:version/restore'].map((rest) => `/${name}/:id/versions${rest}`),
    ])
    for (const name of ['venue', 'organizer'] as const) assert.ok(LINKED_KINDS.includes(name), name)
    const terms = ['categories', 'tags'].flatMap((name) => [`/${name}`, `/${name}/:id`])
    const users = ['/users', '/users/:id', '/users/me', '/users/me/tokens', '/users/me/tokens/:id']
    const others = ['/', '/audit', '/changes', '/doc', '/images', '/images/:id', '/import', '/batch']
    const hook = '/webhooks/:id'
    const webhooks = ['/webhooks', hook, `${hook}/rotate`, `${hook}/deliveries`, `${hook}/deliveries/:delivery/resend`]
    assert.deepEqual(paths, [...others, ...webhooks, ...users, ...records, ...terms].sort())
  })
})
