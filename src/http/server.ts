import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Site, User } from '../domain/scope.ts'
import type { Session } from '../domain/sessions.ts'
import { ConnectionCounts } from '../lib/connection-counts.ts'
import { AppError, unavailable } from '../lib/errors.ts'
import { type AccessLog, accessLog } from './access-log.ts'
import { addressesOf } from './addresses.ts'
import { anonymousReads, handedOver } from './anonymous-reads.ts'
import { sendAnswer, sendClientError, sendError } from './answer.ts'
import { authenticate, checkAccess } from './authentication.ts'
import { Cache } from './cache/cache.ts'
import { installFastPath } from './cache/fast-path.ts'
import { type AnswerContext, splitUrl } from './call.ts'
import { limitConnections } from './connection-limit.ts'
import { closeAfterErrors, closeIdleConnections } from './connections.ts'
import { dropUnusedContentType, takeFields, takeFiles, takeForms } from './content-types.ts'
import { allowOrigins } from './cors.ts'
import { MAIN_MOUNT, METHODS, type Routes } from './endpoint.ts'
import { addFiles, addImages } from './files.ts'
import { leaveBodyOut } from './head.ts'
import { addHealth } from './health.ts'
import { measureAnswers, traceAnswers } from './measure.ts'
import { addMetrics } from './metrics.ts'
import { throwNoRoute } from './no-route.ts'
import { watchForProxy } from './proxy-warning.ts'
import { checkAddress, checkUser, countMore, type Sender, senderOf, tellIn } from './rate-limit.ts'
import { RequestLogger } from './request-logger.ts'
import { languageOf, mountOf, rewrite } from './rewrite.ts'
import { type Bodies, type Match, type Route, Router } from './router.ts'
import { securityHeaders } from './security-headers.ts'
import type { ServerOptions, Service } from './server-options.ts'
import { useSession } from './session-cookie.ts'
import { addStopping } from './stopping.ts'
import { type Tracing, tracing } from './tracing.ts'
import { useSite } from './use-site.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for an anonymous request. */
    user: User | null
    /** Session of the browser; null if the user signed in by a header, or not at all. */
    session: Session | null
    /** Settings of the site, as they are for this request. */
    site: Site
    /** Version of the data that the settings were read at; null if they were not read. */
    version: string | null
    /** Language of the response, and whether the address contains it. */
    language: { name: string; byAddress: boolean }
    /** Path of the REST interface that the request came by: `/calendar/events/v1`, or one of the further mounts. */
    mount: string
    /** The view or endpoint; null for files, health checks and unknown addresses. */
    match: Match | null
  }
  interface FastifyContextConfig {
    /** Skips authentication and limits. */
    open?: true
    /** Needs no settings of the site, or reads them itself. */
    file?: true
  }
}

