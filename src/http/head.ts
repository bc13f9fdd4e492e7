import { Readable } from 'node:stream'
import type { onSendHookHandler } from 'fastify'

/** Answers HEAD with the headers of the body, and without it. A hook: Fastify would add a second route for HEAD. */
export const leaveBodyOut: onSendHookHandler<unknown> = ({ method }, reply, payload, done) => {
  if (method !== 'HEAD' || payload === null) return done(null, payload)
  if (typeof payload === 'string' || Buffer.isBuffer(payload))
    reply.header('content-length', Buffer.byteLength(payload))
  else if (payload instanceof Readable) payload.destroy()
  done(null, null)
}
