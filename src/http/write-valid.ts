import type { Scope } from '../domain/scope.ts'
import { TimeSlice } from '../lib/time-slices.ts'

/** An event, as far as it is reported. */
interface Event {
  readonly row: { readonly id: number; readonly revision: number }
}

/** An event, or a layout item that has one. */
type HasEvent = Event | { readonly event: Event }

/**
 * Renders each event of a list. An event that fails to render is reported and left out, so that the others are shown.
 */
export function writeValid<Item extends HasEvent, T>(
  { onDamage }: Pick<Scope, 'onDamage'>,
  items: readonly Item[],
  write: (item: Item) => T,
): T[] {
  const written: T[] = []
  for (const item of items) writeOne(onDamage, item, write, written)
  return written
}

/** The same for a long list, so that other requests are answered in between. */
export async function writeValidInSlices<Item extends HasEvent, T>(
  { onDamage }: Pick<Scope, 'onDamage'>,
  items: readonly Item[],
  write: (item: Item) => T,
): Promise<T[]> {
  const slice = new TimeSlice()
  const written: T[] = []
  for (const item of items) {
    if (slice.isOver) await slice.yield()
    writeOne(onDamage, item, write, written)
  }
  return written
}

function writeOne<Item extends HasEvent, T>(
  onDamage: Scope['onDamage'],
  item: Item,
  write: (item: Item) => T,
  written: T[],
): void {
  try {
    written.push(write(item))
  } catch (error) {
    const { id, revision } = ('event' in item ? item.event : (item as Event)).row
    onDamage?.({ kind: 'event', id, revision, reason: error instanceof Error ? error : new Error(String(error)) })
  }
}
