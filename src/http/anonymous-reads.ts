import type { IncomingMessage } from 'node:http'
import findMyWay from 'find-my-way'
import type { CurrentSite } from '../domain/current-site.ts'
import type { Site } from '../domain/scope.ts'
import { addressesOf } from './addresses.ts'
import type { Cache } from './cache/cache.ts'
import type { Headers } from './cache/cached-response.ts'
import { type RoutedRequest, splitUrl } from './call.ts'
import { READ_HEADERS } from './cors.ts'
import { type Endpoint, MAIN_MOUNT, type Routes } from './endpoint.ts'
import { countMore, type Hits, type Sender, senderOf } from './rate-limit.ts'
import { type ReadResult, read, varyOf } from './read.ts'
import { languageOf, mountOf, rewrite } from './rewrite.ts'
import { securityHeaders } from './security-headers.ts'
import type { ServerOptions, Service } from './server-options.ts'

/** What is known of a request that Fastify takes over: how often its address was counted, and what it came to. */
interface HandedOver {
  readonly hits: Hits | null
  /** Throws the error of the endpoint. */
  readonly result: () => ReadResult
}

/** Requests that are handed over to Fastify: it sends errors, and answers for one request alone. */
export const handedOver = new WeakMap<IncomingMessage, HandedOver>()

/** Options of the router, which Fastify has, too. */
export const ROUTER_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 2000 }

/** Pattern of an endpoint's address. */
export function patternOf({ path }: Endpoint): string {
  return `${MAIN_MOUNT}${path.replace(':id', ':id(^\\d+$)')}`
}

/** Names of the query parameters that an endpoint knows. */
export function parametersOf({ parameters }: Endpoint): Set<string> {
  return new Set([...Object.keys(parameters), '_fields'])
}

/** An endpoint that anybody may read. */
interface Route {
  readonly endpoint: Endpoint
  readonly known: ReadonlySet<string>
  readonly options: RoutedRequest['routeOptions']
}

/** Finds out how a read of the REST interface is answered; null if that is left to Fastify. */
export type AnonymousRead = (
  request: IncomingMessage,
  sender: Sender,
  version: string,
) => (() => Promise<ReadResult>) | null

/**
 * Answers reads of anonymous readers without Fastify, whose hooks and objects take longer than most reads themselves. The
 * answers are the same: both ways lead to `read`.
 */
export function anonymousReads(
  service: Service,
  routes: Routes,
  cache: Cache,
  watch: (sender: Sender) => void,
  options: ServerOptions,
): AnonymousRead {
  const find = routerOf(routes.endpoints)
  const { baseUrl, bodyLimit } = options
  const addressing = { ...options, wordpressRoot: service.site.wordpressRoot }
  const security = securityHeaders(baseUrl)
  return (raw, sender, version) => {
    if (raw.method !== 'GET' || service.isMigrating()) return null
    const { languages } = service.current.last
    const site = siteAt(service.current, version)
    if (site?.languages !== languages) return null
    const url = rewrite(raw, routes, addressing)
    const found = find(splitUrl(url)[0])
    if (found === null) return null
    const { endpoint, known, options: routeOptions } = found.route
    const language = languageOf(raw, languages)
    const request: RoutedRequest = {
      method: 'GET',
      url,
      headers: raw.headers,
      params: found.params,
      body: undefined,
      language,
      mount: mountOf(raw),
      user: null,
      session: null,
      routeOptions,
    }
    const headers = (): Headers => ({
      ...security,
      'content-language': language.name,
      ...READ_HEADERS,
      vary: varyOf(request, READ_HEADERS.vary),
    })
    const context = {
      scope: { ...service, site, sender: senderOf(options, sender) },
      cache,
      addresses: addressesOf(request, baseUrl),
      known,
      bodyLimit,
      countRequests: (more: number) => countMore(service.limits, options, { ...sender, user: null }, more),
      way: 'rest',
    } as const
    watch(sender)
    return () => read(endpoint, context, request, version, headers)
  }
}

/** The site at a version of the data; null if it takes time to read it, or fails: Fastify tells why. */
function siteAt(current: CurrentSite, version: string): Site | null {
  try {
    const site = current.at(version)
    if (!(site instanceof Promise)) return site
    site.catch(() => {})
    return null
  } catch {
    return null
  }
}

/** Finds the endpoint of a path as Fastify does. */
function routerOf(
  endpoints: readonly Endpoint[],
): (path: string) => { route: Route; params: Record<string, string | undefined> } | null {
  const router = findMyWay(ROUTER_OPTIONS)
  for (const endpoint of endpoints) {
    if (endpoint.access !== 'anyone' || !endpoint.methods.includes('GET')) continue
    const url = patternOf(endpoint)
    const route: Route = { endpoint, known: parametersOf(endpoint), options: { url, config: { url, method: 'GET' } } }
    router.on('GET', url, () => {}, route)
  }
  return (path) => {
    const found = router.find('GET', path)
    return found && { route: found.store, params: found.params }
  }
}
