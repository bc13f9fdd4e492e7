import { type Kysely, sql } from 'kysely'
import { LINKED_KINDS, type LinkedKind } from '../../schema/linked.ts'
import { dialectOf, type Tx } from '../dialect.ts'
import { preparedBy, preparedList } from '../prepared.ts'
import type { Tables } from '../tables.ts'
import { type EventPart, LOGGED, type TrackedKind } from './logged.ts'

/** Columns and parts of a record, by name, as they are stored. */
export type Stored = Record<string, unknown>

/** Records that are read with one query. */
const SLICE = 200

/** Columns that are read of each record: its name, and the kind of a term. */
function extraColumns(kind: TrackedKind): string[] {
  return kind === 'term' ? ['id', 'kind', LOGGED[kind].title] : ['id', LOGGED[kind].title]
}

function selectFrom(db: Kysely<Tables>, kind: TrackedKind, columns: Iterable<string>) {
  const names = [...new Set([...extraColumns(kind), ...columns])]
  return db.selectFrom(LOGGED[kind].table as 'events').select(names as 'id'[])
}

const wholeRows = preparedBy((kind: TrackedKind) =>
  preparedList<Stored>((db, ids) => selectFrom(db, kind, LOGGED[kind].columns.keys()).where('id', 'in', ids)),
)

/** The logged columns of records, or some of them, by id. */
async function readRows(
  tx: Tx,
  kind: TrackedKind,
  ids: readonly number[],
  columns: readonly string[] | 'all',
): Promise<Map<number, Stored>> {
  const found: Stored[] = []
  const share = sharing()
  for (let at = 0; at < ids.length; at += SLICE) {
    const some = ids.slice(at, at + SLICE)
    const rows =
      columns === 'all'
        ? await wholeRows(kind)(tx, some)
        : await selectFrom(tx, kind, columns)
            .where((eb) => dialectOf(tx).isInJson(eb.ref('id'), eb.val(JSON.stringify(some))))
            .execute()
    found.push(...(ids.length === 1 ? (rows as Stored[]) : (rows as Stored[]).map(share)))
  }
  return new Map(found.map((row) => [Number(row.id), row]))
}

/** Length from which a text is kept once. */
export const LONG = 100

/** Keeps each long text once: thousands of occurrences have the same description. */
function sharing(): (row: Stored) => Stored {
  const known = new Map<string, string>()
  return (row) => {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'string' || value.length < LONG) continue
      const first = known.get(value)
      if (first === undefined) known.set(value, value)
      else row[name] = first
    }
    return row
  }
}

const linkedOf = preparedBy((kind: LinkedKind) =>
  preparedList<{ event: number; value: number }>((db, events) =>
    db
      .selectFrom(`event_${kind}s`)
      .select(['event', 'linked as value'])
      .where('event', 'in', events)
      .orderBy('event')
      .orderBy('position'),
  ),
)

const termsOf = preparedList<{ event: number; value: number; kind: string }>((db, events) =>
  db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .select(['event_terms.event', 'event_terms.term as value', 'terms.kind'])
    .where('event_terms.event', 'in', events)
    .orderBy('event_terms.term'),
)

const ticketsOf = preparedList<Stored & { event: number }>((db, events) =>
  db
    .selectFrom('tickets')
    .select(['event', 'name', 'price', 'currency', 'url', 'capacity', 'available_from', 'available_until'])
    .where('event', 'in', events)
    .orderBy('event')
    .orderBy('position'),
)

/** Kinds of terms. */
export const kindsOfTerms = preparedList<{ id: number; kind: string }>((db, ids) =>
  db.selectFrom('terms').select(['id', 'kind']).where('id', 'in', ids),
)

/** Parts of events, by event. */
async function readParts(tx: Tx, ids: readonly number[], parts: readonly string[]): Promise<Map<number, Stored>> {
  const found = new Map<number, Stored>(ids.map((id) => [id, {}]))
  const put = (part: EventPart, rows: readonly { readonly event: number }[]) => {
    const byEvent = Map.groupBy(rows, ({ event }) => event)
    for (const [id, stored] of found) stored[part] = byEvent.get(id) ?? []
  }
  for (const kind of LINKED_KINDS) if (parts.includes(kind)) put(kind, await linkedOf(kind)(tx, ids))
  if (parts.includes('terms')) put('terms', await termsOf(tx, ids))
  if (parts.includes('tickets')) put('tickets', await ticketsOf(tx, ids))
  return found
}

/** Which columns and parts: `all` columns are read by a statement that is compiled once. */
export interface Names {
  readonly columns: readonly string[] | 'all'
  readonly parts: readonly string[]
}

/** Columns and parts of records, by id; those that do not exist are left out. */
export async function read(
  tx: Tx,
  kind: TrackedKind,
  ids: readonly number[],
  { columns, parts }: Names,
): Promise<Map<number, Stored>> {
  const rows = await readRows(tx, kind, ids, columns)
  if (parts.length === 0) return rows
  for (const [id, stored] of await readParts(tx, [...rows.keys()], parts)) {
    const row = rows.get(id)
    if (row !== undefined) rows.set(id, { ...row, ...stored })
  }
  return rows
}

/** Values of settings, by name. */
export async function readSettings(tx: Tx, names: readonly string[]): Promise<Stored> {
  if (names.length === 0) return {}
  const rows = await tx.selectFrom('settings').selectAll().where('name', 'in', names).execute()
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? null]))
}

/** Ids of the records that a condition on their table finds. */
export async function idsWhere(tx: Tx, table: string, column: string, value: number): Promise<number[]> {
  const { rows } = await sql<{
    id: number
  }>`select id from ${sql.table(table)} where ${sql.ref(column)} = ${value}`.execute(tx)
  return rows.map(({ id }) => Number(id))
}
