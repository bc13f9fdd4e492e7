import type { Instant } from '../calendar/zone.ts'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { ImportTable } from './service-tables.ts'

export type ImportRow = ImportTable
export type ImportKind = ImportRow['kind']

/** An earlier import of an event. The status is null if the event was deleted permanently. */
export interface KnownEvent {
  readonly uid: string
  readonly part: string
  readonly record: number
  readonly hash: string
  readonly status: Status | null
}

/** Events that were imported under these uids: the given occurrences of each, or all. */
export async function listEvents(
  tx: Tx,
  source: string,
  uids: readonly string[],
  parts: readonly string[] | null,
): Promise<KnownEvent[]> {
  if (uids.length === 0) return []
  const query = tx
    .selectFrom('imports')
    .leftJoin('events', 'events.id', 'imports.record')
    .select(['imports.uid', 'imports.part', 'imports.record', 'imports.hash', 'events.status'])
    .where('imports.source', '=', source)
    .where('imports.kind', '=', 'event')
    .where('imports.uid', 'in', uids)
  return (parts === null ? query : query.where('imports.part', 'in', parts)).execute()
}

/** Finds an earlier import by uid. */
export async function get(
  tx: Tx,
  source: string,
  kind: ImportKind,
  uid: string,
  part = '',
): Promise<ImportRow | undefined> {
  return tx
    .selectFrom('imports')
    .selectAll()
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('uid', '=', uid)
    .where('part', '=', part)
    .executeTakeFirst()
}

/** Stores which record each item was imported as. */
export async function putAll(tx: Tx, rows: readonly ImportRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('imports')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['source', 'kind', 'uid', 'part']).doUpdateSet((eb) => ({
        record: eb.ref('excluded.record'),
        hash: eb.ref('excluded.hash'),
        imported_utc: eb.ref('excluded.imported_utc'),
      })),
    )
    .execute()
}

/** Deletes the import row of a removed occurrence. */
export async function remove(tx: Tx, source: string, uid: string, part: string): Promise<void> {
  await tx
    .deleteFrom('imports')
    .where('source', '=', source)
    .where('kind', '=', 'event')
    .where('uid', '=', uid)
    .where('part', '=', part)
    .execute()
}

/** Deletes the import row of a linked record. */
export async function removeOf(tx: Tx, source: string, kind: ImportKind, uid: string, part: string): Promise<void> {
  await tx
    .deleteFrom('imports')
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('uid', '=', uid)
    .where('part', '=', part)
    .execute()
}

/** Saved state of an interrupted import. */
export async function progress(tx: Tx, source: string): Promise<string | null> {
  const row = await tx.selectFrom('import_progress').select('state').where('source', '=', source).executeTakeFirst()
  return row?.state ?? null
}

/** Saves the state of an import, or deletes it when the import is finished. */
export async function setProgress(tx: Tx, source: string, state: string | null, now: Instant): Promise<void> {
  if (state === null) {
    await tx.deleteFrom('import_progress').where('source', '=', source).execute()
    return
  }
  await tx
    .insertInto('import_progress')
    .values({ source, state, saved_utc: now })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ state, saved_utc: now }))
    .execute()
}

/** Locks imports of a source until the transaction ends. */
export function lock(tx: Tx, source: string): Promise<boolean> {
  return dialectOf(tx).lock(tx, `import ${source}`)
}
