import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import * as images from '../domain/images.ts'
import type { Limits } from '../domain/limits.ts'
import type { Scope, User } from '../domain/scope.ts'
import { type ConnectionCounter, ConnectionCounts, type ConnectionLimits } from '../lib/connection-counts.ts'
import { AppError, unavailable } from '../lib/errors.ts'
import { chooseLanguage } from '../lib/texts.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { Addresses } from './addresses.ts'
import { type Answering, sendAnswer, sendClientError, sendError, splitUrl } from './answer.ts'
import { authenticate } from './authentication.ts'
import { Cache } from './cache/cache.ts'
import { installFastPath } from './cache/fast-path.ts'
import { limitConnections } from './connection-limit.ts'
import { closeAfterErrors, closeIdleConnections } from './connections.ts'
import { allowOrigins } from './cors.ts'
import { type Endpoint, METHODS, NAMESPACE, type Routes, type View } from './endpoint.ts'
import { addFiles } from './files.ts'
import { languageIn } from './language.ts'
import { watchForProxy } from './proxy-warning.ts'
import { checkAddress, checkUser, type RateLimits, senderOf } from './rate-limit.ts'
import { securityHeaders } from './security-headers.ts'
import { addStopping } from './stopping.ts'
import { tracing } from './tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sends it; null for an anonymous visitor. */
    user: User | null
    /** The language of the answer, and whether the address chose it. */
    language: { name: string; byAddress: boolean }
  }
  interface FastifyContextConfig {
    /** Answered to anyone, without looking at credentials or limits. */
    open?: true
  }
}

export interface ServerOptions extends RateLimits, ConnectionLimits {
  readonly baseUrl: string
  readonly mounts: readonly string[]
  readonly languages: readonly string[]
  readonly writeOrigins: readonly string[]
  readonly trustProxy: readonly string[]
  readonly bodyLimit: number
  readonly uploadLimit: number
  /** In seconds. */
  readonly requestTimeout: number
  /** Whether responses are cached. */
  readonly cache: boolean
  readonly logger: FastifyBaseLogger | false
  /** Counts connections with other processes; without it, those of this one are counted. */
  readonly counter?: ConnectionCounter | undefined
  /** The most connections that this process may have open. */
  readonly roomForConnections: number
}

/** What the server works on: a scope without a user, and whether it is fit to be asked. */
export interface Service extends Omit<Scope, 'user'> {
  readonly limits: Limits
  isReady(): Promise<boolean>
  /** What was wrong with the database when that was last asked, in a word. */
  trouble(): string | null
  /** Whether the tables are being changed, so that nobody can be answered. */
  isMigrating(): boolean
}

/** The HTTP server: the routes, and what is true of every request. */
export async function createServer(service: Service, routes: Routes, options: ServerOptions): Promise<FastifyInstance> {
  const safety = securityHeaders(options.baseUrl)
  const { idOf, traceOf } = tracing(options.trustProxy)
  const app = fastify({
    ...(options.logger === false ? { logger: false } : { loggerInstance: options.logger }),
    bodyLimit: options.bodyLimit,
    requestTimeout: options.requestTimeout * 1000,
    http: {
      headersTimeout: Math.min(10, options.requestTimeout) * 1000,
      connectionsCheckingInterval: 1000,
      // No stream for a body that does not come.
      optimizeEmptyRequests: true,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // One line an answer is enough: see logAnswers.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: idOf,
    childLoggerFactory: (logger, bindings, options, raw) =>
      logger.child({ ...bindings, ...traceOf(raw as IncomingMessage) }, options),
    rewriteUrl: (request) => rewrite(request, options),
    // No route has a schema: see schema/. So what would check them need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2000 },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply.headers(safety)),
    clientErrorHandler: sendClientError,
  })
  closeIdleConnections(app.server)
  addStopping(app)
  const cache = new Cache(service.clock, options.cache)
  app.addHook('onClose', async () => cache.close())
  app.decorateRequest('user', null)
  app.decorateRequest('language')
  app.removeAllContentTypeParsers()
  // Read when the right to send it is settled: see Payload.
  for (const type of [/^application\/([\w.+-]+\+)?json\b/, 'application/x-www-form-urlencoded'] as const) {
    app.addContentTypeParser(type as string, { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body)
  }
  app.setErrorHandler((error: Error, request, reply) =>
    isForPeople(request)
      ? sendError(error, request, reply, (told) =>
          routes.errorPage(told, service, addressesOf(request, options), request.language.name),
        )
      : sendError(error, request, reply),
  )
  app.addHook('onRequest', async (request, reply) => {
    request.language = languageOf(request, options.languages)
    reply.headers({ ...safety, 'x-request-id': request.id, 'content-language': request.language.name })
  })
  logAnswers(app)
  closeAfterErrors(app)
  allowOrigins(app, options.writeOrigins, options.baseUrl)
  refuseWhileMigrating(app, service)
  admitOnlyKnown(app, service, routes, options)
  addHealth(app, service)
  addFiles(app, routes.files, service.site)
  addImages(app, service)
  addViews(app, routes, service, cache, options)
  addEndpoints(app, routes, service, cache, options)
  if (cache.isOn) installFastPath(app, service, cache, options)
  limitConnections(app.server, options.counter ?? new ConnectionCounts(options), options, app.log)
  app.stopping.watch()
  return app
}

function noSchemas(): never {
  throw new Error('routes have no schemas')
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

/** The service listens while its database is brought up to date, so that whoever watches it knows that it is alive. */
function refuseWhileMigrating(app: FastifyInstance, { isMigrating }: Service): void {
  app.addHook('onRequest', async (request) => {
    if (isMigrating() && !request.routeOptions.config.open) throw unavailable(MIGRATING)
  })
}

/** When to come again while the database is brought up to date, in seconds. */
const MIGRATING = 10

/** Credentials come before the route, so that wrong ones are told on every address. */
function admitOnlyKnown(app: FastifyInstance, service: Service, { endpoints }: Routes, options: ServerOptions): void {
  const { limits } = service
  const watch = watchForProxy(options, app.log)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open) return
    watch(request)
    checkAddress(limits, options, request)
    request.user = await authenticate(service, request.headers.authorization, senderOf(options, request))
    checkUser(limits, options, request)
    // Before its body is looked at.
    if (request.is404) refuseRoute(endpoints, request.url)
  })
  app.setNotFoundHandler((request) => refuseRoute(endpoints, request.url))
}

