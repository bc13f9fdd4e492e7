import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { LinkedKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import { hasCreated, willRemove, willUpdate } from './audit/tracker.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { RECORD_TABLE } from './records.ts'
import type { ImportChangeTable, ImportFeedTable, ImportRunTable } from './service-tables.ts'

export type ImportRunRow = Selectable<ImportRunTable>
export type ImportFeedRow = Selectable<ImportFeedTable>
export type ImportChangeRow = Selectable<ImportChangeTable>

export async function create(tx: Tx, run: Insertable<ImportRunTable>): Promise<number> {
  const { id } = await tx.insertInto('import_runs').values(run).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function get(tx: Tx, id: number): Promise<ImportRunRow | undefined> {
  return tx.selectFrom('import_runs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The latest runs. Those that were only checked, and those of schedules, are left out. */
export async function list(tx: Tx, limit: number): Promise<ImportRunRow[]> {
  return tx
    .selectFrom('import_runs')
    .selectAll()
    .where('state', '!=', 'checked')
    .where('feed', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Changes a run, if it is in one of some states. Returns whether it was. */
export async function update(
  tx: Tx,
  id: number,
  changes: Updateable<ImportRunTable>,
  states: readonly ImportRunRow['state'][] | null = null,
): Promise<boolean> {
  const query = tx.updateTable('import_runs').set(changes).where('id', '=', id)
  const changed = await (states === null ? query : query.where('state', 'in', states)).returning('id').execute()
  return changed.length > 0
}

export async function remove(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('import_runs').where('id', '=', id).execute()
}

/** Runs that are no longer needed: only checked, or ended, before these times. */
export async function listOld(tx: Tx, checked: Instant, ended: Instant, limit: number): Promise<ImportRunRow[]> {
  return tx
    .selectFrom('import_runs')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('state', '=', 'checked'), eb('created_utc', '<', checked)]),
        eb.and([eb('ended_utc', 'is not', null), eb('ended_utc', '<', ended)]),
      ]),
    )
    .limit(limit)
    .execute()
}

/** Runs of a user that were only checked, the oldest first. */
export async function listChecked(tx: Tx, user: number): Promise<ImportRunRow[]> {
  return tx
    .selectFrom('import_runs')
    .selectAll()
    .where('state', '=', 'checked')
    .where('user', '=', user)
    .orderBy('id')
    .execute()
}

/** Failed runs that nobody has replaced: of an address, only if its latest run failed. */
export async function listFailed(tx: Tx, since: Instant, limit: number): Promise<ImportRunRow[]> {
  const latest = tx
    .selectFrom('import_runs')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('feed', 'is not', null)
    .groupBy('feed')
  return tx
    .selectFrom('import_runs')
    .selectAll()
    .where('state', '=', 'failed')
    .where('ended_utc', '>', since)
    .where((eb) => eb.or([eb('feed', 'is', null), eb('id', 'in', latest)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Stores what a run changed. A record that it changed twice keeps what was before the first change. */
export async function addChanges(tx: Tx, changes: readonly ImportChangeRow[]): Promise<void> {
  if (changes.length === 0) return
  await tx
    .insertInto('import_changes')
    .values(changes)
    .onConflict((conflict) =>
      conflict.columns(['run', 'kind', 'record']).doUpdateSet((eb) => ({ revision: eb.ref('excluded.revision') })),
    )
    .execute()
}

/** Changes of a run, the latest records first, so that children go before their parents. */
export async function listChanges(
  tx: Tx,
  run: number,
  kinds: readonly ImportChangeRow['kind'][],
  limit: number,
): Promise<ImportChangeRow[]> {
  return tx
    .selectFrom('import_changes')
    .selectAll()
    .where('run', '=', run)
    .where('kind', 'in', kinds)
    .orderBy('record', 'desc')
    .limit(limit)
    .execute()
}

export async function countChanges(tx: Tx, run: number): Promise<Record<string, number>> {
  const rows = await tx
    .selectFrom('import_changes')
    .select(['kind', 'action', (eb) => eb.fn.countAll<number>().as('count')])
    .where('run', '=', run)
    .groupBy(['kind', 'action'])
    .execute()
  return Object.fromEntries(rows.map(({ kind, action, count }) => [`${kind} ${action}`, Number(count)]))
}

export async function removeChange(tx: Tx, { run, kind, record }: ImportChangeRow): Promise<void> {
  await tx
    .deleteFrom('import_changes')
    .where('run', '=', run)
    .where('kind', '=', kind)
    .where('record', '=', record)
    .execute()
}

/** Revisions of records, by id. */
export async function revisions(
  tx: Tx,
  kind: 'event' | LinkedKind,
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom(RECORD_TABLE[kind] as 'venues')
    .select(['id', 'revision'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map(({ id, revision }) => [id, Number(revision)]))
}

/** Revisions that a run left of some events, by id. */
export async function notedRevisions(tx: Tx, run: number, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx
    .selectFrom('import_changes')
    .select(['record', 'revision'])
    .where('run', '=', run)
    .where('kind', '=', 'event')
    .where((eb) => dialectOf(tx).isInJson(eb.ref('import_changes.record'), eb.val(JSON.stringify(ids))))
    .execute()
  return new Map(rows.map(({ record, revision }) => [record, Number(revision)]))
}

/** Whether an event uses a linked record or a term, or a term has others below it. */
export async function isUsed(tx: Tx, kind: LinkedKind | TermKind, id: number): Promise<boolean> {
  if (kind === 'category' || kind === 'tag') {
    const event = await tx.selectFrom('event_terms').select('event').where('term', '=', id).executeTakeFirst()
    const below = await tx.selectFrom('terms').select('id').where('parent', '=', id).executeTakeFirst()
    return event !== undefined || below !== undefined
  }
  const table = `event_${kind}s` as 'event_venues'
  return (await tx.selectFrom(table).select('event').where('linked', '=', id).executeTakeFirst()) !== undefined
}

export async function listFeeds(tx: Tx): Promise<ImportFeedRow[]> {
  return tx.selectFrom('import_feeds').selectAll().orderBy('id').execute()
}

/** Creates or changes the schedule of an address. */
export async function putFeed(tx: Tx, feed: Insertable<ImportFeedTable>): Promise<number> {
  const before = await tx.selectFrom('import_feeds').select('id').where('url', '=', feed.url).executeTakeFirst()
  if (before !== undefined) await willUpdate(tx, 'feed', before.id, feed)
  const { id } = await tx
    .insertInto('import_feeds')
    .values(feed)
    .onConflict((conflict) =>
      conflict.column('url').doUpdateSet((eb) => ({
        user: eb.ref('excluded.user'),
        every: eb.ref('excluded.every'),
        options: eb.ref('excluded.options'),
        next_utc: eb.ref('excluded.next_utc'),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  if (before === undefined) hasCreated(tx, 'feed', id, feed)
  return id
}

export async function removeFeed(tx: Tx, id: number): Promise<void> {
  await willRemove(tx, 'feed', id)
  await tx.deleteFrom('import_feeds').where('id', '=', id).execute()
}

export async function setNext(tx: Tx, id: number, next_utc: Instant): Promise<void> {
  await tx.updateTable('import_feeds').set({ next_utc }).where('id', '=', id).execute()
}

/** When the next address is due; null if there is none. */
export async function nextFeed(tx: Tx): Promise<Instant | null> {
  const row = await tx
    .selectFrom('import_feeds')
    .select((eb) => eb.fn.min('next_utc').as('next'))
    .executeTakeFirst()
  return row?.next ?? null
}

/** The last runs of a schedule, the latest first. */
export async function runsOf(tx: Tx, feed: number, limit: number): Promise<ImportRunRow[]> {
  return tx.selectFrom('import_runs').selectAll().where('feed', '=', feed).orderBy('id', 'desc').limit(limit).execute()
}

export async function setRevision(
  tx: Tx,
  run: number,
  kind: ImportChangeRow['kind'],
  record: number,
  revision: number,
): Promise<void> {
  await tx
    .updateTable('import_changes')
    .set({ revision })
    .where('run', '=', run)
    .where('kind', '=', kind)
    .where('record', '=', record)
    .execute()
}
