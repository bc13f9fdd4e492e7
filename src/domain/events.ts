import { AppError, refuse } from '../lib/errors.ts'
import { hashPassword } from '../lib/passwords.ts'
import { eventFields, eventReadParameters } from '../schema/event.ts'
import { Refused, readFields } from '../schema/field.ts'
import { removeParameters } from '../schema/record.ts'
import * as types from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as storage from '../storage/events.ts'
import type { Ref } from '../storage/records.ts'
import { need, rightsOf } from './access.ts'
import { faultsOf } from './damage.ts'
import { assembleOne, type Event } from './event-assembly.ts'
import { isRightPassword } from './event-passwords.ts'
import { asEvent, type Prepared } from './event-writing.ts'
import type { Fetched } from './images.ts'
import * as images from './images.ts'
import { withFetchedImagesForEdit } from './linked-records.ts'
import { isLongEvent, readLongTexts, writeBySize } from './long-texts.ts'
import { earlyFields } from './payload.ts'
import * as records from './records.ts'
import type { Check, Payload, Scope } from './scope.ts'
import { changedFields } from './sent-back.ts'
import { createEvent, isShownRecurrence, updateEvent } from './series-changes.ts'
import { type Reach, reaching } from './series-reach.ts'
import { removeEvent, removeTrace } from './series-removal.ts'

export type { EventRow } from '../storage/events.ts'
export type { SeriesRow, ShownSeries } from '../storage/series.ts'
export type { TicketRow } from '../storage/tickets.ts'
export { assembleUndamaged, type Event } from './event-assembly.ts'

/** Gets an event that the reader may see, without checking its password. */
export async function peek(scope: Scope, ref: Ref, find = records.findReadable): Promise<Event> {
  return scope.db.read((tx) => peekWithin(tx, scope, ref, find))
}

/** The same in a transaction. */
export async function peekWithin(tx: Tx, scope: Scope, ref: Ref, find = records.findReadable): Promise<Event> {
  const row = asEvent(await find(tx, scope, 'event', ref))
  checkUndamaged(scope, row)
  return assembleOne(tx, scope, row)
}

/** Throws if an event is damaged. The error names the problems. */
function checkUndamaged({ onDamage }: Pick<Scope, 'onDamage'>, row: EventRow): void {
  const reason = faultsOf(row)
  if (reason === null) return
  onDamage?.({ kind: 'event', id: row.id, revision: row.revision, reason })
  throw new AppError('event-damaged', { params: reason })
}

/** Gets an event that the reader may see. Checks the password if there is one. */
export async function get(scope: Scope, ref: Ref, query: Payload, find = records.findReadable): Promise<Event> {
  const event = await peek(scope, ref, find)
  if (event.whole) return event
  const { values, problems } = readFields(eventReadParameters, query(), {
    mode: 'query',
    reading: records.readingOf(scope),
  })
  refuse(problems)
  const { id, password_hash } = event.row
  if (
    !values.password ||
    password_hash === null ||
    !(await isRightPassword(scope, { id, password_hash }, values.password))
  )
    throw new AppError('event-password-protected')
  return { ...event, whole: true }
}

/** Called with an event before its transaction ends. If it throws, nothing is written. */
type Finish = (event: Event, tx: Tx) => void | Promise<void>

export async function create(
  scope: Scope,
  payload: Payload,
  finish: Finish = () => {},
  reach: Reach = reaching(),
): Promise<Event> {
  need(rightsOf(scope.user).create)
  return images.withFetchedImages(scope, payload, async (fetched) => {
    const prepared = await prepare(payload, fetched)
    const isLong =
      (await readLongTexts(scope, 'event', payload)) || images.describesImage(payload) || isRecurring(payload)
    return writeBySize(scope, isLong, async (tx) => {
      const { values, problems } = readFields(eventFields, payload(), {
        mode: 'create',
        reading: records.readingOf(scope),
      })
      const request = { values, problems: { ...problems, ...reach.problems }, ...prepared }
      const event = await createEvent(tx, scope, request, reach)
      await finish(event, tx)
      return event
    })
  })
}

