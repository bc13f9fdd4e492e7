import type { Tx } from './dialect.ts'

/**
 * Of some terms those that are a user's own: the user made them and all categories below them, and every event that has
 * one of these is the user's, whatever its status.
 */
export async function ownTerms(tx: Tx, ids: readonly number[], user: number): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const foreign = await tx
    .withRecursive('tree(root, id)', (db) =>
      db
        .selectFrom('terms')
        .select(['terms.id as root', 'terms.id'])
        .where('terms.id', 'in', ids)
        .union(
          db
            .selectFrom('terms')
            .innerJoin('tree', 'tree.id', 'terms.parent')
            .where('terms.kind', '=', 'category')
            .select(['tree.root', 'terms.id']),
        ),
    )
    .selectFrom('tree')
    .innerJoin('terms', 'terms.id', 'tree.id')
    .select('tree.root')
    .distinct()
    .where((eb) =>
      eb.or([
        eb('terms.author', 'is', null),
        eb('terms.author', '!=', user),
        eb.exists(
          eb
            .selectFrom('event_terms')
            .innerJoin('events', 'events.id', 'event_terms.event')
            .select('events.id')
            .whereRef('event_terms.term', '=', 'terms.id')
            .where('events.author', '!=', user),
        ),
      ]),
    )
    .execute()
  const others = new Set(foreign.map(({ root }) => root))
  return new Set(ids.filter((id) => !others.has(id)))
}
