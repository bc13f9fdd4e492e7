import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { chooseLanguage } from '../lib/texts.ts'
import { splitUrl } from './answer.ts'
import { MAIN_MOUNT, METHODS, type Routes } from './endpoint.ts'
import { languageIn } from './language.ts'

/** Hold language and mount of the address from rewrite to routing. */
const ADDRESS_LANGUAGE = Symbol('language')
const MOUNT = Symbol('mount')
type RewrittenRequest = IncomingMessage & { [ADDRESS_LANGUAGE]?: string; [MOUNT]?: string }

/** The language in the address, else the best match for `Accept-Language`. */
export function languageOf(request: FastifyRequest, languages: readonly string[]): FastifyRequest['language'] {
  const addressed = (request.raw as RewrittenRequest)[ADDRESS_LANGUAGE]
  if (addressed !== undefined) return { name: addressed, byAddress: true }
  return { name: chooseLanguage(request.headers['accept-language'], languages), byAddress: false }
}

/** The mount in the address, else the main one. */
export function mountOf(request: FastifyRequest): string {
  return (request.raw as RewrittenRequest)[MOUNT] ?? MAIN_MOUNT
}

/** Applies method overrides of POST requests, and maps languages, further mounts and foreign addresses to our own. */
export function rewrite(
  request: IncomingMessage,
  routes: Pick<Routes, 'rewrite'>,
  { mounts, languages }: { readonly mounts: readonly string[]; readonly languages: readonly string[] },
): string {
  const [path, search] = splitUrl(request.url ?? '/')
  if (request.method === 'POST') {
    const override = request.headers['x-http-method-override'] ?? new URLSearchParams(search).get('_method') ?? ''
    const asked = String(override).toUpperCase()
    if ((METHODS as readonly string[]).includes(asked) && asked !== 'GET') request.method = asked
  }
  const language = languageIn(path, languages)
  if (language !== undefined) (request as RewrittenRequest)[ADDRESS_LANGUAGE] = language
  const plain = language === undefined ? path : path.slice(language.length + 1)
  const mount = mounts.find((prefix) => plain === prefix || plain.startsWith(`${prefix}/`))
  if (mount !== undefined) (request as RewrittenRequest)[MOUNT] = mount
  const mounted = mount === undefined ? plain : `${MAIN_MOUNT}${plain.slice(mount.length)}`
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const other = isRead ? routes.rewrite(mounted, search) : null
  return other ?? (search === '' ? mounted : `${mounted}?${search}`)
}
