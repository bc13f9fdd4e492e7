import type { IncomingMessage } from 'node:http'
import type { CurrentSite } from '../domain/current-site.ts'
import type { Site } from '../domain/scope.ts'
import { addressesOf } from './addresses.ts'
import type { Cache } from './cache/cache.ts'
import type { Headers } from './cache/cached-response.ts'
import { type RoutedRequest, splitUrl } from './call.ts'
import { READ_HEADERS } from './cors.ts'
import type { Routes } from './endpoint.ts'
import { countMore, type Hits, type Sender, senderOf } from './rate-limit.ts'
import { type ReadResult, read, varyOf } from './read.ts'
import { languageOf, mountOf, rewrite } from './rewrite.ts'
import type { Router } from './router.ts'
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

/** Finds out how a read is answered; null if that is left to Fastify. */
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
  router: Router,
  cache: Cache,
  watch: (sender: Sender) => void,
  options: ServerOptions,
): AnonymousRead {
  const { baseUrl, bodyLimit } = options
  const addressing = { ...options, wordpressRoot: service.site.wordpressRoot }
  const security = securityHeaders(baseUrl)
  /** Headers of every response, by what they depend on. */
  const shared = new Map<string, Headers>()
  /** Most requests in turn have the same. */
  let last: {
    readonly name: string
    readonly byAddress: boolean
    readonly route: unknown
    readonly headers: Headers
  } | null = null
  const headersFor = (request: RoutedRequest): Headers => {
    const { name, byAddress } = request.language
    const route = request.match?.route
    if (last?.name === name && last.byAddress === byAddress && last.route === route) return last.headers
    const vary = varyOf(request, READ_HEADERS.vary)
    const key = `${name} ${vary}`
    const headers = shared.get(key) ?? { ...security, 'content-language': name, ...READ_HEADERS, vary }
    shared.set(key, headers)
    last = { name, byAddress, route, headers }
    return headers
  }
  return (raw, sender, version) => {
    if (raw.method !== 'GET' || service.isMigrating()) return null
    const { languages } = service.current.last
    const site = siteAt(service.current, version)
    if (site?.languages !== languages) return null
    const url = rewrite(raw, routes, addressing)
    const match = router.find('GET', splitUrl(url)[0])
    if (match === null || match === 'too-long') return null
    const { target, known, way, isPlain } = match.route
    if (!isPlain) return null
    const language = languageOf(raw, languages)
    const request: RoutedRequest = {
      method: 'GET',
      url,
      headers: raw.headers,
      body: undefined,
      language,
      mount: mountOf(raw),
      user: null,
      session: null,
      match,
    }
    const context = {
      scope: { ...service, site, sender: senderOf(options, sender) },
      cache,
      addresses: addressesOf(request, baseUrl),
      known,
      bodyLimit,
      countRequests: (more: number) => countMore(service.limits, options, { ...sender, user: null }, more),
      way,
    }
    watch(sender)
    return () => read(target, context, request, version, () => headersFor(request), cache.responses.buffers)
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
