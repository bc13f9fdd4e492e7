import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Counter, counter, gauge, type Histogram, histogram } from '../lib/metrics.ts'
import { currentTracer, type Span } from '../lib/traces.ts'
import type { Trace } from './tracing.ts'

const requests = counter('kalends_http_requests_total', 'Answered requests, by method, route and status.')
const durations = histogram('kalends_http_request_duration_seconds', 'Time to answer, by method and route.')
const connections = gauge('kalends_http_connections', 'Open connections.')

/** Figures of one method of one route. */
interface RouteFigures {
  readonly duration: Histogram
  readonly statuses: Map<number, Counter>
}

const routes = new Map<string, Map<string, RouteFigures>>()

/** Counts an answer. Looked up by map, as the fast path calls it for every request. */
export function countAnswer(method: string, route: string, status: number, ms: number): void {
  const figures = routes.get(route)?.get(method) ?? addRoute(method, route)
  figures.duration.observe(ms / 1000)
  const found = figures.statuses.get(status)
  if (found !== undefined) found.value++
  else {
    const added = requests.with({ method, route, status: String(status) })
    added.add()
    figures.statuses.set(status, added)
  }
}

function addRoute(method: string, route: string): RouteFigures {
  const figures = { duration: durations.with({ method, route }), statuses: new Map<number, Counter>() }
  const methods = routes.get(route) ?? new Map<string, RouteFigures>()
  methods.set(method, figures)
  routes.set(route, methods)
  return figures
}

/** Methods that are told apart: others could be any. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Route as a label: without the patterns of parameters. */
export function routeLabel(url: string | undefined): string {
  return (url ?? 'none').replace(/\([^)]*\)/g, '')
}

function routeOf({ match, routeOptions, is404 }: FastifyRequest): string {
  return match?.route.label ?? routeLabel(is404 ? undefined : routeOptions.url)
}

/** A span for each request that Fastify answers. The fast path adds its own. */
export function traceAnswers(app: FastifyInstance, traceOf: (request: IncomingMessage) => Trace | null): void {
  const tracer = currentTracer()
  if (tracer === null) return
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _, done) => {
    const span = tracer.begin(request.method, traceOf(request.raw))
    if (span === null) return done()
    spans.set(request, span)
    tracer.within(span, done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    if (span !== undefined) endSpan(span, request.method, routeOf(request), reply.statusCode)
    done()
  })
}

export function endSpan(span: Span, method: string, route: string, status: number): void {
  const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
  currentTracer()?.end(span, `${method} ${route}`, attributes, status >= 500)
}

/** A span for an answer of the fast path that took so many milliseconds. */
export function traceAnswer(method: string, route: string, status: number, ms: number, trace: Trace | null): void {
  const began = performance.timeOrigin + performance.now() - ms
  const span = currentTracer()?.begin(method, trace, began)
  if (span) endSpan(span, method, route, status)
}

/** Counts answers of Fastify, and connections. */
export function measureAnswers(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const method = METHODS.has(request.method) ? request.method : 'other'
    countAnswer(method, routeOf(request), reply.statusCode, reply.elapsedTime)
    done()
  })
  const open = connections.with()
  app.server.on('connection', (socket) => {
    open.add()
    socket.once('close', () => open.add(-1))
  })
}
