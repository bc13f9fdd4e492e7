import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { RECORD_KINDS } from '../schema/linked.ts'
import { contextOf } from './context.ts'
import { FEATURED, feedIn } from './plugin-names.ts'
import { nearestPage } from './plugin-pages.ts'
import { redirectTo } from './redirect.ts'

async function view(call: Call, path: string = call.rest): Promise<Answer> {
  const context = contextOf(call)
  const nearest = nearestPage(path, call.sent, context.today)
  if (nearest === null) throw new AppError('rest_no_route')
  // The days of past events change with the day.
  return redirectTo(context.link(nearest), /\bend_date=/.test(nearest) ? 302 : 301)
}

/** Address of a feed or page of a record; the plugin adds the day to that of a recurring event. */
function below(kind: string): View['handle'] {
  return async (call) => {
    const path = `/${kind}/${encodeURIComponent(call.slug)}`
    const rest = call.rest.replace(/\/$/, '')
    const [, page] = /^(?:list\/)?page\/([1-9]\d{0,8})$/.exec(rest) ?? []
    const isSame = kind === 'event' ? /^(\d{4}-\d{2}-\d{2}(\/\d+)?|all)$/.test(rest) : rest === 'list'
    const feed = feedIn(rest.split('/'))
    const extension = feed?.steps.length === 0 ? feed.extension : null
    const target = isSame ? `${path}/` : extension === 'ics' ? `${path}.ics` : null
    const listed = kind === 'event' ? null : extension ? `${path}.${extension}` : page && `${path}/?page=${page}`
    if (!target && !listed) throw new AppError('rest_no_route')
    return redirectTo(contextOf(call).link(String(target ?? listed)))
  }
}

/** Pages of the WordPress calendar plugin that have another address here. Routes of our own come first. */
export const pluginViews: readonly View[] = [
  { path: '/events/*', methods: ['GET'], handle: (call) => view(call) },
  // Our views of days would take the step for a date.
  ...['month', 'week', 'day'].map((name): View => {
    const path = `${name}/${FEATURED}`
    return { path: `/events/${path}`, methods: ['GET'], handle: (call) => view(call, path) }
  }),
  ...[...RECORD_KINDS, 'tag'].map(
    (kind): View => ({ path: `/${kind}/:slug/*`, methods: ['GET'], handle: below(kind) }),
  ),
]