/** How long the database may take to say that it is ready, in milliseconds. */
const READY_PATIENCE = 1500

function addHealth(app: FastifyInstance, service: Service): void {
  const isReady = withTimeout(() => service.isReady(), READY_PATIENCE, false)
  app.get('/healthz', { config: { open: true }, logLevel: 'warn' }, async () => ({ status: 'alive' }))
  app.get('/readyz', { config: { open: true }, logLevel: 'warn' }, async (_, reply) => {
    if (app.stopping.isAnnounced) return reply.code(503).header('retry-after', '5').send({ status: 'stopping' })
    const migrating = service.isMigrating()
    const ready = !migrating && (await isReady().catch(() => false))
    return reply
      .code(ready ? 200 : 503)
      .headers(ready ? {} : { 'retry-after': '5' })
      .send({
        status: ready ? 'ready' : migrating ? 'migrating' : 'not ready',
        trouble: service.trouble() ?? undefined,
      })
  })
}

const hosts = new Map<string, string>()

function hostOf(baseUrl: string): string {
  const host = hosts.get(baseUrl) ?? new URL(baseUrl).hostname
  hosts.set(baseUrl, host)
  return host
}

/** An address that chose the language goes on choosing it. */
function addressesOf({ language }: FastifyRequest, { baseUrl }: ServerOptions): Addresses {
  return {
    home: baseUrl,
    rest: `${baseUrl}${language.byAddress ? `/${language.name}` : ''}/${NAMESPACE}`,
    host: hostOf(baseUrl),
  }
}

/** What a request is answered with. */
function answeringOf(
  request: FastifyRequest,
  service: Service,
  cache: Cache,
  options: ServerOptions,
  known: ReadonlySet<string>,
): Answering {
  const scope = { ...service, sender: senderOf(options, request) }
  return { scope, cache, addresses: addressesOf(request, options), known }
}

function addViews(
  app: FastifyInstance,
  { views }: Routes,
  service: Service,
  cache: Cache,
  options: ServerOptions,
): void {
  for (const view of views) {
    const known = new Set(view.parameters)
    app.route({
      method: [...view.methods],
      url: view.path,
      handler: (request, reply) =>
        sendAnswer(inSnapshot(view), answeringOf(request, service, cache, options, known), request, reply),
    })
  }
}

/** A view reads in several places, from one snapshot. Not when a password was sent: checking it takes too long. */
function inSnapshot({ handle }: View): Pick<View, 'handle'> {
  return {
    handle: (call) =>
      call.method === 'POST'
        ? handle(call)
        : call.scope.db.snapshot((db) => handle({ ...call, scope: { ...call.scope, db } })),
  }
}

