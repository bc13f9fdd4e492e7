import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { Page } from './records.ts'
import type { WebhookChangeTable, WebhookDeliveryTable } from './service-tables.ts'
import type { Tables } from './tables.ts'

export type WebhookChange = WebhookChangeTable
export type DeliveryRow = Selectable<WebhookDeliveryTable>

/** Takes the changes that triggers have noted. Others may take those of an earlier version at the same time. */
export async function takeChanges(tx: Tx): Promise<WebhookChange[]> {
  const { locksRows } = dialectOf(tx)
  const rows = await tx
    .selectFrom('webhook_changes')
    .selectAll()
    .orderBy('changed_utc')
    .orderBy('record')
    .$if(locksRows, (query) => query.forUpdate().skipLocked())
    .execute()
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const ids = rows.filter((row) => row.kind === kind).map(({ record }) => record)
    await tx
      .deleteFrom('webhook_changes')
      .where('kind', '=', kind)
      .where((eb) => dialectOf(tx).isInJson(eb.ref('record'), eb.val(JSON.stringify(ids))))
      .execute()
  }
  return rows
}

/** Whether triggers have noted changes that were not taken. */
export async function hasChanges(tx: Tx): Promise<boolean> {
  return (await tx.selectFrom('webhook_changes').select('record').limit(1).executeTakeFirst()) !== undefined
}

export type NewDelivery = Pick<DeliveryRow, 'message' | 'hook' | 'type' | 'kind' | 'record' | 'content'>

/** Adds a delivery, due with those of the same record that wait, if there are any. */
export async function add(tx: Tx, delivery: NewDelivery, now: Instant): Promise<void> {
  const { hook, kind, record } = delivery
  await tx
    .insertInto('webhook_deliveries')
    .values((eb) => ({
      ...delivery,
      status: 'pending',
      attempts: 0,
      created_utc: now,
      due_utc: eb.fn.coalesce(
        eb
          .selectFrom('webhook_deliveries as other')
          .select((other) => other.fn.max('other.due_utc').as('due'))
          .where('other.hook', '=', hook)
          .where('other.kind', '=', kind)
          .where('other.record', '=', record)
          .where('other.status', '=', 'pending')
          .where('other.due_utc', '>', now),
        sql<number>`cast(${now} as bigint)`,
      ),
    }))
    .execute()
}

/** Condition: an active webhook waits for it, and nothing that happened to the same record before waits. */
function isNext(eb: ExpressionBuilder<Tables, 'webhook_deliveries'>) {
  return eb.and([
    eb('webhook_deliveries.status', '=', 'pending'),
    eb('webhook_deliveries.hook', 'in', eb.selectFrom('webhooks').select('webhooks.id').where('active', '=', 1)),
    eb.not(
      eb.exists(
        eb
          .selectFrom('webhook_deliveries as other')
          .select('other.id')
          .whereRef('other.hook', '=', 'webhook_deliveries.hook')
          .whereRef('other.kind', '=', 'webhook_deliveries.kind')
          .whereRef('other.record', '=', 'webhook_deliveries.record')
          .where('other.status', '=', 'pending')
          .whereRef('other.id', '<', 'webhook_deliveries.id'),
      ),
    ),
  ])
}

/** When the next delivery is due; null for never. */
export async function nextDue(tx: Tx): Promise<Instant | null> {
  const row = await tx
    .selectFrom('webhook_deliveries')
    .select('due_utc')
    .where(isNext)
    .orderBy('due_utc')
    .limit(1)
    .executeTakeFirst()
  return row?.due_utc ?? null
}

/** Deliveries of a webhook that are due, but those that are under way: the first of each record, oldest first. */
export async function listDue(
  tx: Tx,
  hook: number,
  now: Instant,
  running: readonly number[],
  limit: number,
): Promise<DeliveryRow[]> {
  return tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_deliveries.hook', '=', hook)
    .where(isNext)
    .where('due_utc', '<=', now)
    .$if(running.length > 0, (query) => query.where('id', 'not in', running))
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Stores the end of a delivery, for good or ill. */
export async function end(
  tx: Tx,
  id: number,
  outcome: Pick<DeliveryRow, 'status' | 'attempts' | 'ended_utc' | 'response' | 'error'>,
): Promise<void> {
  const done = { ...outcome, ...(outcome.status === 'delivered' && { content: null }) }
  await tx.updateTable('webhook_deliveries').set(done).where('id', '=', id).execute()
}

/** Puts a delivery off, and with it all later ones of the same record. */
export async function putOff(
  tx: Tx,
  { id, hook, kind, record }: DeliveryRow,
  due: Instant,
  attempt: Pick<DeliveryRow, 'attempts' | 'response' | 'error'>,
): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(attempt).where('id', '=', id).execute()
  await tx
    .updateTable('webhook_deliveries')
    .set({ due_utc: due })
    .where('hook', '=', hook)
    .where('kind', '=', kind)
    .where('record', '=', record)
    .where('status', '=', 'pending')
    .where('due_utc', '<', due)
    .execute()
}

/** Lets a delivery be sent again. */
export async function resend(tx: Tx, id: number, now: Instant): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', attempts: 0, due_utc: now, ended_utc: null, response: null, error: null })
    .where('id', '=', id)
    .execute()
}

export async function find(tx: Tx, hook: number, message: string): Promise<DeliveryRow | undefined> {
  return tx
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('hook', '=', hook)
    .where('message', '=', message)
    .executeTakeFirst()
}

/** Deliveries of a webhook, newest first. */
export async function list(
  tx: Tx,
  hook: number,
  statuses: readonly DeliveryRow['status'][] | null,
  limit: number,
  offset: number,
): Promise<Page<DeliveryRow>> {
  const all = tx
    .selectFrom('webhook_deliveries')
    .where('hook', '=', hook)
    .$if(statuses !== null, (query) => query.where('status', 'in', statuses ?? []))
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  return { rows, total: Number(total) }
}

/** Removes up to so many deliveries that ended before a time. Returns how many. */
export async function forget(tx: Tx, before: Instant, most: number): Promise<number> {
  const old = tx.selectFrom('webhook_deliveries').select('id').where('ended_utc', '<', before).limit(most)
  const rows = await tx.deleteFrom('webhook_deliveries').where('id', 'in', old).returning('id').execute()
  return rows.length
}
