import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Visitor } from '../support/visitor.ts'

const PATHS = ['/', '/events/', '/docs', '/calendar/events/v1/events', '/events.ics', '/embed.js', '/healthz']
const FAILING = [
  '/nothing/',
  '/calendar/events/v1/nothing',
  '/event/none/',
  '/images/none.jpg',
  '/assets/none.css',
  '/%zz',
]

describe('headers that keep browsers safe', () => {
  const heads = async (service: Service) => {
    const visitor = new Visitor(Number(new URL(await service.listen()).port), '127.0.0.1')
    const answers = []
    // The second time from memory.
    for (const path of [...PATHS, ...PATHS, ...FAILING]) answers.push({ path, ...(await visitor.ask(path)) })
    visitor.close()
    await service.close()
    return answers
  }

  it('are on every answer, and demand https where the calendar is at such an address', async () => {
    for (const { path, headers } of await heads(
      await startService({ settings: { baseUrl: 'https://c.example.org' } }),
    )) {
      assert.match(String(headers['strict-transport-security']), /^max-age=\d{8}/, path)
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin', path)
      assert.equal(headers['x-content-type-options'], 'nosniff', path)
      const allowed = String(headers['permissions-policy']).split(', ')
      assert.ok(allowed.includes('geolocation=(self)') && allowed.includes('camera=()'), path)
      assert.deepEqual(
        allowed.filter((one) => !/^[a-z-]+=\((self)?\)$/.test(one)),
        [],
      )
    }
  })

  it('do not demand https elsewhere', async () => {
    for (const { path, headers } of await heads(await startService())) {
      assert.equal(headers['strict-transport-security'], undefined, path)
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin', path)
    }
  })
})
