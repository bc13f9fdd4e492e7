import { CHANGE_KINDS } from './change.ts'
import { declare } from './field.ts'
import * as types from './value-types.ts'

/** What happens to a record: the first three for its staff, the others for the public. */
export const WEBHOOK_ACTIONS = ['created', 'updated', 'removed', 'published', 'unpublished'] as const
export type WebhookAction = (typeof WEBHOOK_ACTIONS)[number]

/** Names of everything that a webhook can be told of; `*` stands for all. */
export const WEBHOOK_EVENTS = ['*', ...CHANGE_KINDS.flatMap((kind) => WEBHOOK_ACTIONS.map((act) => `${kind}.${act}`))]

export const PAYLOADS = ['thin', 'full'] as const
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const

/** Fields of webhooks. */
export const webhookFields = declare('webhook', {
  url: { kind: types.url, required: true, sample: 'https://example.org/hook' },
  events: { kind: types.someOf(...WEBHOOK_EVENTS), default: ['*'] },
  active: { kind: types.flag, default: true },
  description: { kind: types.text, default: '' },
  payload: { kind: types.oneOf(...PAYLOADS), default: 'thin' as const },
})

/** Parameters of the list of deliveries. */
export const deliveryListParameters = declare('delivery_list', {
  page: { kind: types.integer(1), default: 1 },
  per_page: { kind: types.perPage, default: 50 },
  status: { kind: types.someOf(...DELIVERY_STATUSES) },
})

/** The id of a delivery in a path. */
export const deliveryPath = declare('path', { delivery: { kind: types.exact, required: true } })
