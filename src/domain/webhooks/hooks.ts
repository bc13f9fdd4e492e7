import { AppError, type Problems, refuse } from '../../lib/errors.ts'
import { FetchRefused, refuseForbidden } from '../../lib/safe-fetch.ts'
import { readFields, type Values } from '../../schema/field.ts'
import { pageParameters } from '../../schema/record.ts'
import { deliveryListParameters, webhookFields } from '../../schema/webhook.ts'
import type { Tx } from '../../storage/dialect.ts'
import type { DeliveryRow } from '../../storage/webhook-deliveries.ts'
import * as deliveries from '../../storage/webhook-deliveries.ts'
import type { WebhookRow } from '../../storage/webhooks.ts'
import * as storage from '../../storage/webhooks.ts'
import { need, rightsOf } from '../access.ts'
import { readingOf } from '../records.ts'
import type { Payload, Scope } from '../scope.ts'
import { newSecret } from './signature.ts'

/** Webhooks, for administrators alone. */

export type { DeliveryRow } from '../../storage/webhook-deliveries.ts'

/** A webhook without its secrets. */
export interface Webhook {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  readonly active: boolean
  readonly description: string
  readonly payload: 'thin' | 'full'
  readonly created: number
}

/** Limit on webhooks: each may have several requests under way. */
const MAX_HOOKS = 50
/** How long a replaced secret is used as well, in seconds. */
const OVERLAP = 86_400

export function hookOf({ id, url, events, active, description, payload, created_utc }: WebhookRow): Webhook {
  return { id, url, events: JSON.parse(events), active: active === 1, description, payload, created: created_utc }
}

/** One page of all webhooks. */
export async function listPage(
  scope: Scope,
  query: Payload,
): Promise<{ rows: Webhook[]; total: number; page: number; perPage: number }> {
  need(rightsOf(scope.user).administer)
  const { values, problems } = readFields(pageParameters, query(), { mode: 'query', reading: readingOf(scope) })
  refuse(problems)
  const { page = 1, per_page: perPage = 10 } = values
  const all = await scope.db.read((tx) => storage.list(tx))
  return { rows: all.slice((page - 1) * perPage, page * perPage).map(hookOf), total: all.length, page, perPage }
}

export async function get(scope: Scope, id: number): Promise<Webhook> {
  need(rightsOf(scope.user).administer)
  return scope.db.read(async (tx) => hookOf(await find(tx, id)))
}

async function find(tx: Tx, id: number): Promise<WebhookRow> {
  const row = Number.isSafeInteger(id) ? await storage.get(tx, id) : undefined
  if (row === undefined) throw new AppError('webhook-not-found')
  return row
}

/** Creates a webhook. Its secret is returned by this, and never again. */
export async function create(scope: Scope, payload: Payload): Promise<{ hook: Webhook; secret: string }> {
  need(rightsOf(scope.user).administer)
  const { values, problems } = readFields(webhookFields, payload(), { mode: 'create', reading: readingOf(scope) })
  await checkAddress(scope, values, problems)
  refuse(problems)
  const secret = newSecret()
  const { url = '', events = ['*'], active = true, description = '', payload: kind = 'thin' } = values
  const row = { url, events: JSON.stringify(events), active: Number(active), description, payload: kind, secret }
  return scope.db.write(async (tx) => {
    if ((await storage.list(tx)).length >= MAX_HOOKS) refuse({ url: { problem: 'too_many_webhooks', most: MAX_HOOKS } })
    const created = { ...row, old_secret: null, old_until_utc: null, created_utc: scope.clock() }
    return { hook: hookOf(await storage.create(tx, created)), secret }
  })
}

export async function update(scope: Scope, id: number, payload: Payload): Promise<Webhook> {
  need(rightsOf(scope.user).administer)
  await scope.db.read((tx) => find(tx, id))
  const { values, problems } = readFields(webhookFields, payload(), { mode: 'update', reading: readingOf(scope) })
  await checkAddress(scope, values, problems)
  refuse(problems)
  const { events, active, ...others } = values
  const changes = {
    ...(others as Partial<WebhookRow>),
    ...(events !== undefined && { events: JSON.stringify(events) }),
    ...(active !== undefined && { active: Number(active) }),
  }
  return scope.db.write(async (tx) => {
    await find(tx, id)
    await storage.update(tx, id, changes)
    return hookOf(await find(tx, id))
  })
}

/** An address that must not be fetched is refused at once, not when something is sent. */
async function checkAddress(
  { fetchLimits }: Pick<Scope, 'fetchLimits'>,
  { url }: Values<typeof webhookFields>,
  problems: Problems,
): Promise<void> {
  if (url === undefined || problems.url) return
  try {
    await refuseForbidden(url, fetchLimits)
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error
    problems.url = { problem: error.problem }
  }
}

export async function remove(scope: Scope, id: number): Promise<Webhook> {
  need(rightsOf(scope.user).administer)
  return scope.db.write(async (tx) => {
    const row = await find(tx, id)
    await storage.remove(tx, id)
    return hookOf(row)
  })
}

/** Makes a new secret. The old one is used as well for a day, so that receivers can be changed one by one. */
export async function rotate(scope: Scope, id: number): Promise<{ hook: Webhook; secret: string }> {
  need(rightsOf(scope.user).administer)
  const secret = newSecret()
  return scope.db.write(async (tx) => {
    const row = await find(tx, id)
    await storage.update(tx, id, { secret, old_secret: row.secret, old_until_utc: scope.clock() + OVERLAP })
    return { hook: hookOf(row), secret }
  })
}

export interface DeliveryPage {
  readonly rows: readonly DeliveryRow[]
  readonly total: number
  readonly pages: number
}

/** Deliveries of a webhook, newest first. */
export async function listDeliveries(scope: Scope, id: number, query: Payload): Promise<DeliveryPage> {
  need(rightsOf(scope.user).administer)
  const reading = readingOf(scope)
  const { values, problems } = readFields(deliveryListParameters, query(), { mode: 'query', reading })
  refuse(problems)
  const { page = 1, per_page: perPage = 50, status } = values
  return scope.db.readMany(async (tx) => {
    await find(tx, id)
    const found = await deliveries.list(tx, id, status?.length ? status : null, perPage, (page - 1) * perPage)
    return { ...found, pages: Math.ceil(found.total / perPage) }
  })
}

/** Sends a delivery again, whatever became of it. */
export async function resend(scope: Scope, id: number, message: string): Promise<DeliveryRow> {
  need(rightsOf(scope.user).administer)
  return scope.db.write(async (tx) => {
    await find(tx, id)
    const delivery = await deliveries.find(tx, id, message)
    if (delivery === undefined) throw new AppError('delivery-not-found')
    await deliveries.resend(tx, delivery.id, scope.clock())
    return (await deliveries.find(tx, id, message)) ?? delivery
  })
}
