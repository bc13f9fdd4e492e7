import { sql } from 'kysely'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from './dialect.ts'
import { preparedList } from './prepared.ts'
import { LINK_TABLE, type LinkedKind } from './records.ts'

/** A link from an event to a term, venue or organizer, or one of its tickets. */
export interface Link {
  readonly event: number
  readonly kind: LinkedKind | TermKind | 'ticket'
  readonly linked: number
}

const asKind = (kind: Link['kind']) => sql<Link['kind']>`cast(${kind} as text)`.as('kind')

const linksOf = (isOrdered: boolean) =>
  preparedList<Link>((db, events) => {
    const linked = (kind: LinkedKind) =>
      db
        .selectFrom(LINK_TABLE[kind])
        .select(['event', 'linked', isOrdered ? 'position' : 'event as position'])
        .select(asKind(kind))
        .where('event', 'in', events)
    const terms = db
      .selectFrom('event_terms')
      .innerJoin('terms', 'terms.id', 'event_terms.term')
      .select(['event_terms.event', 'event_terms.term as linked', 'event_terms.event as position'])
      .select(sql<Link['kind']>`terms.kind`.as('kind'))
      .where('event_terms.event', 'in', events)
    const tickets = db
      .selectFrom('tickets')
      .select(['event', 'id as linked', 'position'])
      .select(asKind('ticket'))
      .where('event', 'in', events)
    const [first, ...others] = LINKED_KINDS.map(linked)
    const all = others
      .reduce((all, one) => all.unionAll(one), first ?? linked('venue'))
      .unionAll(terms)
      .unionAll(tickets)
    return isOrdered ? all.orderBy('position') : all
  })

const inAnyOrder = linksOf(false)

/** All links of events, regardless of visibility; venues, organizers and tickets in order. */
export const orderedLinks = linksOf(true)

/** The same, faster if events have one of each, as most do: an index has all but the position. Else it takes another query. */
export async function links(tx: Tx, events: readonly number[]): Promise<Link[]> {
  const found = await inAnyOrder(tx, events)
  const isOneOfEach = LINKED_KINDS.every((kind) => {
    const linked = found.filter((link) => link.kind === kind)
    return new Set(linked.map(({ event }) => event)).size === linked.length
  })
  return isOneOfEach ? found : orderedLinks(tx, events)
}