function addEndpoints(
  app: FastifyInstance,
  { endpoints }: Routes,
  service: Service,
  cache: Cache,
  options: ServerOptions,
): void {
  const add = (to: FastifyInstance, endpoint: Endpoint) => {
    const known = new Set([...Object.keys(endpoint.parameters), '_fields'])
    to.route({
      method: [...endpoint.methods],
      url: `/${NAMESPACE}${endpoint.path.replace(':id', ':id(^\\d+$)')}`,
      ...(endpoint.upload && { bodyLimit: options.uploadLimit }),
      onRequest: async ({ user }) => {
        if (endpoint.access === 'signed-in' && user === null) throw new AppError('rest_not_signed_in')
      },
      handler: (request, reply) =>
        sendAnswer(endpoint, answeringOf(request, service, cache, options, known), request, reply),
    })
  }
  // A form may bring the image of a record as a file, so it may be as large as one.
  app.register(async (records) => {
    const multipart = { parseAs: 'buffer', bodyLimit: options.uploadLimit } as const
    records.addContentTypeParser(/^multipart\/form-data/, multipart, async (_: FastifyRequest, body: Buffer) => body)
    for (const endpoint of endpoints.filter(({ upload }) => !upload)) add(records, endpoint)
  })
  // Files of any type are taken only where they are asked for; what they are is told by their bytes.
  app.register(async (files) => {
    files.addContentTypeParser(
      /^(image\/|multipart\/form-data|application\/octet-stream|text\/calendar)/,
      { parseAs: 'buffer' },
      async (_: FastifyRequest, body: Buffer) => body,
    )
    for (const endpoint of endpoints.filter(({ upload }) => upload)) add(files, endpoint)
  })
}

/** The files of images: a name is never used twice, so a file never changes. */
function addImages(app: FastifyInstance, service: Service): void {
  app.get('/images/:name', { logLevel: 'warn' }, async (request, reply) => {
    const { name } = request.params as { name: string }
    const found = await images.file(service, name)
    if (found === null) throw new AppError('rest_no_route')
    return reply
      .type(found.mime)
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        etag: `"${name}"`,
      })
      .send(found.bytes)
  })
}

/** Whether a failed request was sent by a browser, outside the REST interface. */
function isForPeople({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith(`/${NAMESPACE}`) && /\btext\/html\b/.test(headers.accept ?? '')
}

/** A known place with a method it does not support, or no place at all. */
function refuseRoute(endpoints: readonly Endpoint[], url: string): never {
  const [path] = splitUrl(url)
  const methods = endpoints.filter((endpoint) => isAt(path, endpoint)).flatMap((endpoint) => endpoint.methods)
  if (methods.length === 0) throw new AppError('rest_no_route')
  const allow = methods.join(', ')
  throw new AppError('rest_method_not_allowed', { fill: { methods: allow }, headers: { allow } })
}

function isAt(path: string, endpoint: Endpoint): boolean {
  const pattern = endpoint.path.replace(':id', '\\d+').replace(':slug', '[^/]+').replace(/^\/$/, '')
  return new RegExp(`^/${NAMESPACE}${pattern}/?$`).test(path)
}

/** Where a request's language is kept from its address until it is routed. */
const ADDRESSED = Symbol('language')
type Addressed = IncomingMessage & { [ADDRESSED]?: string }

/** The language that the address names, else the best of ours for `Accept-Language`. */
function languageOf(request: FastifyRequest, languages: readonly string[]): FastifyRequest['language'] {
  const addressed = (request.raw as Addressed)[ADDRESSED]
  if (addressed !== undefined) return { name: addressed, byAddress: true }
  return { name: chooseLanguage(request.headers['accept-language'], languages), byAddress: false }
}

/** Clients that cannot send PUT, PATCH or DELETE say so on a POST; languages and further mounts lead to the one namespace. */
function rewrite(request: IncomingMessage, { mounts, languages }: ServerOptions): string {
  const [path, search] = splitUrl(request.url ?? '/')
  if (request.method === 'POST') {
    const override = request.headers['x-http-method-override'] ?? new URLSearchParams(search).get('_method') ?? ''
    const asked = String(override).toUpperCase()
    if ((METHODS as readonly string[]).includes(asked) && asked !== 'GET') request.method = asked
  }
  const language = languageIn(path, languages)
  if (language !== undefined) (request as Addressed)[ADDRESSED] = language
  const plain = language === undefined ? path : path.slice(language.length + 1)
  const mount = mounts.find((prefix) => plain === prefix || plain.startsWith(`${prefix}/`))
  const mounted = mount === undefined ? plain : `/${NAMESPACE}${plain.slice(mount.length)}`
  return search === '' ? mounted : `${mounted}?${search}`
}
