import { isUndamaged } from '../../domain/damage.ts'
import * as events from '../../domain/events.ts'
import { ifMatchCheck } from '../../http/conditional.ts'
import { type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { eventFields, eventListParameters, eventReadParameters } from '../../schema/event.ts'
import { optional } from '../../schema/field.ts'
import { removeParameters } from '../../schema/record.ts'
import { damagedEvent } from '../present-event.ts'
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
        singleAnswer(call, await events.update(call.scope, ref(call), call.body, ifMatchCheck(call, revisionOf))),
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
