import type { Event } from '../domain/events.ts'
import type { Scope } from '../domain/scope.ts'

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
  for (const item of items) {
    try {
      written.push(write(item))
    } catch (error) {
      const { row } = 'event' in item ? item.event : (item as Event)
      const { id, revision } = row
      onDamage?.({ kind: 'event', id, revision, reason: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  return written
}
