import { isInYears } from '../calendar/years.ts'
import type { RecordKind } from '../schema/linked.ts'
import * as storage from '../storage/addresses.ts'
import { faultsOf } from './damage.ts'
import type { Scope } from './scope.ts'

export type { Address } from '../storage/addresses.ts'

/** Rows per query, so that a long list does not hold up other queries. */
const BATCH = 1000

/** Addresses of public records, in order of id, in batches; ids from `from` up to, but not including, `below`. */
export async function* list(
  { db }: Pick<Scope, 'db'>,
  kind: RecordKind,
  from: number,
  below: number,
): AsyncGenerator<storage.Address[]> {
  let next = from
  while (next < below) {
    const { rows, sound } = await db.readMany(async (tx) => {
      if (kind === 'event') {
        const events = await storage.listEvents(tx, next, below, BATCH)
        return { rows: events, sound: events.filter((row) => faultsOf(row) === null) }
      }
      const linked = await storage.list(tx, kind, next, below, BATCH)
      return { rows: linked, sound: linked.filter(({ modified_utc }) => isInYears(modified_utc)) }
    })
    const last = rows.at(-1)
    if (last === undefined) return
    yield sound
    if (rows.length < BATCH) return
    next = last.id + 1
  }
}

/** Highest id of the public records of a kind, or 0. */
export async function highestId({ db }: Pick<Scope, 'db'>, kind: RecordKind): Promise<number> {
  return db.readMany((tx) => storage.highestId(tx, kind))
}
