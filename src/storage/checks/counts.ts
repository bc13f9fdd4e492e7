import { sql } from 'kysely'
import { RECORD_KINDS } from '../../schema/linked.ts'
import { dialectOf, type Sequence, type Tx } from '../dialect.ts'
import { RECORD_TABLE } from '../records.ts'

export interface WrongCount {
  readonly id: number
  readonly name: string
  readonly count: number
  readonly events: number
}

const COUNTED = sql`(select count(*) from event_terms join events on events.id = event_terms.event
  where event_terms.term = terms.id and events.status = 'publish' and events.password_hash is null)`

/** Terms whose stored count is not the number of their published events without a password. */
export async function findWrongCounts(tx: Tx): Promise<WrongCount[]> {
  const { rows } = await sql<WrongCount>`select id, name, count, events from
    (select id, name, count, ${COUNTED} as events from terms) as counted where count <> events order by id`.execute(tx)
  return rows
}

export async function repairCounts(tx: Tx): Promise<void> {
  await sql`update terms set count = ${COUNTED} where count <> ${COUNTED}`.execute(tx)
}

/** Sequences that would give an id again. */
export async function findLowSequences(tx: Tx): Promise<{ sequence: Sequence; last: number; highest: number }[]> {
  const records = [...RECORD_KINDS.map((kind) => RECORD_TABLE[kind]), 'images']
  const tables: Partial<Record<Sequence, readonly string[]>> = { records, terms: ['terms'] }
  const found: { sequence: Sequence; last: number; highest: number }[] = []
  for (const [sequence, all] of Object.entries(tables) as [Sequence, readonly string[]][]) {
    const last = await dialectOf(tx).lastId(tx, sequence)
    let highest = 0
    for (const table of all) {
      const { rows } = await sql<{ id: number | null }>`select max(id) as id from ${sql.table(table)}`.execute(tx)
      highest = Math.max(highest, Number(rows[0]?.id ?? 0))
    }
    if (last < highest) found.push({ sequence, last, highest })
  }
  return found
}

export async function repairSequence(tx: Tx, sequence: Sequence, highest: number): Promise<void> {
  await dialectOf(tx).setLastId(tx, sequence, highest)
}