/** Creates the HTTP server with its hooks and routes. */
export async function createServer(service: Service, routes: Routes, options: ServerOptions): Promise<FastifyInstance> {
  const securityHeaderSet = securityHeaders(options.baseUrl)
  const { idOf, traceOf } = tracing(options.trustProxy)
  const { wordpressRoot } = service.site
  const addressing = { ...options, wordpressRoot }
  const router = new Router(routes)
  const app = fastify({
    ...(options.logger === false ? { logger: false } : { loggerInstance: options.logger }),
    bodyLimit: options.bodyLimit,
    requestTimeout: options.requestTimeout * 1000,
    http: {
      headersTimeout: Math.min(10, options.requestTimeout) * 1000,
      connectionsCheckingInterval: 1000,
      // Creates no body stream for requests without a body. It never ends, so nothing may read it: see `dropUnusedContentType`.
      optimizeEmptyRequests: true,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    // One line per response: see logAnswers.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: idOf,
    childLoggerFactory: (logger, bindings, options, raw) =>
      new RequestLogger(() => logger.child({ ...bindings, ...traceOf(raw as IncomingMessage) }, options)),
    rewriteUrl: (request) => rewrite(request, routes, addressing),
    // Routes have no Fastify schemas (see schema/), so the compilers need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: router.options,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply.headers(securityHeaderSet)),
    clientErrorHandler: sendClientError,
  })
  closeIdleConnections(app.server)
  addStopping(app)
  const cache = new Cache(service, options.cache)
  app.addHook('onClose', async () => cache.close())
  app.decorateRequest('user', null)
  app.decorateRequest('session', null)
  app.decorateRequest('language')
  app.decorateRequest('site')
  app.decorateRequest('version', null)
  app.decorateRequest('mount', MAIN_MOUNT)
  app.decorateRequest('match', null)
  takeFields(app)
  app.setErrorHandler((error: Error, request, reply) =>
    wantsErrorPage(request, service.site)
      ? sendError(error, request, reply, (appError) =>
          routes.errorPage(appError, {
            scope: { ...service, site: request.site, user: request.user },
            addresses: addressesOf(request, options.baseUrl),
            language: request.language.name,
            session: request.session,
            path: request.method === 'GET' ? request.url : '',
          }),
        )
      : sendError(error, request, reply),
  )
  traceAnswers(app, traceOf)
  app.addHook('onRequest', async (request, reply) => {
    dropUnusedContentType(request.raw)
    request.site = service.current.last
    request.language = languageOf(request.raw, request.site.languages)
    request.mount = mountOf(request.raw)
    const match = router.matchOf(request.raw)
    if (match !== 'too-long') request.match = match
    reply.headers({ ...securityHeaderSet, 'x-request-id': request.id, 'content-language': request.language.name })
    if (match === 'too-long') throw new AppError('rest_uri_too_long')
  })
  const log = accessLog(app)
  logAnswers(app, log, traceOf)
  measureAnswers(app)
  closeAfterErrors(app)
  allowOrigins(app, options.writeOrigins, options.baseUrl)
  refuseWhileMigrating(app, service)
  const watch = watchForProxy(options, app.log)
  addAuthentication(app, service, routes, watch, options)
  addHealth(app, service)
  if (options.metrics) addMetrics(app, options.metrics)
  addFiles(app, routes.files, service.current)
  addImages(app, service)
  // Without the getter of the site, which each request has of its own: V8 copies an object with a getter slowly.
  const plain: Service = { ...service }
  for (const bodies of ['form', 'record', 'file'] as const) addRoute(app, bodies, plain, cache, options)
  if (cache.isOn)
    installFastPath(app, service, cache, anonymousReads(plain, routes, router, cache, watch, options), log, options)
  limitConnections(app.server, options.counter ?? new ConnectionCounts(options), options, app.log)
  app.stopping.watch()
  return app
}

function noSchemas(): never {
  throw new Error('routes have no schemas')
}

/** Logs one line per response. */
function logAnswers(app: FastifyInstance, log: AccessLog, traceOf: Tracing['traceOf']): void {
  app.addHook('onResponse', async (request, reply) => {
    // Of health checks, files and figures, only what is wrong is logged.
    if (request.routeOptions.logLevel) return
    const { id, raw, method, url, ip, user } = request
    const [time, trace] = [Date.now(), traceOf(raw)]
    log({ time, id, trace, method, url, ip: ip ?? '', status: reply.statusCode, user: user?.id, ms: reply.elapsedTime })
  })
}

/** The service listens during migrations, so that health checks see that it is alive. */
function refuseWhileMigrating(app: FastifyInstance, { isMigrating }: Service): void {
  app.addHook('onRequest', async (request) => {
    if (isMigrating() && !request.routeOptions.config.open) throw unavailable(MIGRATION_RETRY_AFTER)
  })
}

/** `Retry-After` during migrations, in seconds. */
const MIGRATION_RETRY_AFTER = 10

/** Authentication precedes routing, so that wrong credentials get 401 on every address. */
function addAuthentication(
  app: FastifyInstance,
  service: Service,
  { endpoints }: Routes,
  watch: (sender: Sender) => void,
  options: ServerOptions,
): void {
  const { limits } = service
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.open) return
    watch(request)
    const tell = tellIn(reply)
    checkAddress(limits, options, request, tell, handedOver.get(request.raw)?.hits)
    await useSite(service, request, reply)
    request.user = await authenticate(service, request, senderOf(options, request))
    if (request.headers.authorization === undefined) await useSession(service, request, reply, options.baseUrl)
    checkUser(limits, options, request, tell)
    // Before the body is read.
    if (request.is404) throwNoRoute(endpoints, request.url)
  })
  app.setNotFoundHandler((request) => throwNoRoute(endpoints, request.url))
}

/** Collects what answering a request needs. */
function contextOf(
  request: FastifyRequest,
  { known, way, endpoint }: Route,
  service: Service,
  cache: Cache,
  options: ServerOptions,
): AnswerContext {
  const scope = { ...service, site: request.site, sender: senderOf(options, request) }
  const countRequests = (more: number) => countMore(service.limits, options, request, more)
  const { bodyLimit } = options
  return {
    scope,
    cache,
    addresses: addressesOf(request, options.baseUrl),
    known,
    bodyLimit,
    countRequests,
    way,
    ...(endpoint && { once: endpoint.manyTransactions ? 'in-many-transactions' : 'in-one-transaction' }),
  }
}

/** Answers all views and endpoints that take such bodies. */
function addRoute(app: FastifyInstance, bodies: Bodies, service: Service, cache: Cache, options: ServerOptions): void {
  app.register(async (to) => {
    if (bodies === 'file') takeFiles(to)
    // A form of the REST interface may include an image as a file, so the larger limit applies.
    else takeForms(to, bodies === 'record' ? options.uploadLimit : options.bodyLimit)
    to.route({
      method: [...METHODS, 'HEAD'],
      url: '/*',
      constraints: { bodies },
      exposeHeadRoute: false,
      ...(bodies === 'file' && { bodyLimit: options.uploadLimit }),
      onRequest: async ({ match, user }) => {
        if (match?.route.endpoint) checkAccess(match.route.endpoint, user)
      },
      onSend: leaveBodyOut,
      handler: (request, reply) => {
        if (request.match === null) throw new Error('a request has no route')
        const { route } = request.match
        return sendAnswer(route.target, contextOf(request, route, service, cache, options), request, reply)
      },
    })
  })
}

/** Whether an error is shown as a page: the client is a browser, outside the REST interface. */
function wantsErrorPage({ url, headers }: FastifyRequest, { wordpressRoot }: Site): boolean {
  const [path] = splitUrl(url)
  const isBelow = (root: string) => path === root || path.startsWith(`${root}/`)
  if (isBelow(MAIN_MOUNT) || (wordpressRoot !== null && isBelow(wordpressRoot))) return false
  return /\btext\/html\b/.test(headers.accept ?? '')
}
