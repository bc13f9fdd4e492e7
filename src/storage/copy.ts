import { isDeepStrictEqual } from 'node:util'
import { type Insertable, sql } from 'kysely'
import { byLinkedPlural, LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import type { Database } from './database.ts'
import { dialectOf, type Sequence, type Tx } from './dialect.ts'
import { LINK_TABLE } from './records.ts'
import type { Tables } from './tables.ts'

/** Why a copy cannot be made, or was not good. */
export class CopyError extends Error {}

/** Told how far the copy is. */
export type OnCopyProgress = (table: string, copied: number, total: number) => void

type Row = Record<string, string | number | null>

/**
 * Every table that holds data, in an order in which what a row refers to is there before it, with its key. The list of
 * unused files is not copied: the source may share its files with the copy, and name them later.
 */
const KEYS: Record<Table, readonly string[]> = {
  users: ['id'],
  tokens: ['id'],
  sign_ins: ['user', 'address'],
  images: ['id'],
  ...byLinkedPlural(() => ['id']),
  terms: ['id'],
  events: ['id'],
  ...linkTables(['event', 'linked']),
  event_terms: ['event', 'term'],
  tickets: ['id'],
  imports: ['source', 'kind', 'uid', 'part'],
  jobs: ['id'],
}
type Table = Exclude<keyof Tables, NotCopied>
/** Counters of one database, and what only concerns the site that it belongs to. */
type NotCopied = 'sequences' | 'data_version' | 'limits' | 'unused_files' | 'import_progress'
const TABLES = Object.entries(KEYS) as [Table, readonly string[]][]

function linkTables<T>(key: T): { [K in LinkedKind as `event_${K}s`]: T } {
  return Object.fromEntries(LINKED_KINDS.map((kind) => [LINK_TABLE[kind], key])) as ReturnType<typeof linkTables<T>>
}

const IDENTITIES: readonly Table[] = ['users', 'tokens', 'tickets', 'jobs']
const SEQUENCES: readonly Sequence[] = ['records', 'terms']
const BATCH = 500

/**
 * Copies everything from one database to an empty one, ids included, in batches. All is of one moment, whatever is written
 * to the source meanwhile. What was interrupted is taken up where it stopped: rows are copied in the order of their keys,
 * and a mark in the target names the source until all is verified. With `restart`, what an unfinished copy has left is
 * removed first. Answers how many rows there are of each table.
 */
export async function copyDatabase(
  from: Database,
  to: Database,
  source: string,
  progress: OnCopyProgress,
  restart = false,
): Promise<Record<string, number>> {
  const unfinished = await from.unfinishedCopy()
  if (unfinished !== null) throw new CopyError(`the source itself holds an unfinished copy of ${unfinished}`)
  if ((await from.pending()).length > 0)
    throw new CopyError('the source is not up to date: run "kalends migrate" on it')
  await to.migrate({ intoCopy: true })
  if (restart) await clear(to, source)
  await begin(to, source)
  const counts = await from.readMany((tx) => copyAll(tx, to, progress))
  await to.write((tx) => sql`drop table copying`.execute(tx).then(() => {}))
  return counts
}

/** Copies what a transaction sees, and compares it. Neither side is left alone for long, so that no connection is closed. */
async function copyAll(from: Tx, to: Database, progress: OnCopyProgress): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [table, key] of TABLES) counts[table] = await copyTable(from, to, table, key, progress)
  await copyParents(from, to)
  for (const sequence of SEQUENCES) {
    const last = await dialectOf(from).lastId(from, sequence)
    await to.write((tx) => dialectOf(tx).setLastId(tx, sequence, last))
  }
  for (const table of IDENTITIES) await to.write((tx) => dialectOf(tx).passIdentity(tx, table))
  for (const [table, key] of TABLES) await verify(from, to, table, key)
  return counts
}

/** Marks the target as being copied to; one that holds anything else is refused. */
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

/** Removes what an unfinished copy has left; a database that is none is left alone. */
async function clear(to: Database, source: string): Promise<void> {
  if ((await to.unfinishedCopy()) === null) return
  await to.write((tx) => sql`update copying set source = ${source}`.execute(tx).then(() => {}))
  const parted = sql`(select id from events where parent is not null limit ${sql.lit(BATCH)})`
  await untilNone(to, (tx) => sql`update events set parent = null where id in ${parted}`.execute(tx))
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
  table: Table,
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
    // A parent may come after its parts: they are put together when all are there.
    const values = table === 'events' ? rows.map((row) => ({ ...row, parent: null })) : rows
    await to.write((tx) =>
      tx
        .insertInto(table)
        .values(values as unknown as Insertable<Tables[Table]>[])
        .execute()
        .then(() => {}),
    )
    last = rows.at(-1)
    copied += rows.length
  }
}

/** Says of every event what it is part of, now that all are there. */
async function copyParents(from: Tx, to: Database): Promise<void> {
  for (let last = 0; ; ) {
    const parts = await from
      .selectFrom('events')
      .select(['id', 'parent'])
      .where('parent', 'is not', null)
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    if (parts.length === 0) return
    await to.write(async (tx) => {
      for (const { id, parent } of parts) await tx.updateTable('events').set({ parent }).where('id', '=', id).execute()
    })
    last = parts.at(-1)?.id ?? last
  }
}

/** Compares a table, row by row. */
async function verify(from: Tx, to: Database, table: Table, key: readonly string[]): Promise<void> {
  for (let last: Row | null = null; ; ) {
    const behind: Row | null = last
    const rows = await rowsOf(from, table, key, behind, BATCH, 'asc')
    const others = await to.read((tx) => rowsOf(tx, table, key, behind, BATCH, 'asc'))
    if (!isDeepStrictEqual(rows.map(comparable), others.map(comparable)))
      throw new CopyError(
        `${table} differs: the source was changed after the copy was begun, and it was interrupted; --restart begins anew`,
      )
    if (rows.length < BATCH) return
    last = rows.at(-1) ?? null
  }
}

/** A row without what the database itself counts, in a form that is the same on both databases. */
function comparable({ revision: _, ...row }: Row): string {
  return JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function countRows(tx: Tx, table: Table): Promise<number> {
  const { count } = await tx
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Rows behind one, in the order of their keys. */
async function rowsOf(
  tx: Tx,
  table: Table,
  key: readonly string[],
  behind: Row | null,
  limit: number,
  order: 'asc' | 'desc',
): Promise<Row[]> {
  const names = sql.join(key.map((name) => sql.ref(name)))
  const where = behind === null ? sql`` : sql`where (${names}) > (${sql.join(key.map((name) => behind[name] ?? 0))})`
  const ordered = sql.join(key.map((name) => sql`${sql.ref(name)} ${sql.raw(order)}`))
  const { rows } =
    await sql<Row>`select * from ${sql.table(table)} ${where} order by ${ordered} limit ${limit}`.execute(tx)
  return rows
}
