import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import type { View } from '../../src/http/endpoint.ts'
import { Router } from '../../src/http/router.ts'

const PAGE: View = { path: '/page/:slug', methods: ['GET'], handle: async () => ({ body: '' }) }

/** A router of one page, how often its views were loaded, and what Fastify is told of a request. */
function started() {
  let loads = 0
  const router = new Router({
    endpoints: [],
    views: async () => {
      loads++
      return [PAGE]
    },
    files: [],
    rewrite: () => null,
    errorPage: () => assert.fail(),
  })
  const derive = router.options.constraints.bodies.deriveConstraint as unknown as (
    request: IncomingMessage,
    context: undefined,
    done: (error: Error | null, bodies?: string) => void,
  ) => void
  const ask = (request: IncomingMessage) =>
    new Promise((resolve, reject) =>
      derive(request, undefined, (error, bodies) => (error ? reject(error) : resolve(bodies))),
    )
  return { router, ask, loads: () => loads }
}

const get = (url: string, method = 'GET') => ({ method, url }) as IncomingMessage

describe('the router', () => {
  it('loads pages once, when the first is asked for', async () => {
    const { router, ask, loads } = started()
    const requests = [get('/page/one?x=1'), get('/page/two/', 'HEAD'), get('/nothing'), get('/page/one', 'POST')]
    assert.deepEqual(await Promise.all(requests.map(ask)), ['form', 'form', '', ''])
    assert.equal(await ask(get('/page/three')), 'form')
    assert.equal(loads(), 1)
    const found = router.matchOf(requests[1] as IncomingMessage)
    assert.ok(found !== null && found !== 'too-long')
    assert.deepEqual([found.route.url, { ...found.params }], ['/page/:slug', { slug: 'two' }])
  })

  it('loads no page for a health check', async () => {
    const { ask, loads } = started()
    for (const path of ['/healthz', '/readyz', '/readyz?verbose']) assert.equal(await ask(get(path)), '')
    assert.equal(loads(), 0)
  })

  it('tells an address apart that is too long', async () => {
    const { router, ask } = started()
    const request = get(`/page/${'x'.repeat(2001)}`)
    assert.equal(await ask(request), '')
    assert.equal(router.matchOf(request), 'too-long')
  })
})
