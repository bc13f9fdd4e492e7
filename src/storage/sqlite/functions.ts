import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { Marks } from '../marks.ts'

/** Aggregate function: ids of the events that have all marks, from rows of marks and lists of ids; as JSON. */
export const MARKED_IDS = 'marked_ids'

interface MarkedIds {
  readonly events: Marks
  all: number
}

/**
 * Adds functions of ours to a connection. Joining large sets of ids in JavaScript takes a tenth of the time of `union`
 * and `intersect`, which sort them.
 */
export function addFunctions(database: DatabaseSync): void {
  const start = (): MarkedIds => ({ events: new Marks(), all: 0 })
  const step = (found: MarkedIds, marks: SQLOutputValue, ids: SQLOutputValue, all: SQLOutputValue) => {
    found.events.add(Number(marks), String(ids))
    found.all = Number(all)
    return found
  }
  const result = ({ events, all }: MarkedIds) => JSON.stringify(events.having(all))
  // Node takes any value as the state of an aggregate; its types know values of SQLite alone.
  database.aggregate(MARKED_IDS, { start, step, result } as unknown as Parameters<DatabaseSync['aggregate']>[1])
}
