import { type Problems, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { together } from '../lib/together.ts'
import { eventFields } from '../schema/event.ts'
import type { Values } from '../schema/field.ts'
import { byLinkedKind, byLinkedPlural, LINKED_KINDS } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import * as linkStorage from '../storage/event-links.ts'
import type { EventRow } from '../storage/events.ts'
import * as storage from '../storage/events.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { indexEvent } from '../storage/word-search.ts'
import { faultsOf } from './damage.ts'
import { idsOf, type Parts } from './event-assembly.ts'
import { isShown, resolveLinks, resolveTerms, unseenLinks } from './event-links.ts'
import { resolveTimes } from './event-times.ts'
import { storeFree } from './free-events.ts'
import type { Fetched } from './images.ts'
import * as images from './images.ts'
import { isOwnAddress } from './own-address.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { approved } from './suggestion-outcome.ts'
import { checkTicketsIn, replace as replaceTickets, resolveTickets } from './tickets.ts'

/** Writing one event: its row, links, tickets and counts. */

type EventValues = Values<typeof eventFields>

/** Results of slow work that is done before the transaction. */
export interface Prepared {
  /** Argon2 hash of the sent password. */
  readonly passwordHash: string | null
  /** Images that were fetched or uploaded. */
  readonly fetched: Fetched
}

/** A write request. */
export interface Request extends Prepared {
  readonly values: EventValues
  readonly problems: Problems
}

/** Creates or updates an event: all of it, or nothing and every problem. Its recurrence is not written here. */
export async function write(
  tx: Tx,
  scope: Scope,
  request: Request,
  before: EventRow | null,
): Promise<{ row: EventRow; parts: Partial<Parts> }> {
  const { problems, fetched } = request
  const values = withCostText(request.values)
  if (before !== null) checkRepair(values, before, problems)
  await records.checkAuthor(tx, scope, values, problems)
  records.checkPublication(scope, values, problems)
  await checkParent(tx, scope, values.parent, before, problems)
  const image = await images.column(tx, scope, values.image, fetched, problems)
  const times = resolveTimes(values, before, scope.site.timezone, problems)
  // At the same time, if it is sure that all of this is only looked up. A create that is refused may draw an id in vain.
  const isLookedUp = before === null && refersByIds(values) && Object.keys(problems).length === 0
  const [{ linked, terms }, early] = await together([
    resolveReferences(tx, scope, { ...request, values }, before),
    isLookedUp ? identityOf(tx, scope, values, null) : null,
  ])
  const tickets =
    values.tickets === undefined
      ? null
      : resolveTickets(
          values.tickets ?? [],
          times?.timezone ?? scope.site.timezone,
          problems,
          before === null ? [] : ((await ticketStorage.ofEvents(tx, [before.id])).get(before.id) ?? []),
        )
  if (tickets === null && before !== null && times !== null && times.timezone !== before.timezone)
    await checkTicketsIn(tx, before.id, times.timezone, problems)
  refuse(problems)
  const identity = early ?? (await identityOf(tx, scope, values, before))
  const row = await store(tx, scope, { ...request, values }, { ...times, ...image }, before, identity)
  const { id } = row
  for (const kind of LINKED_KINDS) {
    const rows = linked[kind]
    if (rows === null) continue
    const unseen = before === null ? [] : await unseenLinks(tx, scope, kind, id)
    await storage.setLinked(tx, kind, row, [...new Set([...idsOf(rows), ...unseen])], before === null)
  }
  if (tickets !== null) await replaceTickets(tx, id, tickets)
  if (values.cost !== undefined || tickets !== null) await storeFree(tx, row, tickets, before === null)
  const termsBefore = before === null ? [] : await storage.termIds(tx, id)
  if (before === null || terms.changed) await storage.setTerms(tx, row, terms.ids, before === null, terms.kinds)
  const counted = await moveCounts(
    tx,
    before !== null && storage.isCounted(before) ? termsBefore : [],
    storage.isCounted(row) ? (terms.changed ? terms.ids : termsBefore) : [],
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

/** Venues, organizers, categories and tags of an event. */
interface References {
  readonly linked: Record<LinkedKind, RecordRow[] | null>
  readonly terms: Awaited<ReturnType<typeof resolveAllTerms>>
}

/** Finds what a request refers to; all of it at the same time, unless some of it may be created. */
async function resolveReferences(
  tx: Tx,
  scope: Scope,
  { values, fetched, problems }: Request,
  before: EventRow | null,
): Promise<References> {
  const linked: Record<LinkedKind, RecordRow[] | null> = byLinkedKind(() => null)
  const resolve = async (kind: LinkedKind) => {
    const given = values[kind]
    if (given !== undefined) linked[kind] = await resolveLinks(tx, scope, kind, given ?? [], fetched, problems)
  }
  if (refersByIds(values)) {
    const terms = resolveAllTerms(tx, scope, values, before, problems, true)
    await together([...LINKED_KINDS.map(resolve), terms])
    return { linked, terms: await terms }
  }
  for (const kind of LINKED_KINDS) await resolve(kind)
  return { linked, terms: await resolveAllTerms(tx, scope, values, before, problems, false) }
}

function refersByIds(values: EventValues): boolean {
  const isById = (kind: LinkedKind) => values[kind]?.every((link) => 'id' in link) ?? true
  const terms = [...(values.categories ?? []), ...(values.tags ?? [])]
  return LINKED_KINDS.every(isById) && terms.every(({ name }) => name === undefined)
}

/** `cost_text` is the cost as it was written. It counts, if both are sent. */
function withCostText({ cost_text, ...values }: EventValues): EventValues {
  return cost_text === undefined ? values : { ...values, cost: cost_text }
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

/** What all records have, with a slug that no other event has, and the id. */
interface Identity {
  readonly id: number
  readonly shared: Awaited<ReturnType<typeof records.resolveColumns>>
}

/** Finds a free slug, and draws the id of a new event, unless it was drawn before. */
export async function identityOf(
  tx: Tx,
  scope: Scope,
  values: EventValues,
  before: EventRow | null,
  drawn: number | null = null,
): Promise<Identity> {
  const title = values.title === undefined ? before?.title : values.title
  const [shared, id] = await together([
    records.resolveColumns(tx, scope, 'event', values, String(title), before as RecordRow | null),
    before?.id ?? drawn ?? recordStorage.reserveId(tx),
  ])
  return { id, shared }
}

/** Inserts or updates the row and returns it, without links. */
export async function store(
  tx: Tx,
  scope: Scope,
  { values, passwordHash }: Request,
  settled: object,
  before: EventRow | null,
  { id, shared }: Identity,
): Promise<EventRow> {
  const { website } = values
  const isOwn = Boolean(website && isOwnAddress(website, scope.site, [before, shared]))
  const named = records.storedColumns(eventFields, { ...values, ...(isOwn && { website: null }) })
  const row: Partial<RecordRow> = { ...(before as Partial<RecordRow> | null), ...named }
  const columns = {
    ...named,
    ...settled,
    ...(values.parent !== undefined && { parent: values.parent || null }),
    ...(values.password !== undefined && { password_hash: values.password ? passwordHash : null }),
    ...shared,
    search: records.searchText(eventFields, row),
    title_search: fold(String(row.title)),
  }
  if (before !== null) {
    await recordStorage.update(tx, 'event', before.id, columns)
    const stored = asEvent(await records.find(tx, 'event', { id: before.id }, 'no reader: write'))
    const isSame = stored.search === before.search && stored.excerpt === before.excerpt
    if (!isSame || stored.title_search !== before.title_search) await indexEvent(tx, stored, false)
    return stored
  }
  await scope.quotas.checkDraft(tx, scope.user, columns.status)
  const defaults = { image: null, description: null, ...records.defaultColumns(eventFields) }
  const created = asEvent(await recordStorage.create(tx, 'event', { ...defaults, ...columns }, id))
  await indexEvent(tx, created, true)
  return created
}

/** Updates the event counts of terms: before and after a change. Returns the terms whose count grew. */
export async function moveCounts(tx: Tx, before: readonly number[], now: readonly number[]): Promise<TermRow[]> {
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
export async function publishDrafts(
  tx: Tx,
  { clock }: Pick<Scope, 'clock'>,
  row: EventRow,
  kinds: readonly LinkedKind[] = LINKED_KINDS,
): Promise<void> {
  if (row.status === 'publish') await storage.publishLinkedDrafts(tx, [row.id], row.author, clock(), kinds)
}

/** Terms of the event: the sent ones, and the current ones of kinds that were not sent. */
async function resolveAllTerms(
  tx: Tx,
  scope: Scope,
  values: EventValues,
  before: EventRow | null,
  problems: Problems,
  isTogether: boolean,
): Promise<{ ids: number[]; kinds: Map<number, TermKind>; changed: boolean }> {
  const had = before === null ? [] : await linkStorage.links(tx, [before.id])
  const kept = (kind: 'category' | 'tag') => had.filter((link) => link.kind === kind).map(({ linked }) => linked)
  const { categories, tags } = values
  const resolve = async (kind: TermKind, sent: typeof tags) =>
    sent === undefined ? kept(kind) : resolveTerms(tx, scope, kind, sent ?? [], problems, kept(kind))
  const kinds = new Map<number, TermKind>()
  const [first, second] = isTogether
    ? await together([resolve('category', categories), resolve('tag', tags)])
    : [await resolve('category', categories), await resolve('tag', tags)]
  for (const id of first) kinds.set(id, 'category')
  for (const id of second) kinds.set(id, 'tag')
  return { ids: [...kinds.keys()], kinds, changed: categories !== undefined || tags !== undefined }
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
  const row = await records.findIfReadable(tx, scope, 'event', { id: parent })
  if (row === undefined) problems.parent ??= { problem: 'no_such_event', id: parent }
  else if (before !== null && (await storage.isWithin(tx, parent, before.id))) problems.parent ??= { problem: 'loop' }
}

/** records.find returns complete rows. */
export function asEvent(row: RecordRow): EventRow {
  return row as unknown as EventRow
}
