import type { Selectable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { SuggestionTable } from './user-tables.ts'

export type SuggestionRow = Selectable<SuggestionTable>

export async function create(tx: Tx, row: Omit<SuggestionRow, 'id' | 'outcome' | 'reason' | 'decided_utc'>) {
  await tx.insertInto('suggestions').values(row).execute()
}

export async function get(tx: Tx, event: number): Promise<SuggestionRow | undefined> {
  return tx.selectFrom('suggestions').selectAll().where('event', '=', event).executeTakeFirst()
}

/** Suggestions of some events, by event. */
export async function getAll(tx: Tx, events: readonly number[]): Promise<Map<number, SuggestionRow>> {
  if (events.length === 0) return new Map()
  const rows = await tx.selectFrom('suggestions').selectAll().where('event', 'in', events).execute()
  return new Map(rows.map((row) => [row.event, row]))
}

/** Makes suggestions from a network wait for each other until the transaction ends. */
export function lock(tx: Tx, network: string): Promise<boolean> {
  return dialectOf(tx).lock(tx, `suggest ${network}`)
}

/** When suggestions came from a network since a time, the earliest first. */
export async function timesFrom(tx: Tx, network: string, since: Instant): Promise<Instant[]> {
  const rows = await tx
    .selectFrom('suggestions')
    .select('created_utc')
    .where('network', '=', network)
    .where('created_utc', '>', since)
    .orderBy('created_utc')
    .execute()
  return rows.map(({ created_utc }) => created_utc)
}

/** Whether a form was sent before. */
export async function isUsed(tx: Tx, form: string): Promise<boolean> {
  return (await tx.selectFrom('suggestions').select('id').where('form', '=', form).executeTakeFirst()) !== undefined
}

/** Number of suggested events that wait for a review. */
export async function countWaiting(tx: Tx): Promise<number> {
  const { waiting } = await tx
    .selectFrom('suggestions')
    .innerJoin('events', 'events.id', 'suggestions.event')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('suggestions.outcome', 'is', null)
    .where('events.status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return Number(waiting)
}

/** Bytes of all pictures that wait for a review. */
export async function pictureBytes(tx: Tx): Promise<number> {
  const { bytes } = await tx
    .selectFrom('suggestions')
    .select((eb) => eb.fn.sum<number | null>('picture_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

export async function decide(
  tx: Tx,
  event: number,
  decision: Pick<SuggestionRow, 'outcome' | 'reason' | 'decided_utc'>,
): Promise<void> {
  await tx.updateTable('suggestions').set(decision).where('event', '=', event).execute()
}

/** Forgets the picture of a suggestion. */
export async function dropPicture(tx: Tx, id: number): Promise<void> {
  await tx
    .updateTable('suggestions')
    .set({ picture: null, picture_mime: null, picture_bytes: 0 })
    .where('id', '=', id)
    .execute()
}

/** Suggestions that are no longer needed: decided or sent before these times; the latter only if their events are gone. */
export async function listOld(tx: Tx, decided: Instant, sent: Instant, limit: number): Promise<SuggestionRow[]> {
  return tx
    .selectFrom('suggestions')
    .leftJoin('events', 'events.id', 'suggestions.event')
    .selectAll('suggestions')
    .where((eb) =>
      eb.or([
        eb('suggestions.decided_utc', '<', decided),
        eb.and([eb('events.id', 'is', null), eb('suggestions.created_utc', '<', sent)]),
      ]),
    )
    .limit(limit)
    .execute()
}

export async function remove(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('suggestions').where('id', '=', id).execute()
}
