import type { Selectable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { hasCreated, willRemove, willUpdate } from './audit/tracker.ts'
import type { Tx } from './dialect.ts'
import type { WebhookTable } from './service-tables.ts'

export type WebhookRow = Selectable<WebhookTable>
type Content = Omit<WebhookRow, 'id'>

export async function list(tx: Tx): Promise<WebhookRow[]> {
  return tx.selectFrom('webhooks').selectAll().orderBy('id').execute()
}

export async function listActive(tx: Tx): Promise<WebhookRow[]> {
  return tx.selectFrom('webhooks').selectAll().where('active', '=', 1).orderBy('id').execute()
}

export async function get(tx: Tx, id: number): Promise<WebhookRow | undefined> {
  return tx.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function create(tx: Tx, hook: Content): Promise<WebhookRow> {
  const row = await tx.insertInto('webhooks').values(hook).returningAll().executeTakeFirstOrThrow()
  hasCreated(tx, 'webhook', row.id, row)
  return row
}

export async function update(tx: Tx, id: number, changes: Partial<Content>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await willUpdate(tx, 'webhook', id, changes)
  await tx.updateTable('webhooks').set(changes).where('id', '=', id).execute()
}

/** Removes a webhook and its deliveries. */
export async function remove(tx: Tx, id: number): Promise<void> {
  await willRemove(tx, 'webhook', id)
  await tx.deleteFrom('webhooks').where('id', '=', id).execute()
}

/** Switches a webhook off, and gives up what it has not been sent. */
export async function switchOff(tx: Tx, id: number, now: Instant, error: string): Promise<void> {
  await update(tx, id, { active: 0 })
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', ended_utc: now, error })
    .where('hook', '=', id)
    .where('status', '=', 'pending')
    .execute()
}
