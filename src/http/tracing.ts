import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { requestId } from './cache/head.ts'

/** Ids that may stand in headers and in the log as they are. */
const REQUEST_ID = /^[\w.:=+/@-]{1,128}$/
/** W3C Trace Context: version, trace id, parent id and flags. Later versions may add to it. */
const TRACE_PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/

/** What the log says of a trace that a request belongs to. */
export interface Trace {
  readonly trace_id: string
  readonly parent_id: string
}

/** How requests are named. */
export interface Tracing {
  /** The id that a trusted proxy gave a request, else a new one. */
  idOf(request: IncomingMessage): string
  /** The trace that a trusted proxy says a request belongs to, if any. */
  traceOf(request: IncomingMessage): Trace | null
}

/** Takes over `X-Request-Id` and `traceparent` from trusted proxies; what others send is ignored. */
export function tracing(trustProxy: readonly string[]): Tracing {
  if (trustProxy.length === 0) return { idOf: requestId, traceOf: () => null }
  const trusts = proxyAddr.compile([...trustProxy])
  const isTrusted = ({ socket }: IncomingMessage) => trusts(socket.remoteAddress ?? '', 0)
  return {
    idOf(request) {
      const sent = request.headers['x-request-id']
      return typeof sent === 'string' && REQUEST_ID.test(sent) && isTrusted(request) ? sent : requestId()
    },
    traceOf(request) {
      const sent = request.headers.traceparent
      if (typeof sent !== 'string' || !isTrusted(request)) return null
      return readTraceParent(sent)
    },
  }
}

function readTraceParent(sent: string): Trace | null {
  const [, version = '', trace_id = '', parent_id = '', more = ''] = TRACE_PARENT.exec(sent) ?? []
  const isValid = version !== 'ff' && /[^0]/.test(trace_id) && /[^0]/.test(parent_id)
  return isValid && (version !== '00' || more === '') ? { trace_id, parent_id } : null
}
