import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { contextOf } from './context.ts'
import { nearestPage } from './plugin-pages.ts'
import { redirectTo } from './redirect.ts'

async function view(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const nearest = nearestPage(call.rest, call.sent, context.today)
  if (nearest === null) throw new AppError('rest_no_route')
  // The days of past events change with the day.
  return redirectTo(context.link(nearest), /\bend_date=/.test(nearest) ? 302 : 301)
}

/** The plugin adds the day to the address of a recurring event. */
async function occurrence(call: Call): Promise<Answer> {
  if (!/^\d{4}-\d{2}-\d{2}(\/\d+)?\/?$/.test(call.rest)) throw new AppError('rest_no_route')
  return redirectTo(contextOf(call).link(`/event/${encodeURIComponent(call.slug)}/`))
}

/** Pages of the WordPress calendar plugin that have another address here. Routes of our own come first. */
export const pluginViews: readonly View[] = [
  { path: '/events/*', methods: ['GET'], handle: view },
  { path: '/event/:slug/*', methods: ['GET'], handle: occurrence },
]
