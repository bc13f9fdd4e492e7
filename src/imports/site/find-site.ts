import type { FetchedResponse } from '../../lib/safe-fetch.ts'
import { jsonOf, type SiteClient, SiteError } from './site-client.ts'

/** The REST interface of a calendar: a client for it, and what its address has answered, if that was asked. */
export interface FoundSite {
  readonly client: SiteClient
  readonly index: FetchedResponse | null
}

/** Where the interface lies below the interface of WordPress. */
const CALENDAR = 'tribe/events/v1'

/** The interface of a calendar in an address, also of one of its lists or records. */
const INTERFACE = /^(.*?\/[\w-]+\/events\/v1)(?:[/?&].*)?$/

/** Names of lists in answers of such an interface. */
const LISTS = ['events', 'venues', 'organizers', 'categories', 'tags']

/** Limit on a page that is searched for its interface, in characters. */
const MAX_PAGE = 1_000_000

/**
 * The interface that an answer of a site leads to: its own index, the index of WordPress, a list of the interface, or a
 * page that names it. Null if it leads to none.
 */
export function findSite(client: SiteClient, address: string, answer: FetchedResponse): FoundSite | null {
  const body = jsonOf(answer)
  if (typeof body?.namespace === 'string' && isObject(body.routes)) return { client: client.at(address), index: answer }
  const found = body === null ? inPage(answer) : inJson(address, body)
  if (found === null || !URL.canParse(found, address)) return null
  const target = new URL(found, address)
  checkHost(client, new URL(address), target)
  return { client: client.at(target.href), index: null }
}

/** The index of WordPress names its parts; a list or a record is told by its address. */
function inJson(address: string, body: Readonly<Record<string, unknown>>): string | null {
  const { namespaces } = body
  if (Array.isArray(namespaces)) return namespaces.includes(CALENDAR) ? below(address) : null
  const isPart = LISTS.some((list) => Array.isArray(body[list])) || 'rest_url' in body
  return isPart ? (INTERFACE.exec(address)?.[1] ?? null) : null
}

/** A page of WordPress links to its interface, in a header and in its head; one of the calendar names it in scripts. */
function inPage({ headers, bytes }: FetchedResponse): string | null {
  const page = bytes.subarray(0, MAX_PAGE).toString()
  const [, header] = /<([^<>]{1,2000})>\s*;\s*rel="?https:\/\/api\.w\.org\/"?/i.exec(String(headers.link ?? '')) ?? []
  if (header !== undefined) return below(header)
  const [named] = /https?:\\?\/\\?\/[\w.:[\]/\\~%-]{1,500}?\/tribe\\?\/events\\?\/v1/.exec(page) ?? []
  if (named !== undefined) return named.replaceAll('\\', '')
  for (const [tag] of page.matchAll(/<link\s[^<>]{0,2000}>/gi)) {
    if (!/rel=["']?https:\/\/api\.w\.org\//i.test(tag)) continue
    const [, href] = /href=["']?([^"'\s>]+)/i.exec(tag) ?? []
    if (href !== undefined) return below(href.replaceAll('&amp;', '&').replaceAll('&#038;', '&'))
  }
  return null
}

/** The calendar below the interface of WordPress, which has its path in the query on a site without permalinks. */
function below(address: string): string {
  const [path = '', query] = address.replace(/#.*$/, '').split('?')
  const route = new URLSearchParams(query).get('rest_route')
  if (route !== null) return `${path}?rest_route=${route.replace(/\/*$/, '/')}${CALENDAR}`
  return `${path.replace(/\/*$/, '/')}${CALENDAR}`
}

/** A password goes to the host that it was given for, and never without encryption if that was asked for. */
function checkHost(client: SiteClient, given: URL, found: URL): void {
  if (!client.isKnown) return
  const host = (url: URL) => url.host.replace(/^www\./, '')
  if (host(given) !== host(found) || (given.protocol === 'https:' && found.protocol !== 'https:'))
    throw new SiteError(`${given.href} leads to ${found.href}: give that address itself, if --site-user is for it`)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
