import type { Problems } from '../lib/errors.ts'
import { type Cursor, writeCursor } from '../schema/cursor.ts'
import type { eventListParameters } from '../schema/event.ts'
import type { Values } from '../schema/field.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventFilter } from '../storage/event-filter.ts'
import type { EventOrder } from '../storage/event-order.ts'
import type { SortValues } from '../storage/keyset.ts'
import { isTitled } from '../storage/word-hits.ts'
import { isCursorOf, type KeyType } from './cursors.ts'

type Asked = Values<typeof eventListParameters>

/** Sort keys of each order. */
const KEYS: Record<EventOrder['by'], readonly KeyType[]> = {
  start_date: ['text', 'whole'],
  modified: ['whole', 'whole'],
  title: ['text', 'whole'],
  id: ['whole'],
  distance: ['real', 'text', 'whole'],
  words: ['whole', 'text', 'whole'],
}

/** The order that a request asks for: nearest first by distance, and titles first by words, unless it names one. */
function orderedBy({ orderby, geoloc_lat, search, search_mode }: Asked): EventOrder['by'] {
  if (orderby) return orderby
  if (typeof geoloc_lat === 'number') return 'distance'
  return search && search_mode === 'words' ? 'words' : 'start_date'
}

/** Name of the order in cursors. */
export function orderName(asked: Asked): string {
  const by = orderedBy(asked)
  return by === 'distance' || by === 'words' ? by : `${by} ${asked.order ?? 'asc'}`
}

/** Whether a list is not read by its pages in the usual order, but sorted by a query of its own. */
export function isSorted(asked: Asked): boolean {
  return Boolean(asked.cursor) || !['start_date asc', 'distance', 'words'].includes(orderName(asked))
}

export function checkCursor(asked: Asked, problems: Problems): void {
  if (asked.cursor && !isCursorOf(asked.cursor, orderName(asked), KEYS[orderedBy(asked)]))
    problems.cursor ??= { problem: 'not_a_cursor' }
}

export function orderOf(asked: Asked, filter: EventFilter): EventOrder {
  const by = orderedBy(asked)
  if (by === 'distance') return { by }
  if (by === 'words') return { by, titled: filter.words?.titled ?? [] }
  return { by, direction: asked.order ?? 'asc' }
}

/** Cursor after an event with this sort key. */
export function cursorAfter(asked: Asked, key: SortValues): string {
  return writeCursor({ order: orderName(asked), key } satisfies Cursor)
}

/** Cursor after an event of a page in the usual order. */
export async function cursorAfterEvent(
  tx: Tx,
  asked: Asked,
  filter: EventFilter,
  { id, start_local, distance }: { readonly id: number; readonly start_local: string; readonly distance?: number },
): Promise<string> {
  const by = orderedBy(asked)
  if (by === 'distance') return cursorAfter(asked, [distance ?? 0, start_local, id])
  if (by !== 'words') return cursorAfter(asked, [start_local, id])
  const titled = filter.words !== null && (await isTitled(tx, filter.words, id))
  return cursorAfter(asked, [titled ? 0 : 1, start_local, id])
}
