import { createHash } from 'node:crypto'
import { type Insertable, sql } from 'kysely'
import type { Database } from './database.ts'
import { dialectOf, type Sequence, type Tx } from './dialect.ts'
import type { Tables } from './tables.ts'

/** Why a copy cannot be made, or was not good. */
export class CopyError extends Error {}

/** Told how far the copy is. */
export type Progress = (table: string, copied: number, total: number) => void

type Row = Record<string, string | number | null>

/** Every table that holds data, in an order in which what a row refers to is there before it, with its key. */
const TABLES = [
  ['users', ['id']],
  ['tokens', ['id']],
  ['sign_ins', ['user', 'address']],
  ['images', ['id']],
  ['venues', ['id']],
  ['organizers', ['id']],
  ['terms', ['id']],
  ['events', ['id']],
  ['event_venues', ['event', 'linked']],
  ['event_organizers', ['event', 'linked']],
  ['event_terms', ['event', 'term']],
  ['tickets', ['id']],
  ['imports', ['source', 'kind', 'uid', 'part']],
] as const satisfies readonly (readonly [keyof Tables, readonly string[]])[]
type Table = (typeof TABLES)[number][0]

const IDENTITIES: readonly Table[] = ['users', 'tokens', 'tickets']
const SEQUENCES: readonly Sequence[] = ['records', 'terms']
const BATCH = 500

/**
 * Copies everything from one database to an empty one, ids included, in batches. What was interrupted is taken up where
 * it stopped: rows are copied in the order of their keys, and a mark in the target names the source until all is
 * verified. Answers how many rows there are of each table.
 */
export async function copyDatabase(
  from: Database,
  to: Database,
  source: string,
  progress: Progress,
): Promise<Record<string, number>> {
  await to.migrate()
  if ((await from.pending()).length > 0)
    throw new CopyError('the source is not up to date: run "kalends migrate" on it')
  await begin(to, source)
  const counts: Record<string, number> = {}
  for (const [table, key] of TABLES) counts[table] = await copyTable(from, to, table, key, progress)
  await copyParents(from, to)
  for (const sequence of SEQUENCES) {
    const last = await from.read((tx) => dialectOf(tx).lastId(tx, sequence))
    await to.write((tx) => dialectOf(tx).setLastId(tx, sequence, last))
  }
  for (const table of IDENTITIES) await to.write((tx) => dialectOf(tx).passIdentity(tx, table))
  await verify(from, to)
  await to.write((tx) => sql`drop table copying`.execute(tx).then(() => {}))
  return counts
}

/** Marks the target as being copied to; one that holds anything else is refused. */
async function begin(to: Database, source: string): Promise<void> {
  await to.write(async (tx) => {
    await sql`create table if not exists copying (source text not null)`.execute(tx)
    const { rows } = await sql<{ source: string }>`select source from copying`.execute(tx)
    const [mark] = rows
    if (mark !== undefined) {
      if (mark.source !== source) throw new CopyError(`the target holds an unfinished copy of ${mark.source}`)
      return
    }
    for (const [table] of TABLES) {
      if ((await countRows(tx, table)) > 0) throw new CopyError(`the target is not empty: it has rows in ${table}`)
    }
    await sql`insert into copying (source) values (${source})`.execute(tx)
  })
}

async function copyTable(
  from: Database,
  to: Database,
  table: Table,
  key: readonly string[],
  progress: Progress,
): Promise<number> {
  const total = await from.read((tx) => countRows(tx, table))
  let [last] = await to.read((tx) => rowsOf(tx, table, key, null, 1, 'desc'))
  let copied = await to.read((tx) => countRows(tx, table))
  for (;;) {
    progress(table, copied, total)
    const rows = await from.read((tx) => rowsOf(tx, table, key, last ?? null, BATCH, 'asc'))
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
async function copyParents(from: Database, to: Database): Promise<void> {
  const parts = await from.read((tx) =>
    tx.selectFrom('events').select(['id', 'parent']).where('parent', 'is not', null).execute(),
  )
  for (let at = 0; at < parts.length; at += BATCH) {
    await to.write(async (tx) => {
      for (const { id, parent } of parts.slice(at, at + BATCH))
        await tx.updateTable('events').set({ parent }).where('id', '=', id).execute()
    })
  }
}

/** Compares the number of rows of each table, and what is in them. */
async function verify(from: Database, to: Database): Promise<void> {
  for (const [table, key] of TABLES) {
    const [one, other] = [await checksum(from, table, key), await checksum(to, table, key)]
    if (one.count !== other.count) throw new CopyError(`${table} has ${one.count} rows here and ${other.count} there`)
    if (one.hash !== other.hash)
      throw new CopyError(`the rows of ${table} differ: the source was changed while it was copied`)
  }
}

async function checksum(db: Database, table: Table, key: readonly string[]): Promise<{ count: number; hash: string }> {
  const hash = createHash('sha256')
  let count = 0
  let last: Row | undefined
  for (;;) {
    const rows = await db.read((tx) => rowsOf(tx, table, key, last ?? null, BATCH, 'asc'))
    if (rows.length === 0) return { count, hash: hash.digest('hex') }
    for (const row of rows)
      hash.update(
        JSON.stringify(
          Object.keys(row)
            .filter((name) => name !== 'revision')
            .sort()
            .map((name) => [name, row[name]]),
        ),
      )
    count += rows.length
    last = rows.at(-1)
  }
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
