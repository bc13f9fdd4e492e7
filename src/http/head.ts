import { Readable } from 'node:stream'
import type { onSendHookHandler } from 'fastify'
import type { Method } from './endpoint.ts'

/** What a route answers: a read is answered for HEAD, too. */
export interface HeadRoute {
  readonly method: string[]
  readonly exposeHeadRoute: false
  readonly onSend?: onSendHookHandler
}

/** One route for GET and HEAD. Fastify would add a second route for HEAD, and routes are a good part of a start. */
export function withHead(methods: readonly Method[]): HeadRoute {
  if (!methods.includes('GET')) return { method: [...methods], exposeHeadRoute: false }
  return { method: [...methods, 'HEAD'], exposeHeadRoute: false, onSend: leaveBodyOut }
}

/** Keeps the headers that the body has. */
const leaveBodyOut: onSendHookHandler<unknown> = ({ method }, reply, payload, done) => {
  if (method !== 'HEAD' || payload === null) return done(null, payload)
  if (typeof payload === 'string' || Buffer.isBuffer(payload))
    reply.header('content-length', Buffer.byteLength(payload))
  else if (payload instanceof Readable)
    payload.on('error', (error) => reply.log.error({ err: error }, 'the body of HEAD failed')).resume()
  done(null, null)
}
