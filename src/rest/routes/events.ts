import { isUndamaged } from '../../domain/damage.ts'
import type { Event } from '../../domain/events.ts'
import * as events from '../../domain/events.ts'
import type { Check } from '../../domain/scope.ts'
import { ifMatchCheck } from '../../http/conditional.ts'
import { type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { eventFields, eventListParameters, eventReadParameters } from '../../schema/event.ts'
import { optional } from '../../schema/field.ts'
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
      parameters: { ...parameters, ...optional(eventFields) },
      handle: async (call) =>
        singleAnswer(call, await events.update(call.scope, ref(call), call.body, beforeUpdate(call))),
    },
    {
      name: `events.remove${suffix}`,
      answers: 'Event',
      methods: ['DELETE'],
      path: `/events${path}`,
      access: 'signed-in',
      parameters: { ...parameters, ...removeParameters, ...eventReadParameters },
      async handle(call) {
        const removed = await events.remove(call.scope, ref(call), call.query, ifMatchCheck(call, revisionOf))
        if (isUndamaged(removed)) return singleAnswer(call, removed)
        return { revision: revisionOf(removed), body: damagedEvent(removed, call.addresses) }
      },
    },
  ]
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
    parameters: eventFields,
    handle: async (call) => singleAnswer(call, await events.create(call.scope, call.body), 201),
  },
  ...one(rendered, byId),
  ...one(rendered, bySlug),
]
