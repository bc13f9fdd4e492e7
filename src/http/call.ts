import type { FastifyRequest } from 'fastify'
import type { Scope } from '../domain/scope.ts'
import type { Clock } from '../lib/clock.ts'
import { onceWithError } from '../lib/lazy.ts'
import type { Way } from '../schema/audit.ts'
import type { Addresses } from './addresses.ts'
import { readBody, readFile, readForm } from './body.ts'
import type { Cache } from './cache/cache.ts'
import type { Call } from './endpoint.ts'

/** Everything that answering a request needs. */
export interface AnswerContext {
  readonly scope: Omit<Scope, 'user'>
  readonly cache: Cache
  readonly addresses: Addresses
  /** Names of the query parameters that the endpoint knows. */
  readonly known: ReadonlySet<string>
  /** Limit on the bytes of a body besides files. */
  readonly bodyLimit: number
  /** Counts further requests of the sender against the limits. */
  readonly countRequests: (more: number) => void
  /** How the audit log calls what the request writes. */
  readonly way: Way
  /** Set if a write is done once for each `Idempotency-Key`. */
  readonly once?: 'in-one-transaction' | 'in-many-transactions'
}

/** A request, as far as its answer depends on it. One of Fastify is such a request. */
export interface RoutedRequest
  extends Pick<
    FastifyRequest,
    'method' | 'url' | 'headers' | 'body' | 'language' | 'mount' | 'match' | 'user' | 'session'
  > {}

/** Nobody changes the parameters of a call. */
const NO_SEARCH = new URLSearchParams()

/** The request in the form that endpoints take. A cacheable read has a data version and an observed clock. */
export function callOf(
  { scope, addresses, countRequests, bodyLimit }: AnswerContext,
  request: RoutedRequest,
  search: string,
  reading: { version: string; clock: Clock } | null = null,
): Call {
  const { '*': rest = '' } = request.match?.params ?? {}
  return {
    scope: { ...scope, user: request.user, ...(reading && { clock: reading.clock }) },
    session: request.session,
    addresses,
    language: request.language.name,
    method: request.method,
    header: (name) => request.headers[name],
    path: request.url,
    ...variableParts(request.match?.params ?? {}),
    rest,
    query: () => readForm(search),
    body: onceWithError(() => readBody(request.body, request.headers['content-type'], bodyLimit)),
    file: () => readFile(request.body, request.headers['content-type'], request.headers['content-disposition']),
    search: search === '' ? NO_SEARCH : new URLSearchParams(search),
    sent: splitUrl(request.url)[1],
    countRequests,
    version: reading?.version ?? null,
  }
}

/** The variable parts of a path: an id, and a slug, version or delivery. */
export function variableParts(params: Readonly<Record<string, string | undefined>>): Pick<Call, 'id' | 'slug'> {
  const { id, version = '', delivery = version, slug = delivery } = params
  return { id: Number(id), slug }
}

/** Splits a URL into path and query string, without the question mark. */
export function splitUrl(url: string): [path: string, search: string] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}
