import { toWallClock } from '../../calendar/zone.ts'
import * as hooks from '../../domain/webhooks/hooks.ts'
import { type Endpoint, UPDATE } from '../../http/endpoint.ts'
import { encode } from '../../lib/html.ts'
import { optional } from '../../schema/field.ts'
import { pageParameters } from '../../schema/record.ts'
import { deliveryListParameters, deliveryPath, webhookFields } from '../../schema/webhook.ts'
import { listAnswer } from '../list-response.ts'
import { byId } from './lookup.ts'

function shownHook({ created, description, ...hook }: hooks.Webhook): Record<string, unknown> {
  return { ...hook, description: encode(description), created_utc: toWallClock(created, 'UTC') }
}

function shownDelivery(row: hooks.DeliveryRow): Record<string, unknown> {
  const time = (instant: number | null) => (instant === null ? null : toWallClock(instant, 'UTC'))
  return {
    id: row.message,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    data: { type: row.kind, id: row.record },
    created_utc: time(row.created_utc),
    next_attempt_utc: row.status === 'pending' ? time(row.due_utc) : null,
    ended_utc: time(row.ended_utc),
    response_status: row.response,
    error: row.error,
  }
}

/** Webhooks: list, create, read, change and remove them, rotate their secrets, list deliveries and send them again. */
export const webhookEndpoints: Endpoint[] = [
  {
    name: 'webhooks.list',
    answers: 'WebhookList',
    methods: ['GET'],
    path: '/webhooks',
    access: 'signed-in',
    parameters: pageParameters,
    async handle(call) {
      const { rows, ...page } = await hooks.listPage(call.scope, call.query)
      const list = { name: 'webhooks', pastEnd: 'webhook-archive-page-not-found', ...page } as const
      return { ...listAnswer(call, rows.map(shownHook), list), secret: true }
    },
  },
  {
    name: 'webhooks.create',
    answers: 'NewWebhook',
    methods: ['POST'],
    path: '/webhooks',
    access: 'signed-in',
    parameters: webhookFields,
    async handle({ scope, body, addresses }) {
      const { hook, secret } = await hooks.create(scope, body)
      const headers = { location: `${addresses.rest}/webhooks/${hook.id}` }
      return { status: 201, headers, body: { ...shownHook(hook), secret } }
    },
  },
  {
    name: 'webhooks.get',
    answers: 'Webhook',
    methods: ['GET'],
    path: '/webhooks/:id',
    access: 'signed-in',
    parameters: byId.parameters,
    handle: async ({ scope, id }) => ({ body: shownHook(await hooks.get(scope, id)), secret: true }),
  },
  {
    name: 'webhooks.update',
    answers: 'Webhook',
    methods: UPDATE,
    path: '/webhooks/:id',
    access: 'signed-in',
    parameters: { ...byId.parameters, ...optional(webhookFields) },
    handle: async ({ scope, id, body }) => ({ body: shownHook(await hooks.update(scope, id, body)) }),
  },
  {
    name: 'webhooks.remove',
    answers: 'Webhook',
    methods: ['DELETE'],
    path: '/webhooks/:id',
    access: 'signed-in',
    parameters: byId.parameters,
    handle: async ({ scope, id }) => ({ body: shownHook(await hooks.remove(scope, id)) }),
  },
  {
    name: 'webhooks.rotate',
    answers: 'NewWebhook',
    methods: ['POST'],
    path: '/webhooks/:id/rotate',
    access: 'signed-in',
    parameters: byId.parameters,
    async handle({ scope, id }) {
      const { hook, secret } = await hooks.rotate(scope, id)
      return { body: { ...shownHook(hook), secret } }
    },
  },
  {
    name: 'webhooks.deliveries',
    answers: 'Deliveries',
    methods: ['GET'],
    path: '/webhooks/:id/deliveries',
    access: 'signed-in',
    parameters: { ...byId.parameters, ...deliveryListParameters },
    async handle({ scope, id, query }) {
      const { rows, total, pages } = await hooks.listDeliveries(scope, id, query)
      return { body: { deliveries: rows.map(shownDelivery), total, total_pages: pages }, secret: true }
    },
  },
  {
    name: 'webhooks.resend',
    answers: 'Delivery',
    methods: ['POST'],
    path: '/webhooks/:id/deliveries/:delivery/resend',
    access: 'signed-in',
    parameters: { ...byId.parameters, ...deliveryPath },
    handle: async ({ scope, id, slug }) => ({ body: shownDelivery(await hooks.resend(scope, id, slug)) }),
  },
]
