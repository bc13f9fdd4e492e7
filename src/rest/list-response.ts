import type { Answer, Call } from '../http/endpoint.ts'
import { JsonText } from '../http/json-text.ts'
import { AppError, type ErrorCode } from '../lib/errors.ts'
import type { RenderedEvent } from './rendered/event-cache.ts'

/** One page of a list response. */
export interface ListPage {
  /** Property name of the list, and its path. */
  readonly name: string
  readonly total: number
  readonly page: number
  readonly perPage: number
  readonly pastEnd: ErrorCode
  /** Resolved parameters. Links keep all others as sent. */
  readonly settled?: Record<string, string>
  /** Cursor after this page, if the list has cursors; null on the last page. */
  readonly next?: string | null
  /** Set if the page was asked for by a cursor: then the next one is, too. */
  readonly byCursor?: boolean
}

/**
 * Limit on the `Link` header, in characters. A longer one is left out; the body has the addresses. By default, proxies
 * buffer 4 KB of response headers, and fail on more.
 */
const MAX_LINK = 3000

/** List response with totals and page links. */
export function listAnswer(call: Call, items: readonly object[], list: ListPage): Answer {
  const { headers, rest } = around(call, list)
  return { headers, body: { [list.name]: items, ...rest } }
}

/** The same for rendered events. */
export function renderedListAnswer(call: Call, items: readonly RenderedEvent[], list: ListPage): Answer {
  const { headers, rest } = around(call, list)
  const end = JSON.stringify(rest)
  let json = `{"${list.name}":[`
  // Not joined: the text would be copied once more.
  items.forEach((item, n) => {
    json += n === 0 ? item.json : `,${item.json}`
  })
  const body = new JsonText(`${json}],${end.slice(1)}`)
  const mark = `${items.map((item) => item.mark).join(';')}${end}`
  const counts: number[] = []
  for (const item of items) counts.push(...item.counts)
  return { headers, body, mark, counts }
}

/** JSON around the items of a page. */
function around(call: Call, list: ListPage): { headers: Record<string, string>; rest: object } {
  const pages = Math.ceil(list.total / list.perPage)
  if (list.page > Math.max(pages, 1)) throw new AppError(list.pastEnd, { fill: { pages } })
  const search = String(normalSearchOf(call, list))
  // A cursor replaces the page.
  const place = /(?:^|&)page=/.exec(search)
  const end = place === null ? search.length : place.index + place[0].length
  const [before, after] = [search.slice(0, end), search.slice(end)]
  const address = (page: number) =>
    `${call.addresses.rest}/${list.name}/?${before}${place === null ? '' : page}${after}`
  const byPage = list.page < pages ? address(list.page + 1) : undefined
  const next = list.byCursor ? list.next && addressAfter(call, list, list.next) : byPage
  const previous = list.page > 1 ? address(list.page - 1) : undefined
  const links = [next && `<${next}>; rel="next"`, previous && `<${previous}>; rel="prev"`].filter(Boolean).join(', ')
  return {
    headers: {
      'x-tec-total': String(list.total),
      'x-tec-totalpages': String(pages),
      ...(links !== '' && links.length <= MAX_LINK && { link: links }),
    },
    rest: {
      rest_url: address(list.page),
      ...(next && { next_rest_url: next }),
      ...(previous && { previous_rest_url: previous }),
      ...(list.next && { next_cursor: list.next }),
      total: list.total,
      total_pages: pages,
    },
  }
}

/** Parameters of the addresses of pages, in their normal form: see normal-address.ts. */
function normalSearchOf(call: Call, list: ListPage): URLSearchParams {
  const search = new URLSearchParams(call.search)
  search.set('per_page', String(list.perPage))
  for (const name in list.settled) search.set(name, list.settled[name] ?? '')
  if (list.byCursor) search.delete('page')
  else search.set('page', '')
  search.sort()
  return search
}

function addressAfter(call: Call, list: ListPage, cursor: string): string {
  const search = normalSearchOf(call, list)
  search.set('cursor', cursor)
  search.sort()
  return `${call.addresses.rest}/${list.name}/?${search}`
}
