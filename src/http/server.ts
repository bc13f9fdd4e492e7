import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Scope, User } from '../domain/scope.ts'
import { AppError } from '../lib/errors.ts'
import { chooseLanguage } from '../lib/texts.ts'
import { authenticate } from './authentication.ts'
import { readBody, readForm } from './body.ts'
import { allowOrigins } from './cors.ts'
import { type Addresses, type Call, type Endpoint, METHODS, NAMESPACE } from './endpoint.ts'
import { asAppError, errorBody } from './errors.ts'
import { type RateLimits, rateLimits } from './rate-limit.ts'
import { endpoints } from './routes.ts'
import { sparse } from './sparse.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends it; null for an anonymous visitor. */
    user: User | null
  }
  interface FastifyContextConfig {
    /** Answered to anyone, without looking at credentials or limits. */
    open?: true
  }
}

export interface ServerOptions extends RateLimits {
  readonly baseUrl: string
  readonly mounts: readonly string[]
  readonly writeOrigins: readonly string[]
  readonly trustProxy: readonly string[]
  readonly bodyLimit: number
  /** In seconds. */
  readonly requestTimeout: number
  readonly logger: FastifyBaseLogger | false
}

/** What the server works on: a scope without a user, and whether it is fit to be asked. */
export interface Service extends Omit<Scope, 'user'> {
  isReady(): Promise<boolean>
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The HTTP server: every endpoint, and what is true of every request. */
export async function createServer(service: Service, options: ServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    ...(options.logger === false ? { logger: false } : { loggerInstance: options.logger }),
    bodyLimit: options.bodyLimit,
    requestTimeout: options.requestTimeout * 1000,
    http: { headersTimeout: Math.min(10, options.requestTimeout) * 1000, connectionsCheckingInterval: 1000 },
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    disableRequestLogging: true,
    genReqId: () => randomUUID(),
    rewriteUrl: (request) => rewrite(request, options.mounts),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000, querystringParser: readForm },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  })
  app.decorateRequest('user', null)
  app.removeAllContentTypeParsers()
  // Read when the right to send it is settled: see Payload.
  for (const type of [/^application\/([\w.+-]+\+)?json\b/, 'application/x-www-form-urlencoded'] as const) {
    app.addContentTypeParser(type as string, { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body)
  }
  app.setErrorHandler(sendError)
  app.addHook(
    'onRequest',
    async (request, reply) => void reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id }),
  )
  logAnswers(app)
  await allowOrigins(app, options.writeOrigins, options.baseUrl)
  await admitOnlyKnown(app, service, options)
  addHealth(app, service)
  addEndpoints(app, service, options)
  return app
}

/** One line a request, when it is answered. */
function logAnswers(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      { req: request, res: reply, user: request.user?.id, ms: Math.round(reply.elapsedTime * 10) / 10 },
      'answered',
    )
  })
}

/** Credentials come before the route, so that wrong ones are told on every address. */
async function admitOnlyKnown(app: FastifyInstance, service: Service, options: ServerOptions): Promise<void> {
  const { byAddress, byUser } = await rateLimits(app, options)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open) return
    await byAddress(request)
    request.user = await authenticate(service, request.headers.authorization)
    await byUser(request)
    // Before its body is looked at.
    if (request.is404) throw new AppError('rest_no_route')
  })
  app.setNotFoundHandler(() => {
    throw new AppError('rest_no_route')
  })
}

function addHealth(app: FastifyInstance, service: Service): void {
  app.get('/healthz', { config: { open: true }, logLevel: 'warn' }, async () => ({ status: 'alive' }))
  app.get('/readyz', { config: { open: true }, logLevel: 'warn' }, async (_, reply) => {
    const ready = await service.isReady().catch(() => false)
    return reply
      .code(ready ? 200 : 503)
      .headers(ready ? {} : { 'retry-after': '5' })
      .send({ status: ready ? 'ready' : 'not ready' })
  })
}

function addEndpoints(app: FastifyInstance, service: Service, options: ServerOptions): void {
  const addresses: Addresses = {
    home: options.baseUrl,
    rest: `${options.baseUrl}/${NAMESPACE}`,
    host: new URL(options.baseUrl).hostname,
  }
  for (const [path, group] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const url = `/${NAMESPACE}${path.replace(':id', ':id(^\\d+$)')}`
    const supported = group.flatMap((endpoint) => endpoint.methods)
    for (const endpoint of group) {
      app.route({
        method: [...endpoint.methods],
        url,
        onRequest: async ({ user }) => {
          if (endpoint.access === 'signed-in' && user === null) throw new AppError('rest_not_signed_in')
        },
        handler: (request, reply) => answer(endpoint, service, addresses, request, reply),
      })
    }
    const refuseMethod = async () => {
      throw new AppError('rest_method_not_allowed', {
        fill: { methods: supported.join(', ') },
        headers: { allow: supported.join(', ') },
      })
    }
    const unsupported = METHODS.filter((method) => !supported.includes(method))
    if (unsupported.length > 0) app.route({ method: unsupported, url, onRequest: refuseMethod, handler: refuseMethod })
  }
}

async function answer(
  endpoint: Endpoint,
  service: Service,
  addresses: Addresses,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { params, query, raw, headers } = request as FastifyRequest<{
    Params: { id?: string; slug?: string }
    Querystring: Record<string, unknown>
  }>
  const search = raw.url?.split('?')[1] ?? ''
  const call: Call = {
    scope: { ...service, user: request.user },
    addresses,
    language: chooseLanguage(headers['accept-language']),
    id: Number(params.id),
    slug: params.slug ?? '',
    query: () => query,
    body: () => readBody(request.body, headers['content-type']),
    search: new URLSearchParams(search),
  }
  const { status = 200, headers: own = {}, body } = await endpoint.handle(call)
  const fields = typeof query._fields === 'string' ? query._fields : ''
  return reply
    .code(status)
    .headers(own)
    .send(fields === '' ? body : sparse(body, fields))
}

async function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const told = asAppError(error)
  if (told.status >= 500) request.log.error({ err: error }, 'request failed')
  if (told.status === 401) reply.header('www-authenticate', 'Basic realm="Kalends", charset="UTF-8"')
  return reply
    .code(told.status)
    .headers(told.details.headers ?? {})
    .send(errorBody(told, chooseLanguage(request.headers['accept-language']), request.id))
}

/** Clients that cannot send PUT, PATCH or DELETE say so on a POST; further mounts lead to the one namespace. */
function rewrite(request: IncomingMessage, mounts: readonly string[]): string {
  const url = request.url ?? '/'
  const [path = '', search = ''] = url.split('?', 2)
  if (request.method === 'POST') {
    const asked = (request.headers['x-http-method-override'] ?? new URLSearchParams(search).get('_method') ?? '')
      .toString()
      .toUpperCase()
    if ((METHODS as readonly string[]).includes(asked) && asked !== 'GET') request.method = asked
  }
  const mount = mounts.find((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  return mount === undefined ? url : `/${NAMESPACE}${url.slice(mount.length)}`
}
