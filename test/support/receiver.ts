import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './service.ts'

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Json
  /** Milliseconds. */
  readonly at: number
}

/** A receiver of webhooks, which answers as it is told to. */
export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Decides each answer: a status, when it is known. 204 at first. */
  answer: (request: Received) => number | Promise<number>
  close(): Promise<void>
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString()
      const got = { headers: request.headers, text, body: JSON.parse(text), at: Date.now() }
      receiver.received.push(got)
      const status = await receiver.answer(got)
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: () => 204,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return receiver
}

/** Whether a request bears a signature by a secret, checked as the Standard Webhooks specification says. */
export function isSigned(text: string, headers: IncomingHttpHeaders, secret: string): boolean {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const own = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')
  return isRecent && (signatures ?? '').split(' ').includes(`v1,${own}`)
}
