import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import pino from 'pino'
import { type Json, startService } from '../support/service.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const API = '/calendar/events/v1'
/** Answered from memory after the first time, by the router, and with an error. */
const PATHS = [`${API}/tags`, `${API}/tags`, '/robots.txt', '/nowhere', `${API}/images`]

/** Sends requests with these headers from 127.0.0.1; answers the id of each answer, and the line of the log about it. */
async function send(trustProxy: string, headers: Record<string, string | string[]>) {
  const lines: Json[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const service = await startService({ logger, settings: { trustProxy } })
  const url = await service.listen()
  const ids: string[] = []
  for (const path of PATHS) {
    const sent = request(url + path, { headers }).end()
    const [answer] = await once(sent, 'response')
    ids.push(answer.headers['x-request-id'])
    answer.resume()
    await once(answer, 'end')
  }
  await service.close()
  const answered = lines.filter(({ msg }) => msg === 'answered')
  assert.deepEqual(answered.map(({ reqId }) => reqId).sort(), [...ids].sort())
  return { ids, answered }
}

describe('the line of a request in the log', () => {
  it('names the user who is signed in', async () => {
    const lines: Json[] = []
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const service = await startService({ logger })
    const { id } = await service.expect(200, 'editor', '/users/me')
    await service.expect(200, null, '/tags')
    await service.close()
    const answered = lines.filter(({ msg }) => msg === 'answered')
    assert.deepEqual(
      answered.map(({ req, res, user }) => [req.method, req.url, req.ip, res.statusCode, user]),
      [
        ['GET', `${API}/users/me`, '127.0.0.1', 200, id],
        ['GET', `${API}/tags`, '127.0.0.1', 200, undefined],
      ],
    )
  })
})

describe('a request that a proxy has named', () => {
  it('keeps its id in the answer and in the log, if the proxy is trusted', async () => {
    for (const id of ['5f1c2a', 'a/b+c==', 'Root=1-67891233-abcdef012345678912345678']) {
      const { ids } = await send('127.0.0.1', { 'x-request-id': id })
      assert.deepEqual([...new Set(ids)], [id])
    }
  })

  it('has a new id if the proxy is not trusted, or its id cannot be one', async () => {
    const cases: [string, string | string[]][] = [
      ['', 'mine'],
      ['192.0.2.1', 'mine'],
      ['127.0.0.1', ''],
      ['127.0.0.1', 'with space'],
      ['127.0.0.1', '"}{"level":60'],
      ['127.0.0.1', 'x'.repeat(129)],
      ['127.0.0.1', ['one', 'two']],
    ]
    for (const [trustProxy, id] of cases) {
      const { ids } = await send(trustProxy, { 'x-request-id': id })
      for (const given of ids) assert.match(given, UUID)
      assert.equal(new Set(ids).size, PATHS.length)
    }
  })

  it('has its trace in the log', async () => {
    for (const sent of [`00-${TRACE}-${PARENT}-01`, `cc-${TRACE}-${PARENT}-00-more`]) {
      const { answered } = await send('127.0.0.1', { traceparent: sent })
      for (const line of answered) assert.deepEqual([line.trace_id, line.parent_id], [TRACE, PARENT])
    }
  })

  it('has no trace if the proxy is not trusted, or what it says is none', async () => {
    const cases: [string, string][] = [
      ['', `00-${TRACE}-${PARENT}-01`],
      ['127.0.0.1', `00-${TRACE}-${PARENT}-01-more`],
      ['127.0.0.1', `ff-${TRACE}-${PARENT}-01`],
      ['127.0.0.1', `00-${'0'.repeat(32)}-${PARENT}-01`],
      ['127.0.0.1', `00-${TRACE}-${'0'.repeat(16)}-01`],
      ['127.0.0.1', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
      ['127.0.0.1', 'nonsense'],
    ]
    for (const [trustProxy, traceparent] of cases) {
      const { answered } = await send(trustProxy, { traceparent })
      for (const line of answered) assert.deepEqual([line.trace_id, line.parent_id], [undefined, undefined])
    }
  })
})
