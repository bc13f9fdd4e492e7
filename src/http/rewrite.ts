import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { chooseLanguage } from '../lib/texts.ts'
import { splitUrl } from './call.ts'
import { MAIN_MOUNT, METHODS, type Routes } from './endpoint.ts'
import { languageIn } from './language.ts'

/** Hold language and mount of the address from rewrite to routing. */
const ADDRESS_LANGUAGE = Symbol('language')
const MOUNT = Symbol('mount')
type RewrittenRequest = IncomingMessage & { [ADDRESS_LANGUAGE]?: string; [MOUNT]?: string }

/** The language in the address, else the best match for `Accept-Language`. */
export function languageOf(request: IncomingMessage, languages: readonly string[]): FastifyRequest['language'] {
  const addressed = (request as RewrittenRequest)[ADDRESS_LANGUAGE]
  if (addressed !== undefined) return { name: addressed, byAddress: true }
  return { name: chooseLanguage(request.headers['accept-language'], languages), byAddress: false }
}

/** The mount in the address, else the main one. */
export function mountOf(request: IncomingMessage): string {
  return (request as RewrittenRequest)[MOUNT] ?? MAIN_MOUNT
}

/** Parts of addresses that are settings. */
interface Addressing {
  readonly mounts: readonly string[]
  readonly languages: readonly string[]
  readonly wordpressRoot: string | null
}

/**
 * Path and query of `/?rest_route=/tribe/events/v1/events`, by which WordPress without readable addresses is asked. Null
 * for all others.
 */
function byRoute(path: string, search: string, root: string): [path: string, search: string] | null {
  if (!search.includes('rest_route=') || !/^\/(?:index\.php)?$/.test(path)) return null
  const given = new URLSearchParams(search)
  const route = given.get('rest_route') ?? ''
  if (!route.startsWith('/')) return null
  given.delete('rest_route')
  return [`${root}${route.split('/').map(encodeURIComponent).join('/')}`, given.toString()]
}

/** Applies method overrides of POST requests, and maps languages, further mounts and foreign addresses to our own. */
export function rewrite(
  request: IncomingMessage,
  routes: Pick<Routes, 'rewrite'>,
  { mounts, languages, wordpressRoot }: Addressing,
): string {
  const [path, sent] = splitUrl(request.url ?? '/')
  if (request.method === 'POST') {
    const override = request.headers['x-http-method-override'] ?? new URLSearchParams(sent).get('_method') ?? ''
    const asked = String(override).toUpperCase()
    if ((METHODS as readonly string[]).includes(asked) && asked !== 'GET') request.method = asked
  }
  const language = languageIn(path, languages)
  if (language !== undefined) (request as RewrittenRequest)[ADDRESS_LANGUAGE] = language
  const asked = language === undefined ? path : path.slice(language.length + 1)
  const [plain, search] = (wordpressRoot !== null && byRoute(asked, sent, wordpressRoot)) || [asked, sent]
  const mount = mounts.find((prefix) => plain === prefix || plain.startsWith(`${prefix}/`))
  if (mount !== undefined) (request as RewrittenRequest)[MOUNT] = mount
  const mounted = mount === undefined ? plain : `${MAIN_MOUNT}${plain.slice(mount.length)}`
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const other = isRead ? routes.rewrite(mounted, search) : null
  return other ?? (search === '' ? mounted : `${mounted}?${search}`)
}
