import { selectIds, type Tx } from './dialect.ts'
import { conditions, type EventFilter } from './event-filter.ts'
import { type EventRow, page } from './events.ts'

/** Limit on sticky events. */
const MAX_STICKY = 500

/** Sticky events of a list that start in a range of days, in order; null if there are too many to be useful. */
export async function listSticky(tx: Tx, filter: EventFilter, from: string, to: string): Promise<EventRow[] | null> {
  const ids = await selectIds(
    tx,
    tx
      .selectFrom('events')
      .select('id')
      // A literal, not a parameter: only then is the partial index used.
      .where((eb) => eb('sticky', '=', eb.lit(1)))
      .where('start_local', '>=', `${from} 00:00:00`)
      .where('start_local', '<=', `${to} 23:59:59`)
      .limit(MAX_STICKY + 1),
  )
  if (ids.length > MAX_STICKY) return null
  return ids.length === 0 ? [] : page(tx, { ...filter, found: ids }, MAX_STICKY, 0)
}

/** Number of events of a list that start on the same day as an event and precede it. */
export async function countBefore(tx: Tx, filter: EventFilter, { start_local, id }: EventRow): Promise<number> {
  const { total } = await tx
    .selectFrom('events')
    .where((eb) => eb.and(conditions(tx, eb, filter)))
    .where('start_local', '>=', `${start_local.slice(0, 10)} 00:00:00`)
    .where('start_local', '<=', start_local)
    .where((eb) => eb(eb.refTuple('start_local', 'id'), '<', eb.tuple(start_local, id)))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