/** Updates an event. `check` gets it before the change, and may throw. */
export async function update(
  scope: Scope,
  ref: Ref,
  payload: Payload,
  check: Check<Event> = null,
  finish: Finish = () => {},
  reach: Reach = reaching(),
): Promise<Event> {
  return withFetchedImagesForEdit(scope, 'event', ref, payload, async (fetched) => {
    const prepared = await prepare(payload, fetched)
    const isLong =
      (await readLongTexts(scope, 'event', payload)) ||
      images.describesImage(payload) ||
      isRecurring(payload) ||
      (reach.scope ?? 'this') !== 'this' ||
      (await isLongEvent(scope, ref))
    return writeBySize(scope, isLong, async (tx) => {
      const before = asEvent(await records.findEditable(tx, scope, 'event', ref))
      const current = await assembleOne(tx, scope, before)
      const changed = changedFields(eventFields, payload(), check?.(current))
      if (changed.isNothing) {
        refuse(reach.problems)
        await finish(current, tx)
        return current
      }
      const { values, problems } = readFields(eventFields, changed.fields, {
        mode: 'update',
        reading: records.readingOf(scope),
      })
      const isSentBack = changed.isOnly('recurrence') && values.recurrence
      if (isSentBack && (await isShownRecurrence(tx, before, isSentBack))) {
        refuse(reach.problems)
        await finish(current, tx)
        return current
      }
      const request = { values, problems: { ...problems, ...reach.problems }, ...prepared }
      const event = await updateEvent(tx, scope, request, before, reach)
      await finish(event, tx)
      return event
    })
  })
}

/** Moves an event to the trash or, with `force`, deletes it. */
export async function remove(
  scope: Scope,
  ref: Ref,
  query: Payload,
  check: Check<Event> = null,
  reach: Reach = reaching(),
  finish: Finish = () => {},
): Promise<Event> {
  // Child events become top-level events.
  return scope.db.writeMany(async (tx) => {
    const before = asEvent(await records.findEditable(tx, scope, 'event', ref))
    const event = await assembleOne(tx, scope, before)
    check?.(event)
    const { values, problems } = readFields(removeParameters, query(), {
      mode: 'query',
      reading: records.readingOf(scope),
    })
    refuse({ ...problems, ...reach.problems })
    await storage.lockedTermIds(tx, before.id)
    const after = await removeEvent(tx, scope, before, values.force === true, reach)
    await finish(event, tx)
    return { ...event, row: after }
  })
}

/** Creates or updates an event in the transaction of a bulk operation. Returns its id. */
export async function saveWithin(
  tx: Tx,
  scope: Scope,
  payload: Record<string, unknown>,
  id: number | null,
  fetched: Fetched = new Map(),
  reach: Reach = reaching(),
): Promise<number> {
  need(rightsOf(scope.user).create)
  const before = id === null ? null : asEvent(await records.findEditable(tx, scope, 'event', { id }))
  const mode = before === null ? 'create' : 'update'
  const { values, problems } = readFields(eventFields, payload, { mode, reading: records.readingOf(scope) })
  const request = { values, problems, fetched, passwordHash: null }
  const event =
    before === null
      ? await createEvent(tx, scope, request, reach)
      : await updateEvent(tx, scope, request, before, reach)
  return event.row.id
}

/** Trashes an event in the transaction of a bulk operation. */
export async function trashWithin(tx: Tx, scope: Scope, id: number, reach: Reach = reaching()): Promise<void> {
  const row = asEvent(await records.findEditable(tx, scope, 'event', { id }))
  if (row.status === 'trash') return
  await storage.lockedTermIds(tx, id)
  await removeEvent(tx, scope, row, false, reach)
}

/** Removes an event for good in the transaction of a bulk operation, as if it had never been: a series has no exception. */
export async function removeWithin(tx: Tx, scope: Scope, id: number): Promise<void> {
  const row = asEvent(await records.findEditable(tx, scope, 'event', { id }))
  await removeTrace(tx, row)
}

/** Whether a payload has a recurrence: a series is written in a transaction of its own. */
function isRecurring(payload: Payload): boolean {
  return earlyFields(payload).recurrence !== undefined
}

/** Does slow work before the transaction. Problems of the payload are reported later. */
async function prepare(payload: Payload, fetched: Fetched): Promise<Prepared> {
  const { password } = earlyFields(payload)
  try {
    return { fetched, passwordHash: password ? await hashPassword(types.exact.read(password, { today: '' })) : null }
  } catch (error) {
    if (error instanceof Refused) return { fetched, passwordHash: null }
    throw error
  }
}
