import { isDeepStrictEqual } from 'node:util'
import { type Insertable, sql } from 'kysely'
import { byLinkedPlural, LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import type { Database } from './database.ts'
import { dialectOf, type Sequence, type Tx } from './dialect.ts'
import type { EventRow } from './events.ts'
import { LINK_TABLE, type RecordRow } from './records.ts'
import type { Tables } from './tables.ts'
import { indexEvent, indexName, indexRecord } from './word-search.ts'

/** The copy is not possible, or the result differs from the source. */
export class CopyError extends Error {}

export type OnCopyProgress = (table: string, copied: number, total: number) => void

type Row = Record<string, string | number | null>

/**
 * All tables with data and their keys. Referenced tables come first. `unused_files` is not copied: the source may share
 * its files with the copy, and still use them.
 */
const KEYS: Record<Table, readonly string[]> = {
  users: ['id'],
  tokens: ['id'],
  sign_ins: ['user', 'address'],
  settings: ['name'],
  images: ['id'],
  ...byLinkedPlural(() => ['id']),
  terms: ['id'],
  series: ['id'],
  events: ['id'],
  ...linkTables(['event', 'linked']),
  event_terms: ['event', 'term'],
  tickets: ['id'],
  imports: ['source', 'kind', 'uid', 'part'],
  import_feeds: ['id'],
  import_runs: ['id'],
  import_changes: ['run', 'kind', 'record'],
  jobs: ['id'],
  free_events: ['event'],
  old_addresses: ['kind', 'id'],
  suggestions: ['id'],
  // After all records: those that are copied are not sent.
  webhooks: ['id'],
  webhook_deliveries: ['id'],
  audit: ['id'],
  stored_bytes: ['user', 'kind', 'upto'],
}
type Table = Exclude<keyof Tables, NotCopied>
/** Counters of one database, what only concerns the site that it belongs to, and indexes that are made anew. */
type NotCopied =
  | 'changes'
  | 'event_templates'
  | 'event_entries'
  | 'template_progress'
  | 'webhook_changes'
  | 'linked_words'
  | 'search_words'
  | 'sequences'
  | 'data_version'
  | 'limits'
  | 'unused_files'
  | 'import_progress'
  | 'sessions'
  | 'idempotency_keys'
  | 'secrets'
  | 'invitations'
const TABLES = Object.entries(KEYS) as [Table, readonly string[]][]

/** Tables that a backup has besides: users stay signed in, and links that were sent stay valid. */
const SITE_KEYS: Record<SiteTable, readonly string[]> = {
  sessions: ['id'],
  invitations: ['user'],
  secrets: ['name'],
  import_progress: ['source'],
}
type SiteTable = Extract<NotCopied, 'sessions' | 'invitations' | 'secrets' | 'import_progress'>
type AnyTable = Table | SiteTable
const WHOLE = [...TABLES, ...(Object.entries(SITE_KEYS) as [SiteTable, readonly string[]][])]

function linkTables<T>(key: T): { [K in LinkedKind as `event_${K}s`]: T } {
  return Object.fromEntries(LINKED_KINDS.map((kind) => [LINK_TABLE[kind], key])) as ReturnType<typeof linkTables<T>>
}

const IDENTITIES: readonly AnyTable[] = [
  'users',
  'sessions',
  'tokens',
  'tickets',
  'jobs',
  'suggestions',
  'webhooks',
  'webhook_deliveries',
  'audit',
  'import_feeds',
  'import_runs',
]
const SEQUENCES: readonly Sequence[] = ['records', 'terms']
const BATCH = 500

export interface CopyOptions {
  /** Deletes the rows of an unfinished copy first. */
  readonly restart?: boolean | undefined
  /** Copies what belongs to the site itself, too: for a backup, which takes its place. */
  readonly isWhole?: boolean
}

/**
 * Copies all rows, ids included, to an empty database, in batches. The source is read in one snapshot. An interrupted
 * copy resumes where it stopped: rows are copied in key order, and the table `copying` in the target names the source
 * until everything is verified. Returns the number of rows per table.
 */
export async function copyDatabase(
  from: Database,
  to: Database,
  source: string,
  progress: OnCopyProgress,
  { restart = false, isWhole = false }: CopyOptions = {},
): Promise<Record<string, number>> {
  const unfinished = await from.unfinishedCopy()
  if (unfinished !== null) throw new CopyError(`the source itself holds an unfinished copy of ${unfinished}`)
  if ((await from.pending()).length > 0)
    throw new CopyError('the source is not up to date: run "kalends migrate" on it')
  await to.migrate({ intoCopy: true })
  if (restart) await clear(to, source)
  await begin(to, source)
  const counts = await from.readMany((tx) => copySnapshot(tx, to, progress, isWhole))
  await to.write((tx) => sql`drop table copying`.execute(tx).then(() => {}))
  return counts
}

/**
 * Copies all tables of a snapshot and verifies them. Source and target are used in turn, so that no connection idles
 * long enough to be closed.
 */
async function copySnapshot(
  from: Tx,
  to: Database,
  progress: OnCopyProgress,
  isWhole: boolean,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const tables = isWhole ? WHOLE : TABLES
  for (const [table, key] of tables) counts[table] = await copyTable(from, to, table, key, progress)
  await copyParents(from, to)
  for (const sequence of SEQUENCES) {
    const last = await dialectOf(from).lastId(from, sequence)
    await to.write((tx) => dialectOf(tx).setLastId(tx, sequence, last))
  }
  for (const table of IDENTITIES) await to.write((tx) => dialectOf(tx).syncIdentity(tx, table))
  for (const [table, key] of tables) await verify(from, to, table, key)
  return counts
}

/** Marks the target as an unfinished copy. Throws if it has other data. */
async function begin(to: Database, source: string): Promise<void> {
  await to.write(async (tx) => {
    await sql`create table if not exists copying (source text not null)`.execute(tx)
    const { rows } = await sql<{ source: string }>`select source from copying`.execute(tx)
    const [mark] = rows
    if (mark !== undefined) {
      if (mark.source !== source)
        throw new CopyError(`the target holds an unfinished copy of ${mark.source}: --restart begins anew`)
      return
    }
    for (const [table] of TABLES) {
      if ((await countRows(tx, table)) > 0) throw new CopyError(`the target is not empty: it has rows in ${table}`)
    }
    await sql`insert into copying (source) values (${source})`.execute(tx)
  })
}

/** Deletes the rows of an unfinished copy. Any other database is left unchanged. */
async function clear(to: Database, source: string): Promise<void> {
  if ((await to.unfinishedCopy()) === null) return
  await to.write((tx) => sql`update copying set source = ${source}`.execute(tx).then(() => {}))
  const withParent = sql`(select id from events where parent is not null limit ${sql.lit(BATCH)})`
  await untilNone(to, (tx) => sql`update events set parent = null where id in ${withParent}`.execute(tx))
  for (const [table, key] of TABLES.toReversed()) {
    const names = sql.join(key.map((name) => sql.ref(name)))
    const some = sql`(select ${names} from ${sql.table(table)} limit ${sql.lit(BATCH)})`
    await untilNone(to, (tx) => sql`delete from ${sql.table(table)} where (${names}) in ${some}`.execute(tx))
  }
}

async function untilNone(to: Database, work: (tx: Tx) => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
  while (Number((await to.writeMany(work)).numAffectedRows ?? 0) > 0);
}

async function copyTable(
  from: Tx,
  to: Database,
  table: AnyTable,
  key: readonly string[],
  progress: OnCopyProgress,
): Promise<number> {
  const total = await countRows(from, table)
  let [last] = await to.read((tx) => rowsOf(tx, table, key, null, 1, 'desc'))
  let copied = await to.read((tx) => countRows(tx, table))
  for (;;) {
    progress(table, copied, total)
    const rows = await rowsOf(from, table, key, last ?? null, BATCH, 'asc')
    if (rows.length === 0) return copied
    // A parent may have a higher id than its children: such parents are set at the end.
    const highest = Number(rows.at(-1)?.id)
    const values =
      table === 'events' ? rows.map((row) => (Number(row.parent) > highest ? { ...row, parent: null } : row)) : rows
    await to.write(async (tx) => {
      await tx
        .insertInto(table)
        .values(values as unknown as Insertable<Tables[AnyTable]>[])
        .execute()
      for (const row of values) await indexWords(tx, table, row)
    })
    last = rows.at(-1)
    copied += rows.length
  }
}

/** Indexes the words of a copied row. */
async function indexWords(tx: Tx, table: AnyTable, row: Row): Promise<void> {
  const kind = LINKED_KINDS.find((one) => `${one}s` === table)
  if (kind !== undefined) await indexRecord(tx, kind, row as RecordRow, false)
  if (table === 'terms') await indexName(tx, 'term', Number(row.id), [row.name], false)
  if (table === 'events') await indexEvent(tx, row as unknown as EventRow, false)
}

/** Sets the parents of events that were copied before them. */
async function copyParents(from: Tx, to: Database): Promise<void> {
  for (let last = 0; ; ) {
    const parts = await from
      .selectFrom('events')
      .select(['id', 'parent'])
      .whereRef('parent', '>', 'id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    if (parts.length === 0) return
    await to.write((tx) =>
      dialectOf(tx).withoutTriggers(tx, 'events', async () => {
        for (const { id, parent } of parts)
          await tx.updateTable('events').set({ parent }).where('id', '=', id).execute()
      }),
    )
    last = parts.at(-1)?.id ?? last
  }
}

async function verify(from: Tx, to: Database, table: AnyTable, key: readonly string[]): Promise<void> {
  for (let last: Row | null = null; ; ) {
    const after: Row | null = last
    const rows = await rowsOf(from, table, key, after, BATCH, 'asc')
    const others = await to.read((tx) => rowsOf(tx, table, key, after, BATCH, 'asc'))
    if (!isDeepStrictEqual(rows.map(comparable), others.map(comparable)))
      throw new CopyError(
        `${table} differs: the source was changed after the copy was begun, and it was interrupted; --restart begins anew`,
      )
    if (rows.length < BATCH) return
    last = rows.at(-1) ?? null
  }
}

/** A row without what counts its changes, in a form that is equal on both databases. */
function comparable({ revision: _, sequence: __, ...row }: Row): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function countRows(tx: Tx, table: AnyTable): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Rows after a given one, in key order. */
async function rowsOf(
  tx: Tx,
  table: AnyTable,
  key: readonly string[],
  after: Row | null,
  limit: number,
  order: 'asc' | 'desc',
): Promise<Row[]> {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const where = after === null ? sql`` : sql`where (${names}) > (${sql.join(key.map((name) => after[name] ?? 0))})`
  const ordered = sql.join(key.map((name) => sql`${sql.ref(name)} ${sql.raw(order)}`))
  const { rows } =
    await sql<Row>`select * from ${sql.table(table)} ${where} order by ${ordered} limit ${limit}`.execute(tx)
  return rows
}
