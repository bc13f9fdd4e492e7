import { sql } from 'kysely'
import { LINKED_KINDS } from '../../schema/linked.ts'
import type { DerivedIndex } from '../derived-index.ts'
import { LINK_TABLE } from '../records.ts'

const TABLES = [...LINKED_KINDS.map((kind) => LINK_TABLE[kind]), 'event_terms']

/** When an event ends, if public lists show it: see linked-list.ts. */
const SHOWN_END = sql`case when events.status = 'publish' and events.hide_from_listings = 0 and events.password_hash is null
  then events.end_local end`

const isWrong = (table: string) => sql`events.id = ${sql.ref(`${table}.event`)}
  and (${sql.ref(`${table}.start_local`)} <> events.start_local
    or ${sql.ref(`${table}.shown_end`)} is distinct from ${SHOWN_END})`

/** What links tell of their events. */
export const shownLinks: DerivedIndex = {
  name: 'links to events',
  async countWrong(tx) {
    let wrong = 0
    for (const table of TABLES) {
      const { rows } = await sql<{ wrong: number }>`select count(*) as wrong from ${sql.table(table)} join events
        on ${isWrong(table)}`.execute(tx)
      wrong += Number(rows[0]?.wrong)
    }
    return wrong
  },
  async rebuild(tx) {
    for (const table of TABLES)
      await sql`update ${sql.table(table)} set start_local = events.start_local, shown_end = ${SHOWN_END} from events
        where ${isWrong(table)}`.execute(tx)
  },
}
