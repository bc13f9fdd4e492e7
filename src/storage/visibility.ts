import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Status } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import type { Tables } from './tables.ts'

/**
 * Visibility as SQL conditions. It is part of every query, never a filter on results, so totals and pages are correct.
 */

/** Which records a reader may see. Decided in domain/access.ts. */
export interface Visibility {
  readonly all: boolean
  /** User id of the reader, if they may see their own unpublished records. */
  readonly own: number | null
  /** Whether the reader may edit their own published records. */
  readonly ownPublished: boolean
}

/**
 * In place of a reader, why there is none: rules of a write, or what it has written; work of a job, which tells nobody but
 * staff; the row decides the right of the reader; or it was decided before that the reader sees it, or what it is part of.
 * All other reads of records take a visibility.
 */
export type WithoutReader = `no reader: ${'write' | 'job' | 'rights' | 'seen'}`

/** Visibilities that many readers share, so that statements are prepared for them. */
export type SharedVisibility = 'all' | 'public'

export const SHARED_VISIBILITIES: Record<SharedVisibility, Visibility> = {
  all: { all: true, own: null, ownPublished: false },
  public: { all: false, own: null, ownPublished: false },
}

/** Null for readers with records of their own: there would be a statement for each of them. */
export function sharedVisibility({ all, own }: Visibility): SharedVisibility | null {
  if (all) return 'all'
  return own === null ? 'public' : null
}

/** Statuses of records that were never public. */
export const UNPUBLISHED = ['draft', 'pending'] as const satisfies Status[]

/** Condition: the reader may see the record, and it has one of `statuses` or, without them, is not in the trash. */
export function isVisible<T extends keyof Tables>(
  eb: ExpressionBuilder<Tables, T>,
  visibility: Visibility,
  statuses: readonly Status[] | null,
  status: Expression<Status> = (eb as unknown as ExpressionBuilder<Tables, 'venues'>).ref('status'),
): Expression<SqlBool> {
  const on = eb as unknown as ExpressionBuilder<Tables, 'venues'>
  const hasStatus = statuses === null ? on(status, '!=', 'trash') : on(status, 'in', statuses)
  if (visibility.all) return hasStatus
  const published = on(status, '=', 'publish')
  if (visibility.own === null) return statuses === null || statuses.includes('publish') ? published : on.lit(false)
  const openTrash = visibility.ownPublished
    ? on.lit(true)
    : on.or([on('status', '!=', 'trash'), on('trashed_from', 'in', UNPUBLISHED)])
  return on.and([hasStatus, on.or([published, on.and([on('author', '=', visibility.own), openTrash])])])
}

/** The same for few records found by key. The index on status is not used: it would match nearly all records. */
export function isVisibleByKey(
  tx: Tx,
  eb: ExpressionBuilder<Tables, 'venues'>,
  visibility: Visibility,
): Expression<SqlBool> {
  return isVisible(eb, visibility, null, dialectOf(tx).unindexed(eb.ref('status')))
}

/**
 * Condition: the reader may see a term. A term created by writing an event is hidden until a published event has it.
 */
export function isTermVisible(eb: ExpressionBuilder<Tables, 'terms'>, visibility: Visibility): Expression<SqlBool> {
  return visibility.all ? eb.lit(true) : eb('terms.published', '=', 1)
}

/** Condition: the reader sees all of an event, as it has no password or they may edit it. */
export function isFullyVisible(eb: ExpressionBuilder<Tables, 'events'>, visibility: Visibility): Expression<SqlBool> {
  if (visibility.all) return eb.lit(true)
  // A subquery, not a check per row: a partial index has the few protected events.
  const open = eb(
    'events.id',
    'not in',
    eb.selectFrom('events as protected').select('protected.id').where('protected.password_hash', 'is not', null),
  )
  if (visibility.own === null) return open
  // Never null, as the condition is also negated.
  const status = eb.fn.coalesce('events.trashed_from', 'events.status')
  const editable = visibility.ownPublished ? eb.lit(true) : eb(status, 'in', UNPUBLISHED)
  return eb.or([open, eb.and([eb('events.author', '=', visibility.own), editable])])
}

/**
 * Condition: the reader may see an event and all of it. Links of a protected event are shown nowhere. The event is
 * found by key through a link table; with the index on status, the database would read all events for each link.
 */
export function isEventFullyVisible(
  tx: Tx,
  eb: ExpressionBuilder<Tables, 'events'>,
  visibility: Visibility,
): Expression<SqlBool> {
  return eb.and([
    isVisible(eb, visibility, null, dialectOf(tx).unindexed(eb.ref('events.status'))),
    isFullyVisible(eb, visibility),
  ])
}
