import { isSound } from '../../domain/damage.ts'
import * as list from '../../domain/event-list.ts'
import * as events from '../../domain/events.ts'
import { unchanged } from '../../http/conditional.ts'
import { type Answer, type Call, type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { writeEach } from '../../http/leave-out.ts'
import { eventFields, eventListParameters, eventReadParameters } from '../../schema/event.ts'
import { optional } from '../../schema/field.ts'
import { removeParameters } from '../../schema/record.ts'
import { type ListPage, listAnswer, readyListAnswer } from '../list-response.ts'
import { damagedEvent, event, singleEvent } from '../present-event.ts'
import { join } from '../rendered/rendered-events.ts'
import { byId, bySlug, type Lookup } from './lookup.ts'

function single({ addresses, scope }: Call, shown: events.Event, status = 200): Answer {
  return {
    status,
    ...(status === 201 && { headers: { location: `${addresses.rest}/events/${shown.row.id}` } }),
    revision: revisionOf(shown),
    // Whoever brought its password is shown it whole: nobody else.
    ...(shown.row.password_hash !== null && { secret: true }),
    body: singleEvent(shown, addresses, scope.site),
  }
}

function pageOf({ window, strict, total, page, perPage }: list.EventPage<unknown>): ListPage {
  // Exact times are passed on as they were sent: they may carry an offset.
  const settled = strict ? {} : { ...window }
  return { name: 'events', pastEnd: 'event-archive-page-not-found', settled, total, page, perPage }
}

const revisionOf = ({ row }: events.Event) => String(row.revision)

function one({ suffix, path, parameters, ref }: Lookup): Endpoint[] {
  return [
    {
      name: `events.get${suffix}`,
      answers: 'Event',
      methods: ['GET'],
      path: `/events${path}`,
      access: 'anyone',
      parameters: { ...parameters, ...eventReadParameters },
      async handle(call) {
        const stub = call.shelf && (await list.getReady(call.scope, ref(call), call.shelf))
        if (stub === null || call.shelf === null)
          return single(call, await events.get(call.scope, ref(call), call.query))
        const { pieces, mark } = call.shelf.take(stub, true)
        return { revision: String(stub.revision), body: join(pieces), mark }
      },
    },
    {
      name: `events.update${suffix}`,
      answers: 'Event',
      methods: UPDATE,
      path: `/events${path}`,
      access: 'signed-in',
      parameters: { ...parameters, ...optional(eventFields) },
      handle: async (call) =>
        single(call, await events.update(call.scope, ref(call), call.body, unchanged(call, revisionOf))),
    },
    {
      name: `events.remove${suffix}`,
      answers: 'Event',
      methods: ['DELETE'],
      path: `/events${path}`,
      access: 'signed-in',
      parameters: { ...parameters, ...removeParameters, ...eventReadParameters },
      async handle(call) {
        const removed = await events.remove(call.scope, ref(call), call.query, unchanged(call, revisionOf))
        if (isSound(removed)) return single(call, removed)
        return { revision: revisionOf(removed), body: damagedEvent(removed, call.addresses) }
      },
    },
  ]
}

/** Events: list, create, and by id and by slug read, change and remove. */
export const eventEndpoints: Endpoint[] = [
  {
    name: 'events.list',
    answers: 'EventList',
    methods: ['GET'],
    path: '/events',
    access: 'anyone',
    parameters: eventListParameters,
    async handle(call) {
      const ready = call.shelf && (await list.listReady(call.scope, call.query, call.shelf))
      if (ready !== null) return readyListAnswer(call, ready.events, pageOf(ready))
      const found = await list.list(call.scope, call.query)
      const items = writeEach(call.scope, found.events, (shown) => event(shown, call.addresses, call.scope.site))
      return listAnswer(call, items, pageOf(found))
    },
  },
  {
    name: 'events.create',
    answers: 'Event',
    methods: ['POST'],
    path: '/events',
    access: 'signed-in',
    parameters: eventFields,
    handle: async (call) => single(call, await events.create(call.scope, call.body), 201),
  },
  ...one(byId),
  ...one(bySlug),
]
