import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly json?: unknown
  readonly raw?: Buffer
}

export interface Received {
  /** 0 is no answer, or half of one; the body says why. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How long an answer may take, in milliseconds. */
const PATIENCE = 20_000

/** A client with an address of its own: this machine has all of 127.0.0.0/8. */
export class Visitor {
  readonly #port: number
  readonly #headers: Record<string, string>
  readonly #agent: Agent

  constructor(port: number, address: string, headers: Record<string, string> = {}) {
    this.#port = port
    this.#headers = headers
    this.#agent = new Agent({ keepAlive: true, localAddress: address })
  }

  /** Sends a request; answers what came back, whatever it was. */
  ask(path: string, { method, headers = {}, json, raw }: Sent = {}): Promise<Received> {
    const payload = json === undefined ? raw : Buffer.from(JSON.stringify(json))
    return new Promise((resolve) => {
      const fail = (error: Error) => resolve({ status: 0, headers: {}, body: String(error) })
      const sent = request({
        host: '127.0.0.1',
        port: this.#port,
        path,
        agent: this.#agent,
        method: method ?? (payload === undefined ? 'GET' : 'POST'),
        headers: {
          ...this.#headers,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...(payload !== undefined && { 'content-length': payload.length }),
          ...headers,
        },
        signal: AbortSignal.timeout(PATIENCE),
      })
      sent.on('error', fail)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          })
        })
      })
      sent.end(payload)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
