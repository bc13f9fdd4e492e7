import { gather, type Tx } from './dialect.ts'
import { conditions, type EventFilter } from './event-filter.ts'
import { type EventRow, page } from './events.ts'

/** The most sticky events that are looked at. */
const MOST = 500

/** The sticky events of a list that begin in some days, in order; null if so many are sticky that it means nothing. */
export async function listSticky(tx: Tx, filter: EventFilter, from: string, to: string): Promise<EventRow[] | null> {
  const ids = await gather(
    tx,
    tx
      .selectFrom('events')
      .select('id')
      // Not a parameter: only so is the partial index used.
      .where((eb) => eb('sticky', '=', eb.lit(1)))
      .where('start_local', '>=', `${from} 00:00:00`)
      .where('start_local', '<=', `${to} 23:59:59`)
      .limit(MOST + 1),
  )
  if (ids.length > MOST) return null
  return ids.length === 0 ? [] : page(tx, { ...filter, found: ids }, MOST, 0)
}

/** How many events of a list begin on the same day as one of them and stand before it. */
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
