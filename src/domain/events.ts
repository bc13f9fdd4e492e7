import type { Instant } from '../calendar/zone.ts'
import { readCost } from '../lib/cost.ts'
import { AppError, type Problems, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { hashPassword } from '../lib/passwords.ts'
import { eventFields, eventReadParameters } from '../schema/event.ts'
import { Refused, readFields, type Values } from '../schema/field.ts'
import { byLinkedKind, byLinkedPlural, LINKED_KINDS, RECORD_KINDS, type RecordKind } from '../schema/linked.ts'
import { removeParameters } from '../schema/record.ts'
import * as types from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import type { EventRow } from '../storage/events.ts'
import * as storage from '../storage/events.ts'
import type { LinkedKind, RecordRow, Ref } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { indexEvent, setFree } from '../storage/word-search.ts'
import { mayRead, need, rightsOf } from './access.ts'
import { faultsOf } from './damage.ts'
import { assembleOne, type Event, idsOf, type Parts } from './event-assembly.ts'
import { isShown, resolveLinks, resolveTerms } from './event-links.ts'
import { isRightPassword } from './event-passwords.ts'
import { resolveTimes } from './event-times.ts'
import type { Fetched } from './images.ts'
import * as images from './images.ts'
import type { JobKind } from './job-run.ts'
import { withFetchedImagesForEdit } from './linked-records.ts'
import { isLongEvent, readLongTexts, writeBySize } from './long-texts.ts'
import * as records from './records.ts'
import type { Check, Payload, Scope } from './scope.ts'
import { approved } from './suggestion-outcome.ts'
import { checkTicketsIn, replace as replaceTickets, resolveTickets } from './tickets.ts'

export type { EventRow } from '../storage/events.ts'
export type { TicketRow } from '../storage/tickets.ts'
export { assembleUndamaged, type Event } from './event-assembly.ts'

type EventValues = Values<typeof eventFields>

/** Results of slow work that is done before the transaction. */
interface Prepared {
  /** Argon2 hash of the sent password. */
  readonly passwordHash: string | null
  /** Images that were fetched or uploaded. */
  readonly fetched: Fetched
}

/** A write request. */
interface Request extends Prepared {
  readonly values: EventValues
  readonly problems: Problems
}

/** Gets an event that the reader may see, without checking its password. */
export async function peek(scope: Scope, ref: Ref): Promise<Event> {
  return scope.db.read((tx) => peekWithin(tx, scope, ref))
}

/** The same in a transaction. */
export async function peekWithin(tx: Tx, scope: Scope, ref: Ref): Promise<Event> {
  const row = asEvent(await records.findReadable(tx, scope, 'event', ref))
  checkUndamaged(scope, row)
  return assembleOne(tx, scope, row)
}

/** Throws if an event is damaged. The error names the problems. */
export function checkUndamaged({ onDamage }: Pick<Scope, 'onDamage'>, row: EventRow): void {
  const reason = faultsOf(row)
  if (reason === null) return
  onDamage?.({ kind: 'event', id: row.id, revision: row.revision, reason })
  throw new AppError('event-damaged', { params: reason })
}

/** Gets an event that the reader may see. Checks the password if there is one. */
export async function get(scope: Scope, ref: Ref, query: Payload): Promise<Event> {
  const event = await peek(scope, ref)
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

export async function create(scope: Scope, payload: Payload, finish: Finish = () => {}): Promise<Event> {
  need(rightsOf(scope.user).create)
  return images.withFetchedImages(scope, payload, async (fetched) => {
    const prepared = await prepare(payload, fetched)
    const isLong = (await readLongTexts(scope, 'event', payload)) || images.describesImage(payload)
    return writeBySize(scope, isLong, async (tx) => {
      const { values, problems } = readFields(eventFields, payload(), {
        mode: 'create',
        reading: records.readingOf(scope),
      })
      const event = await save(tx, scope, { values, problems, ...prepared }, null)
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
): Promise<Event> {
  return withFetchedImagesForEdit(scope, 'event', ref, payload, async (fetched) => {
    const prepared = await prepare(payload, fetched)
    const isLong =
      (await readLongTexts(scope, 'event', payload)) ||
      images.describesImage(payload) ||
      (await isLongEvent(scope, ref))
    return writeBySize(scope, isLong, async (tx) => {
      const before = asEvent(await records.findEditable(tx, scope, 'event', ref))
      check?.(await assembleOne(tx, scope, before))
      const { values, problems } = readFields(eventFields, payload(), {
        mode: 'update',
        reading: records.readingOf(scope),
      })
      const event = await save(tx, scope, { values, problems, ...prepared }, before)
      await finish(event, tx)
      return event
    })
  })
}

/** Moves an event to the trash or, with `force`, deletes it. */
export async function remove(scope: Scope, ref: Ref, query: Payload, check: Check<Event> = null): Promise<Event> {
  // Child events become top-level events.
  return scope.db.writeMany(async (tx) => {
    const row = await records.findEditable(tx, scope, 'event', ref)
    const before = asEvent(row)
    const event = await assembleOne(tx, scope, before)
    check?.(event)
    const { values, problems } = readFields(removeParameters, query(), {
      mode: 'query',
      reading: records.readingOf(scope),
    })
    refuse(problems)
    const terms = await storage.lockedTermIds(tx, before.id)
    const after = asEvent(await records.remove(tx, scope, 'event', row, values.force === true))
    if (isCounted(before)) await storage.countTerms(tx, terms, -1)
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
): Promise<number> {
  need(rightsOf(scope.user).create)
  const before = id === null ? null : asEvent(await records.findEditable(tx, scope, 'event', { id }))
  const mode = before === null ? 'create' : 'update'
  const { values, problems } = readFields(eventFields, payload, { mode, reading: records.readingOf(scope) })
  const { row } = await write(tx, scope, { values, problems, fetched, passwordHash: null }, before)
  return row.id
}

/** Trashes an event in the transaction of a bulk operation. */
export async function trashWithin(tx: Tx, scope: Scope, id: number): Promise<void> {
  const row = await records.findEditable(tx, scope, 'event', { id })
  if (row.status === 'trash') return
  const terms = await storage.lockedTermIds(tx, id)
  await records.remove(tx, scope, 'event', row, false)
  if (isCounted(asEvent(row))) await storage.countTerms(tx, terms, -1)
}

/** Removes an event for good in the transaction of a bulk operation. */
export async function removeWithin(tx: Tx, scope: Scope, id: number): Promise<void> {
  const row = await records.findEditable(tx, scope, 'event', { id })
  const terms = await storage.termIds(tx, id)
  await records.remove(tx, scope, 'event', row, true)
  if (isCounted(asEvent(row))) await storage.countTerms(tx, terms, -1)
}

/** How many scheduled records are published in one transaction. */
const MAX_PUBLISHED = 100

/** Publishes scheduled records in the second in which they are due. */
export function publishing(scope: Pick<Scope, 'db' | 'clock'>): JobKind {
  return { name: 'publish-scheduled', every: 1, next: recordStorage.nextScheduled, run: () => publishDue(scope) }
}

/** Publishes every scheduled event, venue and organizer whose time has come; `modified` stays. Answers how many there were. */
export async function publishDue(scope: Pick<Scope, 'db' | 'clock'>): Promise<number> {
  const now = scope.clock()
  let published = 0
  for (const kind of RECORD_KINDS) {
    while ((await scope.db.read((tx) => recordStorage.due(tx, kind, now, 1))).length > 0) {
      const some = await scope.db.write((tx) => publishSome(tx, scope, kind, now))
      // Another node was faster.
      if (some === 0) break
      published += some
    }
  }
  return published
}

async function publishSome(tx: Tx, scope: Pick<Scope, 'clock'>, kind: RecordKind, now: Instant): Promise<number> {
  await recordStorage.lockPublishing(tx)
  let published = 0
  for (const { id } of await recordStorage.due(tx, kind, now, MAX_PUBLISHED)) {
    const row = await recordStorage.getLocked(tx, kind, { id })
    if (row?.status !== 'future') continue
    await recordStorage.update(tx, kind, id, { status: 'publish' })
    if (kind === 'event') {
      const event = asEvent(await records.find(tx, 'event', { id }))
      await moveCounts(tx, [], isCounted(event) ? await storage.termIds(tx, id) : [])
      await publishDrafts(tx, scope, event)
      await approved(tx, id, now)
    }
    published++
  }
  return published
}

/** Does slow work before the transaction. Problems of the payload are reported later. */
async function prepare(payload: Payload, fetched: Fetched): Promise<Prepared> {
  try {
    const { password } = payload()
    return { fetched, passwordHash: password ? await hashPassword(types.exact.read(password, { today: '' })) : null }
  } catch (error) {
    if (error instanceof AppError || error instanceof Refused) return { fetched, passwordHash: null }
    throw error
  }
}

/** Creates or updates an event: all of it, or nothing and every problem. */
async function save(tx: Tx, scope: Scope, request: Request, before: EventRow | null): Promise<Event> {
  const { row, parts } = await write(tx, scope, request, before)
  return assembleOne(tx, scope, row, parts)
}

async function write(
  tx: Tx,
  scope: Scope,
  request: Request,
  before: EventRow | null,
): Promise<{ row: EventRow; parts: Partial<Parts> }> {
  const { values, problems, fetched } = request
  if (before !== null) checkRepair(values, before, problems)
  await records.checkAuthor(tx, scope, values, problems)
  records.checkPublication(scope, values, problems)
  await checkParent(tx, scope, values.parent, before, problems)
  const image = await images.column(tx, scope, values.image, fetched, problems)
  const times = resolveTimes(values, before, scope.site.timezone, problems)
  const linked: Record<LinkedKind, RecordRow[] | null> = byLinkedKind(() => null)
  for (const kind of LINKED_KINDS) {
    const given = values[kind]
    if (given !== undefined) linked[kind] = await resolveLinks(tx, scope, kind, given ?? [], fetched, problems)
  }
  const terms = await resolveAllTerms(tx, scope, values, before, problems)
  const tickets =
    values.tickets === undefined
      ? null
      : resolveTickets(values.tickets ?? [], times?.timezone ?? scope.site.timezone, problems)
  if (tickets === null && before !== null && times !== null && times.timezone !== before.timezone)
    await checkTicketsIn(tx, before.id, times.timezone, problems)
  refuse(problems)
  const row = await store(tx, scope, request, { ...times, ...image }, before)
  const { id } = row
  for (const kind of LINKED_KINDS) {
    const rows = linked[kind]
    if (rows !== null) await storage.setLinked(tx, kind, id, idsOf(rows), before === null)
  }
  if (tickets !== null) await replaceTickets(tx, id, tickets)
  if (values.cost !== undefined || tickets !== null) await storeFree(tx, row, tickets, before === null)
  const termsBefore = before === null ? [] : await storage.termIds(tx, id)
  if (before === null || terms.changed) await storage.setTerms(tx, id, terms.ids, before === null)
  const counted = await moveCounts(
    tx,
    before !== null && isCounted(before) ? termsBefore : [],
    isCounted(row) ? (terms.changed ? terms.ids : termsBefore) : [],
  )
  const drafts = LINKED_KINDS.filter(
    (kind) =>
      linked[kind]?.some(({ status, author }) => status === 'draft' && author === row.author) ?? before !== null,
  )
  await publishDrafts(tx, scope, row, drafts)
  if (before !== null && before.status !== 'publish' && row.status === 'publish')
    await approved(tx, row.id, scope.clock())
  return { row, parts: before === null && drafts.length === 0 ? newParts(scope, id, linked, counted, tickets) : {} }
}

/** Requires damaged fields in an update, so that no damage remains. Times are checked with the sent ones. */
function checkRepair(values: EventValues, before: EventRow, problems: Problems): void {
  const faults = faultsOf(before) ?? {}
  const { timezone: _, start_date: __, end_date: ___, modified_utc: ____, ...others } = faults
  for (const [name, problem] of Object.entries(others)) {
    const isSent = values[name as 'title'] !== undefined || (name === 'date_utc' && values.date !== undefined)
    if (!isSent) problems[name] ??= problem
  }
}

/** Data of a new event that is already loaded, to save queries. */
function newParts(
  scope: Scope,
  id: number,
  linked: Record<LinkedKind, readonly RecordRow[] | null>,
  counted: readonly TermRow[],
  tickets: readonly unknown[] | null,
): Partial<Parts> {
  const shown = (rows: readonly RecordRow[] | null) =>
    new Map([[id, (rows ?? []).filter((row) => isShown(scope, row))]])
  return {
    ...byLinkedPlural((kind) => shown(linked[kind])),
    ...(counted.length > 0 && { terms: new Map([[id, counted]]) }),
    ...(tickets === null && { tickets: new Map() }),
  }
}

/** Inserts or updates the row and returns it, without links. */
export async function store(
  tx: Tx,
  scope: Scope,
  { values, passwordHash }: Request,
  settled: object,
  before: EventRow | null,
  drawn: number | null = null,
): Promise<EventRow> {
  const named = records.storedColumns(eventFields, { ...values, ...withoutOwnAddress(values, before, scope.site.home) })
  const row: Partial<RecordRow> = { ...(before as Partial<RecordRow> | null), ...named }
  const columns = {
    ...named,
    ...settled,
    ...(values.parent !== undefined && { parent: values.parent || null }),
    ...(values.password !== undefined && { password_hash: values.password ? passwordHash : null }),
    ...(await records.resolveColumns(tx, scope, 'event', values, String(row.title), before as RecordRow | null)),
    search: records.searchText(eventFields, row),
    title_search: fold(String(row.title)),
  }
  if (before !== null) {
    await recordStorage.update(tx, 'event', before.id, columns)
    const stored = asEvent(await records.find(tx, 'event', { id: before.id }))
    const isSame = stored.search === before.search && stored.excerpt === before.excerpt
    if (!isSame || stored.title_search !== before.title_search) await indexEvent(tx, stored, false)
    return stored
  }
  await scope.quotas.checkDraft(tx, scope.user, columns.status)
  const defaults = { image: null, description: null, ...records.defaultColumns(eventFields) }
  const created = asEvent(await recordStorage.create(tx, 'event', { ...defaults, ...columns }, drawn))
  await indexEvent(tx, created, true)
  return created
}

/** Stores whether an event is free: amounts are known from its cost or tickets, and all are 0. */
export async function storeFree(
  tx: Tx,
  { id, cost }: EventRow,
  sent: readonly { readonly price: string | null }[] | null,
  isNew: boolean,
): Promise<void> {
  const tickets = sent ?? (isNew ? [] : ((await ticketStorage.ofEvents(tx, [id])).get(id) ?? []))
  const amounts = [...readCost(cost, '').values, ...tickets.flatMap(({ price }) => price ?? [])]
  await setFree(tx, id, amounts.length > 0 && amounts.every((amount) => Number(amount) === 0), isNew)
}

/** An event without a website returns its own address there. If a client sends it back, it is still no website. */
function withoutOwnAddress({ website }: EventValues, before: EventRow | null, home: string): EventValues {
  return website && before !== null && website === `${home}/event/${before.slug}/` ? { website: null } : {}
}

/** Updates the event counts of terms: before and after a change. Returns the terms whose count grew. */
async function moveCounts(tx: Tx, before: readonly number[], now: readonly number[]): Promise<TermRow[]> {
  const without = (ids: readonly number[], others: readonly number[]) => ids.filter((id) => !others.includes(id))
  await storage.countTerms(tx, without(before, now), -1)
  const counted = await storage.countTerms(tx, without(now, before), 1)
  // Counted terms are public, and so are their ancestors.
  await termStorage.publish(
    tx,
    counted.filter(({ parent }) => parent > 0).map(({ parent }) => parent),
  )
  return counted
}

/** Publishes draft venues and organizers of a published event. */
async function publishDrafts(
  tx: Tx,
  { clock }: Pick<Scope, 'clock'>,
  row: EventRow,
  kinds: readonly LinkedKind[] = LINKED_KINDS,
): Promise<void> {
  if (row.status === 'publish') await storage.publishLinkedDrafts(tx, [row.id], row.author, clock(), kinds)
}

/** Terms count only public events. */
function isCounted(row: EventRow): boolean {
  return row.status === 'publish' && row.password_hash === null
}

/** Terms of the event: the sent ones, and the current ones of kinds that were not sent. */
async function resolveAllTerms(
  tx: Tx,
  scope: Scope,
  values: EventValues,
  before: EventRow | null,
  problems: Problems,
): Promise<{ ids: number[]; changed: boolean }> {
  const had = before === null ? [] : ((await storage.termsOf(tx, [before.id])).get(before.id) ?? [])
  const kept = (kind: 'category' | 'tag') => had.filter((term) => term.kind === kind).map((term) => term.id)
  const { categories, tags } = values
  const ids = [
    ...(categories === undefined
      ? kept('category')
      : await resolveTerms(tx, scope, 'category', categories ?? [], problems, kept('category'))),
    ...(tags === undefined ? kept('tag') : await resolveTerms(tx, scope, 'tag', tags ?? [], problems, kept('tag'))),
  ]
  return { ids: [...new Set(ids)], changed: categories !== undefined || tags !== undefined }
}

/** A parent must exist, be visible, and not be the event itself or one of its descendants. */
async function checkParent(
  tx: Tx,
  scope: Scope,
  parent: number | null | undefined,
  before: EventRow | null,
  problems: Problems,
): Promise<void> {
  if (!parent || parent === before?.parent) return
  const row = await recordStorage.get(tx, 'event', { id: parent })
  if (row === undefined || !mayRead(scope.user, row)) problems.parent ??= { problem: 'no_such_event', id: parent }
  else if (before !== null && (await storage.isWithin(tx, parent, before.id))) problems.parent ??= { problem: 'loop' }
}

/** records.find returns complete rows. */
function asEvent(row: RecordRow): EventRow {
  return row as unknown as EventRow
}
