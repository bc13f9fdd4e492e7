import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'

const PROBLEM = { accept: 'application/problem+json' }

describe('an error, where problem details are asked for', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  it('has code, params and the rest of RFC 9457', async () => {
    const headers = { ...PROBLEM, 'accept-language': 'de' }
    const answer = await service.call('editor', '/events', { json: { title: '', start_date: 'x' }, headers })
    assert.equal(answer.statusCode, 400)
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
    const { detail, params, ...rest } = answer.json()
    assert.deepEqual(rest, {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'rest_missing_callback_param',
    })
    assert.match(detail, /end_date/)
    assert.deepEqual(Object.keys(params).sort(), ['end_date', 'start_date', 'title'])
    assert.match(params.start_date, /Datum/)
  })

  it('is so on every address, and for every reader', async () => {
    for (const [role, path, status] of [
      [null, '/nowhere', 404],
      [null, '/events/999', 404],
      [null, '/users/me', 401],
      ['subscriber', '/users', 403],
      [null, '/events?per_page=x', 400],
    ] as const) {
      const answer = await service.call(role, path, {
        headers: { accept: 'application/json, application/problem+json;q=0.9' },
      })
      assert.equal(answer.statusCode, status)
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
      assert.equal(answer.json().status, status)
      assert.equal(typeof answer.json().code, 'string')
    }
  })

  it('is as before for everybody else', async () => {
    for (const accept of ['*/*', 'application/json', 'application/problem+json;q=0']) {
      const answer = await service.call(null, '/events/999', { headers: { accept } })
      assert.match(String(answer.headers['content-type']), /^application\/json/)
      assert.equal(answer.json().data.status, 404)
    }
  })
})

describe('the RateLimit headers', () => {
  it('tell the limits and what is left of them, also of cached answers and beyond the limit', async () => {
    const service = await startService({ settings: { rateLimitLoopback: 'yes', rateLimit: '6', userRateLimit: '9' } })
    try {
      const url = `${await service.listen()}/calendar/events/v1`
      const left: number[] = []
      for (let n = 0; n < 5; n++) {
        const { status, headers } = await fetch(`${url}/events`)
        assert.equal(status, 200)
        assert.equal(headers.get('ratelimit-policy'), '"address";q=6;w=60')
        const [, r, t] = /^"address";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? []
        assert.ok(Number(t) >= 1 && Number(t) <= 60)
        left.push(Number(r))
      }
      assert.deepEqual(left, [5, 4, 3, 2, 1])
      const user = await service.call('editor', '/events')
      assert.equal(user.headers['ratelimit-policy'], '"address";q=6;w=60, "user";q=9;w=60')
      assert.match(String(user.headers.ratelimit), /^"address";r=0;t=\d+, "user";r=8;t=\d+$/)
      const over = await fetch(`${url}/events`)
      assert.equal(over.status, 429)
      assert.match(over.headers.get('ratelimit') ?? '', /^"address";r=0;t=\d+$/)
    } finally {
      await service.close()
    }
  })

  it('are there for requests that do not count, and not without limits', async () => {
    const service = await startService()
    const answer = await service.call(null, '/events')
    assert.equal(answer.headers.ratelimit, '"address";r=600;t=60')
    await service.close()
    const open = await startService({ settings: { rateLimit: '0', userRateLimit: '0' } })
    assert.equal((await open.call('editor', '/events')).headers.ratelimit, undefined)
    await open.close()
  })
})
