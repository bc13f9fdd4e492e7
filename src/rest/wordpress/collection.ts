import type { Scope } from '../../domain/scope.ts'
import type { Answer, Call } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'

/** Path of the general interface of WordPress below its root. */
export const WP_NAMESPACE = 'wp/v2'

/** WordPress gives up to 100 records a page, and its clients ask for them. */
const MAX_PER_PAGE = 100

/** Parameters of every collection. */
export const PAGE_PARAMETERS = ['page', 'per_page', '_fields', 'context'] as const

/** One page of records of a domain function. */
export interface Page {
  readonly total: number
  readonly page: number
  readonly perPage: number
}

/** Address of a path below the root of the WordPress interfaces. */
export function addressOf({ addresses }: Call, root: string, path: string): string {
  return `${addresses.pages}${root}/${path}`
}

/** The caller's scope, with the longest page that WordPress has. */
export function wideScope({ scope }: Call): Scope {
  const maxPerPage = Math.max(scope.site.maxPerPage, MAX_PER_PAGE)
  return { ...scope, site: { ...scope.site, maxPerPage } }
}

/** Parameters of the request that a domain function takes too. */
export function pick(call: Call, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(call.query()).filter(([name]) => names.includes(name)))
}

/** A collection: a plain list, with its totals in headers. A page past its end is empty. */
export function collection(
  call: Call,
  address: string,
  items: readonly object[],
  { total, page, perPage }: Page,
): Answer {
  const pages = Math.ceil(total / perPage)
  const link = (number: number, rel: string) => {
    const search = new URLSearchParams(call.search)
    search.set('page', String(number))
    return `<${address}?${search}>; rel="${rel}"`
  }
  const links = [page > 1 && link(Math.min(page - 1, pages), 'prev'), page < pages && link(page + 1, 'next')]
  return {
    headers: {
      'x-wp-total': String(total),
      'x-wp-totalpages': String(pages),
      ...(links.some(Boolean) && { link: links.filter(Boolean).join(', ') }),
    },
    body: items,
  }
}

/** Links of a record, as WordPress has them. */
export function linksOf(collectionAddress: string, id: number): object {
  return { self: [{ href: `${collectionAddress}/${id}` }], collection: [{ href: collectionAddress }] }
}

export function requireUser({ scope }: Call): NonNullable<Scope['user']> {
  if (scope.user === null) throw new AppError('rest_not_signed_in')
  return scope.user
}
