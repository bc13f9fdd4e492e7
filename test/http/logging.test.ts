import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import pino from 'pino'
import { type Json, startService } from '../support/service.ts'

/** What a client may put into a header, and what would end a text or a line of the log. */
const HOSTILE = ['9.9.9.9"}}{"level":60', 'back\\slash\\', 'tab\there', '\x07\x1b[31m', 'é\u0085ü', '{}"', "'", ' ']

describe('a line of the log', () => {
  it('is whole, whatever a forwarded address says, from memory and otherwise', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(...line.trim().split('\n')) })
    const service = await startService({ logger, settings: { trustProxy: '127.0.0.1', rateLimit: '0' } })
    const { port } = new URL(await service.listen())
    const send = async (forwarded: string) => {
      const socket = connect(Number(port), '127.0.0.1')
      const head = [
        'GET /calendar/events/v1/tags HTTP/1.1',
        'Host: x',
        `X-Forwarded-For: ${forwarded}`,
        'Connection: close',
      ]
      socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'))
      return Buffer.concat(await socket.toArray()).toString()
    }
    let answered = 0
    for (const forwarded of HOSTILE) {
      for (let n = 0; n < 2; n++) if (/^HTTP\/1\.1 200/.test(await send(forwarded))) answered++
    }
    await service.close()
    const read: Json[] = lines.map((line) => JSON.parse(line))
    const told = read.filter((line) => line.msg === 'answered')
    assert.ok(answered >= 2 * (HOSTILE.length - 2), String(answered))
    assert.equal(told.length, answered)
    for (const line of told) {
      assert.equal(line.level, 30)
      assert.deepEqual([line.req.method, line.res.statusCode], ['GET', 200])
    }
    assert.ok(told.some((line) => line.req.ip?.includes('"level":60')))
  })
})
