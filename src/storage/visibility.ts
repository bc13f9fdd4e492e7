import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { Tables } from './tables.ts'

/** What a reader may see, as part of every query: never a filter over its results, so that totals and pages are true. */

/** What a reader may see of the records of others, and of their own. Decided in domain/access.ts. */
export interface Visibility {
  readonly all: boolean
  /** The reader's own user id, if they may see their own unpublished records. */
  readonly own: number | null
  /** Whether the reader may still edit their own records once they are published. */
  readonly ownPublished: boolean
}

/** The statuses of a record that nobody was ever shown. */
export const UNPUBLISHED = ['draft', 'pending'] as const satisfies Status[]

/** The condition that a reader may open the record and, with `statuses`, that it has one of them; without, that it is not in the trash. */
export function isVisible<T extends keyof Tables>(
  eb: ExpressionBuilder<Tables, T>,
  visibility: Visibility,
  statuses: readonly Status[] | null,
  status: Expression<Status> = (eb as unknown as ExpressionBuilder<Tables, 'venues'>).ref('status'),
): Expression<SqlBool> {
  const on = eb as unknown as ExpressionBuilder<Tables, 'venues'>
  const asked = statuses === null ? on(status, '!=', 'trash') : on(status, 'in', statuses)
  if (visibility.all) return asked
  const published = on(status, '=', 'publish')
  if (visibility.own === null) return statuses === null || statuses.includes('publish') ? published : on.lit(false)
  const openTrash = visibility.ownPublished
    ? on.lit(true)
    : on.or([on('status', '!=', 'trash'), on('trashed_from', 'in', UNPUBLISHED)])
  return on.and([asked, on.or([published, on.and([on('author', '=', visibility.own), openTrash])])])
}

/** That a reader may open records which are few and found by their keys: an index of statuses would find nearly all. */
export function isVisibleByKey(
  tx: Tx,
  eb: ExpressionBuilder<Tables, 'venues'>,
  visibility: Visibility,
): Expression<SqlBool> {
  return isVisible(eb, visibility, null, dialectOf(tx).plain(eb.ref('status')))
}

/** That a reader may see a term: one that was made by writing an event is hidden until a published event has had it. */
export function isTermVisible(eb: ExpressionBuilder<Tables, 'terms'>, visibility: Visibility): Expression<SqlBool> {
  return visibility.all ? eb.lit(true) : eb('terms.published', '=', 1)
}

/** That nothing of an event is hidden from a reader who may open it: it has no password, or they may edit it. */
export function whole(eb: ExpressionBuilder<Tables, 'events'>, visibility: Visibility): Expression<SqlBool> {
  if (visibility.all) return eb.lit(true)
  // By name, not by a look at each: an index has the few that are protected.
  const open = eb(
    'events.id',
    'not in',
    eb.selectFrom('events as protected').select('protected.id').where('protected.password_hash', 'is not', null),
  )
  if (visibility.own === null) return open
  const unpublished = eb.or([eb('events.status', 'in', UNPUBLISHED), eb('events.trashed_from', 'in', UNPUBLISHED)])
  const editable = visibility.ownPublished ? eb.lit(true) : unpublished
  return eb.or([open, eb.and([eb('events.author', '=', visibility.own), editable])])
}

/**
 * That a reader may open an event and see all of it: what a protected event is linked to shows nowhere. The event is found
 * by its key, through a table of links: by its status, the database would look at all events for each link.
 */
export function eventShownTo(
  tx: Tx,
  eb: ExpressionBuilder<Tables, 'events'>,
  visibility: Visibility,
): Expression<SqlBool> {
  return eb.and([isVisible(eb, visibility, null, dialectOf(tx).plain(eb.ref('events.status'))), whole(eb, visibility)])
}
