import { isUndamaged } from '../../domain/damage.ts'
import type { Event } from '../../domain/events.ts'
import * as events from '../../domain/events.ts'
import { earlyFields } from '../../domain/payload.ts'
import { readingOf } from '../../domain/records.ts'
import type { Check } from '../../domain/scope.ts'
import { plan, type Reach, reaching } from '../../domain/series-reach.ts'
import { ifMatchCheck } from '../../http/conditional.ts'
import { type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { eventFields, eventListParameters, eventReadParameters, seriesParameters } from '../../schema/event.ts'
import { optional, readFields } from '../../schema/field.ts'
import { removeParameters } from '../../schema/record.ts'
import { damagedEvent, event } from '../present-event.ts'
import { type RenderedEvents, revisionOf, singleAnswer } from '../rendered/rendered-events.ts'
import { byId, bySlug, type Lookup } from './lookup.ts'

function one(rendered: RenderedEvents, { suffix, path, parameters, ref }: Lookup): Endpoint[] {
  return [
    {
      name: `events.get${suffix}`,
      answers: 'Event',
      methods: ['GET'],
      path: `/events${path}`,
      access: 'anyone',
      parameters: { ...parameters, ...eventReadParameters },
      handle: (call) => rendered.single(call, ref(call)),
    },
    {
      name: `events.update${suffix}`,
      answers: 'Event',
      methods: UPDATE,
      path: `/events${path}`,
      access: 'signed-in',
      parameters: { ...parameters, ...optional(eventFields), ...seriesParameters },
      async handle(call) {
        const { scope: within, isDryRun } = reachOf(call)
        const update = (reach: Reach, finish?: () => never) =>
          events.update(call.scope, ref(call), call.body, beforeUpdate(call), finish, reach)
        if (isDryRun) return { body: await plan(within, update) }
        return singleAnswer(call, await update(within))
      },
    },
    {
      name: `events.remove${suffix}`,
      answers: 'Event',
      methods: ['DELETE'],
      path: `/events${path}`,
      access: 'signed-in',
      parameters: { ...parameters, ...removeParameters, ...eventReadParameters, ...seriesParameters },
      async handle(call) {
        const { scope: within, isDryRun } = reachOf(call)
        const check = ifMatchCheck(call, revisionOf)
        // `force` counts in the query only, but a malformed body is refused: it may say how far the write reaches.
        const query = () => call.body() && call.query()
        const remove = (reach: Reach, finish?: () => never) =>
          events.remove(call.scope, ref(call), query, check, reach, finish)
        if (isDryRun) return { body: await plan(within, remove) }
        const removed = await remove(within)
        if (isUndamaged(removed)) return singleAnswer(call, removed)
        return { revision: revisionOf(removed), body: damagedEvent(removed, call.addresses) }
      },
    },
  ]
}

/** How far a write reaches, and whether it is a dry run: in the query or the body. The write reports problems. */
function reachOf({ query, body, scope }: Call): { scope: Reach; isDryRun: boolean } {
  const fields = { ...earlyFields(body), ...query() }
  const { values, problems } = readFields(seriesParameters, fields, { mode: 'query', reading: readingOf(scope) })
  return { scope: reaching(values.scope ?? null, problems), isDryRun: values.dry_run === true }
}

/** Checks `If-Match`, and shows the event as a read does. A damaged one is not shown. */
function beforeUpdate(call: Call): Check<Event> {
  const check = ifMatchCheck(call, revisionOf)
  return (shown) => {
    check?.(shown)
    return isUndamaged(shown) ? event(shown, call.addresses, call.scope.site) : undefined
  }
}

/** Events: list, create, and by id and by slug read, change and remove. */
export const eventEndpoints = (rendered: RenderedEvents): Endpoint[] => [
  {
    name: 'events.list',
    answers: 'EventList',
    methods: ['GET'],
    path: '/events',
    access: 'anyone',
    parameters: eventListParameters,
    handle: (call) => rendered.list(call),
  },
  {
    name: 'events.create',
    answers: 'Event',
    methods: ['POST'],
    path: '/events',
    access: 'signed-in',
    parameters: { ...eventFields, ...seriesParameters },
    async handle(call) {
      const { scope: within, isDryRun } = reachOf(call)
      const create = (reach: Reach, finish?: () => never) => events.create(call.scope, call.body, finish, reach)
      if (isDryRun) return { body: await plan(within, create) }
      return singleAnswer(call, await create(within), 201)
    },
  },
  ...one(rendered, byId),
  ...one(rendered, bySlug),
]
