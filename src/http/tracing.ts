import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { requestId } from './cache/head.ts'

/** Ids that are safe in headers and logs. */
const REQUEST_ID = /^[\w.:=+/@-]{1,128}$/
/** W3C Trace Context: version, trace id, parent id and flags. Later versions may append to it. */
const TRACE_PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/

/** Log fields of the trace that a request belongs to. */
export interface Trace {
  readonly trace_id: string
  readonly parent_id: string
}

export interface Tracing {
  /** Request id: the one of a trusted proxy, else a new one. */
  idOf(request: IncomingMessage): string
  /** Trace context of a trusted proxy, if any. */
  traceOf(request: IncomingMessage): Trace | null
}

/** Accepts `X-Request-Id` and `traceparent` from trusted proxies only. */
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
