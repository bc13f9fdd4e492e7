import { toWallClock } from '../calendar/zone.ts'
import { AppError } from '../lib/errors.ts'
import { eventFields } from '../schema/event.ts'
import { byLinkedKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import type { Ref } from '../storage/records.ts'
import { withRollback } from '../storage/rollback.ts'
import { need, rightsOf } from './access.ts'
import type { Event } from './events.ts'
import * as events from './events.ts'
import { storedColumnNames } from './records.ts'
import type { Payload, Scope } from './scope.ts'
import type { Reach } from './series-reach.ts'

/** What editors do with events, besides what the REST interface does. */

/** The event as a create or update would leave it. Nothing is written. Everything is checked as if it were. */
export function preview(scope: Scope, ref: Ref | null, payload: Payload): Promise<Event> {
  return withRollback((rollBack) =>
    ref === null ? events.create(scope, payload, rollBack) : events.update(scope, ref, payload, null, rollBack),
  )
}

/** Everything that an event has, but its address, password and place in a series, in the form of a request. */
export function contentOf({ row, image, categories, tags, tickets, ...linked }: Event): Record<string, unknown> {
  const time = (instant: number | null) => (instant === null ? null : toWallClock(instant, row.timezone))
  const columns = storedColumnNames(eventFields).map((name) => [name, row[name as 'title']])
  return {
    ...Object.fromEntries(columns),
    start_date: row.start_local,
    end_date: row.end_local,
    timezone: row.timezone,
    ...(image !== null && { image: image.id }),
    ...byLinkedKind((kind) => linked[`${kind}s`].map((one) => one.row.id)),
    categories: categories.map(({ id }) => id),
    tags: tags.map(({ id }) => id),
    tickets: tickets.map(({ id: _, event: __, position: ___, available_from, available_until, ...ticket }) => ({
      ...ticket,
      available_from: time(available_from),
      available_until: time(available_until),
    })),
  }
}

/** Creates a draft with everything that an event has, but its address, password and place in a series. */
export async function duplicate(scope: Scope, ref: Ref): Promise<Event> {
  need(rightsOf(scope.user).create)
  const event = await events.peek(scope, ref)
  if (!event.whole) throw new AppError('event-password-protected')
  return events.create(scope, () => ({ ...contentOf(event), status: 'draft' }))
}

/** Takes an event out of the trash, with the status that it had before. */
export async function restore(scope: Scope, ref: Ref, reach?: Reach): Promise<Event> {
  const { row } = await events.peek(scope, ref)
  if (row.status !== 'trash') return events.peek(scope, ref)
  return events.update(scope, ref, () => ({ status: row.trashed_from ?? 'draft' }), null, undefined, reach)
}

/** What can be done with many events at once. */
export const BULK_ACTIONS = [
  'publish',
  'draft',
  'trash',
  'restore',
  'add_category',
  'remove_category',
  'add_tag',
  'remove_tag',
] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** Limit on events of one bulk action. */
export const MAX_BULK = 100

/** Changes many events: all of them, or none if one of them is refused. The error then names the event. */
export async function changeMany(
  scope: Scope,
  ids: readonly number[],
  action: BulkAction,
  term: string,
): Promise<void> {
  if (ids.length > MAX_BULK)
    throw new AppError('rest_invalid_param', { params: { ids: { problem: 'too_many', most: MAX_BULK } } })
  await scope.db.writeMany(async (tx) => {
    for (const id of ids) await changeOne(tx, scope, id, action, term)
  })
}

async function changeOne(tx: Tx, scope: Scope, id: number, action: BulkAction, term: string): Promise<void> {
  if (action === 'trash') return events.trashWithin(tx, scope, id)
  const { row, categories, tags } = await events.peekWithin(tx, scope, { id })
  const [verb, kind] = action.split('_')
  if (kind === undefined) {
    if ((action === 'restore') !== (row.status === 'trash')) return
    const status = action === 'restore' ? (row.trashed_from ?? 'draft') : action
    const isEarly = action === 'publish' && row.date_utc > scope.clock()
    await events.saveWithin(tx, scope, { status, ...(isEarly && { date_utc: scope.clock() }) }, id)
    return
  }
  const name = kind === 'category' ? 'categories' : 'tags'
  const had = kind === 'category' ? categories : tags
  const rest = had
    .filter((one) => one.name !== term && one.slug !== term && String(one.id) !== term)
    .map((one) => one.id)
  await events.saveWithin(tx, scope, { [name]: verb === 'add' ? [...rest, term] : rest }, id)
}
