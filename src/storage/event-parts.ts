import { type Compilable, type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { preparedBy, preparedList } from './prepared.ts'
import { LINK_TABLE, type LinkedKind, RECORD_TABLE, type RecordRow } from './records.ts'
import type { Tables, TermTable } from './tables.ts'
import { isVisibleByKey, type Visibility } from './visibility.ts'

/** Reads what belongs to events: venues, organizers and terms, and the links to them. */

type RowOfEvent = RecordRow & { readonly of_event: number }

/** Query for the linked records of some events. */
function linkedRows(
  db: Kysely<Tables>,
  kind: LinkedKind,
  visibility: Visibility,
  isOfSome: (event: ExpressionBuilder<Tables, 'event_venues'>) => Expression<SqlBool>,
): Compilable<RowOfEvent> {
  const [links, table] = [LINK_TABLE[kind] as 'event_venues', RECORD_TABLE[kind] as 'venues']
  return db
    .selectFrom(links)
    .innerJoin(table, `${table}.id`, `${links}.linked`)
    .selectAll(table)
    .select(`${links}.event as of_event`)
    .where((eb) => isOfSome(eb as unknown as ExpressionBuilder<Tables, 'event_venues'>))
    .where((eb) => isVisibleByKey(db as Tx, eb as unknown as ExpressionBuilder<Tables, 'venues'>, visibility))
    .orderBy(`${links}.event`)
    .orderBy(`${links}.position`) as unknown as Compilable<RowOfEvent>
}

const linkedOfSome = preparedBy((form: `${LinkedKind} ${'all' | 'public'}`) => {
  const [kind, seen] = form.split(' ') as [LinkedKind, 'all' | 'public']
  const visibility = { all: seen === 'all', own: null, ownPublished: false }
  return preparedList<RowOfEvent>((db, events) =>
    linkedRows(db, kind, visibility, (eb) => eb(`${LINK_TABLE[kind] as 'event_venues'}.event`, 'in', events)),
  )
})

/** Venues or organizers of events that a reader may see, in order, by event id. */
export async function linkedOf(
  tx: Tx,
  kind: LinkedKind,
  events: readonly number[],
  visibility: Visibility,
): Promise<Map<number, RecordRow[]>> {
  if (events.length === 0) return new Map()
  // For readers with records of their own there would be a statement each.
  const rows =
    visibility.own === null
      ? await linkedOfSome(`${kind} ${visibility.all ? 'all' : 'public'}`)(tx, events)
      : await linkedToOwn(tx, kind, events, visibility)
  return Map.groupBy(rows, (row) => row.of_event)
}

async function linkedToOwn(
  tx: Tx,
  kind: LinkedKind,
  events: readonly number[],
  visibility: Visibility,
): Promise<RowOfEvent[]> {
  const ids = JSON.stringify(events)
  const query = linkedRows(tx, kind, visibility, (eb) =>
    dialectOf(tx).isInJson(eb.ref(`${LINK_TABLE[kind] as 'event_venues'}.event`), eb.val(ids)),
  )
  return (await tx.executeQuery(query.compile())).rows
}

const termsOfSome = preparedList<TermTable & { of_event: number }>((db, events) =>
  db
    .selectFrom('event_terms')
    .innerJoin('terms', 'terms.id', 'event_terms.term')
    .selectAll('terms')
    .select('event_terms.event as of_event')
    .where('event_terms.event', 'in', events)
    .orderBy('terms.name_key')
    .orderBy('terms.id'),
)

/** Categories and tags of events, ordered by name, by event id. */
export async function termsOf(tx: Tx, events: readonly number[]): Promise<Map<number, TermTable[]>> {
  return Map.groupBy(await termsOfSome(tx, events), (row) => row.of_event)
}

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
const inOrder = linksOf(true)

/**
 * All links of events, regardless of visibility; venues, organizers and tickets in order. Most events have one of each, and
 * an index has all but the position.
 */
export async function links(tx: Tx, events: readonly number[]): Promise<Link[]> {
  const found = await inAnyOrder(tx, events)
  const isOneOfEach = LINKED_KINDS.every((kind) => {
    const linked = found.filter((link) => link.kind === kind)
    return new Set(linked.map(({ event }) => event)).size === linked.length
  })
  return isOneOfEach ? found : inOrder(tx, events)
}
