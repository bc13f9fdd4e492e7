import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { basic, type Service, startService } from '../support/service.ts'

/** How long an answer may take, in milliseconds: far less than the time after which a request is given up. */
const LIMIT = 10_000

const METHODS = ['GET', 'HEAD', 'DELETE', 'POST', 'PUT', 'PATCH', 'OPTIONS']
const TYPES = [
  null,
  'application/json',
  'application/json; charset=utf-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/calendar',
  'text/plain',
  'nonsense',
]
/** Ways to send nothing: header lines, and the bytes after them. */
const BODIES: Record<string, [lines: string, bytes: string]> = {
  'no body': ['', ''],
  'Content-Length: 0': ['Content-Length: 0\r\n', ''],
  'an empty chunked body': ['Transfer-Encoding: chunked\r\n', '0\r\n\r\n'],
}

describe('a request without a body', () => {
  let service: Service
  let port: number
  before(async () => {
    service = await startService()
    port = Number(new URL(await service.listen()).port)
  })
  after(() => service.close())

  /** The status of the answer. The connection stays open until it is there. */
  function ask(method: string, path: string, type: string | null, [lines, bytes]: [string, string]): Promise<number> {
    const head = [
      `${method} /calendar/events/v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('administrator')}\r\n`,
      type === null ? '' : `Content-Type: ${type}\r\n`,
      lines,
    ]
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head.join('')}\r\n${bytes}`))
      const timer = setTimeout(() => socket.destroy(new Error('there is no answer')), LIMIT)
      socket.once('data', (data) => {
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1]))
        socket.destroy()
      })
      socket.once('error', reject)
      socket.once('close', () => clearTimeout(timer))
    })
  }

  for (const [name, body] of Object.entries(BODIES)) {
    it(`is answered with every method and content type: ${name}`, async () => {
      for (const path of ['/events', '/events/99', '/tags', '/import', '/images', '/nothing']) {
        const asked = METHODS.flatMap((method) => TYPES.map((type) => ({ method, type })))
        await Promise.all(
          asked.map(async ({ method, type }) => {
            const status = await ask(method, path, type, body)
            assert.ok(status >= 200 && status < 500, `${method} ${path} ${type}: ${status}`)
          }),
        )
      }
    })

    it(`removes what it names, whatever its content type: ${name}`, async () => {
      for (const type of TYPES) {
        const { id } = await service.expect(201, 'administrator', '/tags', { json: { name: `${name} ${type}` } })
        assert.equal(await ask('DELETE', `/tags/${id}`, type, body), 200, `${type}`)
        assert.equal((await service.call('administrator', `/tags/${id}`)).statusCode, 404)
      }
    })
  }
  it('is answered alike with every content type: an empty chunked body', async () => {
    const { id } = await service.expect(201, 'administrator', '/tags', { json: { name: 'Unchanged' } })
    const body = BODIES['an empty chunked body'] ?? ['', '']
    for (const [method, path, status] of [
      ['POST', `/tags/${id}`, 200],
      ['PATCH', `/tags/${id}`, 200],
      ['POST', '/tags', 400],
      ['POST', '/images', 400],
      ['POST', '/import', 400],
    ] as const)
      for (const type of [...TYPES, 'multipart/form-data'])
        assert.equal(await ask(method, path, type, body), status, `${method} ${path} ${type}`)
  })

  it('is told from one with a body of an unknown type, which is refused', async () => {
    const { id } = await service.expect(201, 'administrator', '/tags', { json: { name: 'Kept' } })
    for (const type of [null, 'text/plain', 'nonsense']) {
      for (const body of [
        ['Transfer-Encoding: chunked\r\n', '1\r\nx\r\n0\r\n\r\n'],
        ['Content-Length: 1\r\n', 'x'],
      ] as [string, string][])
        assert.equal(await ask('DELETE', `/tags/${id}`, type, body), 415, `${type}`)
    }
    assert.equal((await service.call('administrator', `/tags/${id}`)).statusCode, 200)
  })
})
