import { toWallClock } from '../../calendar/zone.ts'
import * as eventList from '../../domain/event-list.ts'
import type { Event } from '../../domain/events.ts'
import * as events from '../../domain/events.ts'
import type { Call, View } from '../../http/endpoint.ts'
import { writeValidInSlices } from '../../http/write-valid.ts'
import { encode } from '../../lib/html.ts'
import { addressOf, collection, linksOf, PAGE_PARAMETERS, pick, WP_NAMESPACE, wideScope } from './collection.ts'

const BASE = `${WP_NAMESPACE}/tribe_events`
const PARAMETERS = ['search', 'slug', 'include', 'status', 'tags', 'tribe_events_cat'] as const

/** WordPress lists its posts whatever their dates. */
const ALL_DATES = { start_date: '0001-01-01', end_date: '9999-12-31' }

/** Events as WordPress shows its posts, without their dates and places: list and read. */
export function eventViews(root: string): View[] {
  const single = (call: Call, event: Event) => present(call, event, addressOf(call, root, BASE))
  return [
    {
      path: `${root}/${BASE}`,
      methods: ['GET'],
      parameters: [...PAGE_PARAMETERS, ...PARAMETERS],
      async handle(call) {
        const { tribe_events_cat: categories, ...query } = pick(call, [...PARAMETERS, 'page', 'per_page'])
        const all = { ...ALL_DATES, ...query, ...(categories !== undefined && { categories }) }
        const { events: found, ...page } = await eventList.list(wideScope(call), () => all)
        const items = await writeValidInSlices(call.scope, found, (event) => single(call, event))
        return collection(call, addressOf(call, root, BASE), items, page)
      },
    },
    {
      path: `${root}/${BASE}/:id(^\\d+$)`,
      methods: ['GET'],
      parameters: PAGE_PARAMETERS,
      handle: async (call) => ({ body: single(call, await events.peek(call.scope, { id: call.id })) }),
    },
  ]
}

function present({ addresses, scope }: Call, { row, whole, image, categories, tags }: Event, address: string): object {
  const time = (instant: number, zone: string) => toWallClock(instant, zone).replace(' ', 'T')
  const text = (html: string | null) => ({ rendered: whole ? (html ?? '') : '', protected: row.password_hash !== null })
  const ids = (linked: readonly { readonly id: number }[]) => (whole ? linked.map(({ id }) => id) : [])
  return {
    id: row.id,
    date: time(row.date_utc, scope.site.timezone),
    date_gmt: time(row.date_utc, 'UTC'),
    guid: { rendered: `${addresses.home}/event/${row.slug}/` },
    modified: time(row.modified_utc, scope.site.timezone),
    modified_gmt: time(row.modified_utc, 'UTC'),
    slug: row.slug,
    status: row.status,
    type: 'tribe_events',
    link: `${addresses.home}/event/${row.slug}/`,
    title: { rendered: encode(row.title) },
    content: text(row.description),
    excerpt: text(row.excerpt),
    author: row.author,
    featured_media: whole ? (image?.id ?? 0) : 0,
    comment_status: 'closed',
    ping_status: 'closed',
    template: '',
    format: 'standard',
    meta: [],
    tags: ids(tags),
    tribe_events_cat: ids(categories),
    _links: linksOf(address, row.id),
  }
}
