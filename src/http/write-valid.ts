import type { Event } from '../domain/events.ts'
import type { Scope } from '../domain/scope.ts'

/** An event, or its place in something that is drawn. */
type Listed = Event | { readonly event: Event }

/** What `write` makes of each event of a list. One of which it can make nothing is left out and reported: the others are shown. */
export function writeValid<Item extends Listed, T>(
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
