import type { Instant } from '../calendar/zone.ts'
import { type Problems, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { writeCursor } from '../schema/cursor.ts'
import { type Fields, readFields } from '../schema/field.ts'
import { LINKED_FIELDS, type RecordKind } from '../schema/linked.ts'
import { linkedListParameters, removeParameters } from '../schema/record.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/linked-records.ts'
import type { LinkedKind, Page, RecordRow, Ref } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import { indexRecord, removeName } from '../storage/word-search.ts'
import { need, rightsOf, visibilityOf } from './access.ts'
import { isCursorOf, type KeyType } from './cursors.ts'
import { type OnDamage, undamagedLinked } from './damage.ts'
import type { Fetched, Image } from './images.ts'
import * as images from './images.ts'
import { readLongTexts, writeBySize } from './long-texts.ts'
import { earlyFields } from './payload.ts'
import type { RecordValues } from './records.ts'
import * as records from './records.ts'
import type { Check, Payload, Scope } from './scope.ts'
import { changedFields } from './sent-back.ts'

/** Venues and organizers live the same life; the field that names them has the name of their kind. */
const FIELDS: Record<LinkedKind, Fields> = LINKED_FIELDS

export type { LinkedKind } from '../storage/records.ts'

/** A venue or organizer with its image. */
export interface Linked {
  readonly row: RecordRow
  readonly image: Image | null
}

export interface LinkedPage extends Page<Linked> {
  readonly page: number
  readonly perPage: number
  /** Cursor after this page; null on the last one. */
  readonly next: string | null
  readonly byCursor: boolean
}

/** Name of the order in cursors, and its sort key. */
const ORDER = 'date desc'
const KEY: readonly KeyType[] = ['whole', 'whole']

export async function list(scope: Scope, kind: LinkedKind, query: Payload): Promise<LinkedPage> {
  const { values, problems } = readFields(linkedListParameters, query(), {
    mode: 'query',
    reading: records.readingOf(scope),
  })
  const { cursor, per_page: perPage = 10 } = values
  const page = cursor ? 1 : (values.page ?? 1)
  const status = values.status ?? null
  records.checkStatusFilter(scope, status, problems)
  if (cursor && !isCursorOf(cursor, ORDER, KEY)) problems.cursor = { problem: 'not_a_cursor' }
  return scope.db.readMany(async (tx) => {
    if (values.event && !(await records.findIfReadable(tx, scope, 'event', { id: values.event })))
      problems.event = { problem: 'no_such_event', id: values.event }
    refuse(problems)
    const filter = {
      visibility: visibilityOf(scope.user),
      status,
      search: values.search ? fold(values.search) : null,
      slugs: values.slug?.length ? values.slug : null,
      title: values.title ?? null,
      event: values.event ?? null,
      hasEvents: values.has_events ?? null,
      upcomingAt: values.only_with_upcoming ? scope.clock() : null,
      modified: records.modifiedRange(scope, values),
      after: cursor?.key ?? null,
    }
    const total = await storage.count(tx, kind, filter)
    const found = await storage.list(tx, kind, filter, perPage + 1, (page - 1) * perPage)
    const rows = found.slice(0, perPage)
    const last = rows.at(-1)
    const isLast = found.length <= perPage || last === undefined
    const next = isLast ? null : writeCursor({ order: ORDER, key: [last.date_utc, last.id] })
    const shown = await withImages(tx, undamagedLinked(kind, scope, rows), scope.onDamage)
    return { rows: shown, total, page, perPage, next, byCursor: Boolean(cursor) }
  })
}

/** The newest ones with events that end after a time, without a total: counting would check each record. */
export async function listUpcoming(
  scope: Scope,
  kind: LinkedKind,
  upcomingAt: Instant,
  most: number,
): Promise<RecordRow[]> {
  const none = { status: null, search: null, slugs: null, title: null, event: null, hasEvents: null }
  const filter = { ...none, visibility: visibilityOf(scope.user), upcomingAt }
  return scope.db.readMany(async (tx) => undamagedLinked(kind, scope, await storage.list(tx, kind, filter, most, 0)))
}

export async function get(scope: Scope, kind: LinkedKind, ref: Ref, find = records.findReadable): Promise<Linked> {
  return scope.db.read(async (tx) => withImage(tx, await find(tx, scope, kind, ref)))
}

export async function create(scope: Scope, kind: LinkedKind, payload: Payload): Promise<Linked> {
  need(rightsOf(scope.user).create)
  return images.withFetchedImages(scope, payload, async (fetched) => {
    const isLong = (await readLongTexts(scope, kind, payload)) || images.describesImage(payload)
    return writeBySize(scope, isLong, async (tx) => {
      const { values, problems } = readFields(FIELDS[kind], payload(), {
        mode: 'create',
        reading: records.readingOf(scope),
      })
      return withImage(tx, await findOrInsert(tx, scope, kind, values, fetched, problems))
    })
  })
}

export async function update(
  scope: Scope,
  kind: LinkedKind,
  ref: Ref,
  payload: Payload,
  check: Check<Linked> = null,
): Promise<Linked> {
  return withFetchedImagesForEdit(scope, kind, ref, payload, async (fetched) => {
    // Its events are told that readers see it, or no longer.
    const { status, author } = earlyFields(payload)
    const isLong = (await readLongTexts(scope, kind, payload)) || images.describesImage(payload)
    return writeBySize(scope, isLong || (status ?? author) !== undefined, (tx) =>
      change(tx, scope, kind, ref, payload, fetched, check),
    )
  })
}

async function change(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  ref: Ref,
  payload: Payload,
  fetched: Fetched,
  check: Check<Linked>,
): Promise<Linked> {
  const before = await records.findEditable(tx, scope, kind, ref)
  const current = await withImage(tx, before)
  const changed = changedFields(FIELDS[kind], payload(), check?.(current))
  if (changed.isNothing) return current
  const { values, problems } = readFields(FIELDS[kind], changed.fields, {
    mode: 'update',
    reading: records.readingOf(scope),
  })
  await records.checkAuthor(tx, scope, values as RecordValues, problems)
  records.checkPublication(scope, values as RecordValues, problems)
  const image = await images.column(tx, scope, (values as RecordValues).image, fetched, problems)
  const columns: Partial<RecordRow> = { ...records.storedColumns(FIELDS[kind], values), ...image }
  const row: RecordRow = { ...before, ...columns } as RecordRow
  checkCoordinates(row, values, problems)
  refuse(problems)
  const changes = {
    ...columns,
    ...(await records.resolveColumns(tx, scope, kind, values as RecordValues, String(row[kind]), before)),
    search: records.searchText(FIELDS[kind], row),
  }
  await recordStorage.update(tx, kind, before.id, changes)
  await indexRecord(tx, kind, row, false)
  return withImage(tx, await records.find(tx, kind, { id: before.id }, 'no reader: write'))
}

export async function remove(
  scope: Scope,
  kind: LinkedKind,
  ref: Ref,
  query: Payload,
  check: Check<Linked> = null,
): Promise<Linked> {
  // All of its events are updated.
  return scope.db.writeMany(async (tx) => {
    const row = await records.findEditable(tx, scope, kind, ref)
    check?.(await withImage(tx, row))
    const { values, problems } = readFields(removeParameters, query(), {
      mode: 'query',
      reading: records.readingOf(scope),
    })
    refuse(problems)
    if (values.force === true) await removeName(tx, kind, row.id)
    return withImage(tx, await records.remove(tx, scope, kind, row, values.force === true))
  })
}

/**
 * Finds or creates the record for nested data of an event. `fresh` has values for a new record that an existing equal
 * one need not have.
 */
export async function createInline(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  data: Record<string, unknown>,
  fetched: Fetched,
  fresh: { readonly slug?: unknown; readonly date_utc?: unknown } = {},
): Promise<RecordRow> {
  const reading = records.readingOf(scope)
  const { values, problems } = readFields(FIELDS[kind], data, { mode: 'create', reading })
  const { values: beside } = readFields(FIELDS[kind], fresh, { mode: 'update', reading })
  return findOrInsert(tx, scope, kind, values, fetched, problems, beside)
}

/** Finds an equal record or creates one. */
async function findOrInsert(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  values: Record<string, unknown>,
  fetched: Fetched,
  problems: Problems,
  beside: RecordValues = {},
): Promise<RecordRow> {
  await records.checkAuthor(tx, scope, values as RecordValues, problems)
  records.checkPublication(scope, { ...beside, ...values } as RecordValues, problems)
  const image = await images.column(tx, scope, (values as RecordValues).image, fetched, problems)
  const columns: Partial<RecordRow> = { ...records.storedColumns(FIELDS[kind], values), ...image }
  checkCoordinates(columns, values, problems)
  refuse(problems)
  const wanted: RecordValues = { ...beside, ...values }
  const resolved = await records.resolveColumns(tx, scope, kind, wanted, String(columns[kind]), null)
  const equal = await storage.findEqual(tx, kind, visibilityOf(scope.user), {
    ...columns,
    ...namedColumns(values, resolved),
  })
  if (equal !== undefined) return equal
  await scope.quotas.checkDraft(tx, scope.user, resolved.status)
  const row = { ...records.defaultColumns(FIELDS[kind]), ...columns }
  const created = await recordStorage.create(tx, kind, {
    image: null,
    description: null,
    ...row,
    ...resolved,
    search: records.searchText(FIELDS[kind], row),
  })
  await indexRecord(tx, kind, created, true)
  return created
}

/** The resolved columns that the request set explicitly. */
function namedColumns(
  values: RecordValues,
  resolved: Awaited<ReturnType<typeof records.resolveColumns>>,
): Partial<RecordRow> {
  return {
    ...(values.author && { author: resolved.author }),
    ...(values.status && { status: resolved.status }),
    ...(values.slug && { slug: values.slug }),
    ...((values.date || values.date_utc) && { date_utc: resolved.date_utc }),
  }
}

/** Coordinates need both values or none. */
function checkCoordinates(row: Partial<RecordRow>, values: Record<string, unknown>, problems: Problems): void {
  if (problems.geo_lat || problems.geo_lng) return
  if (((row.geo_lat ?? null) === null) === ((row.geo_lng ?? null) === null)) return
  const name = values.geo_lat === undefined ? 'geo_lng' : 'geo_lat'
  problems[name] = { problem: 'half_a_place', other: name === 'geo_lat' ? 'geo_lng' : 'geo_lat' }
}

/** Fetches images for an update, after checking that the user may make it. */
export async function withFetchedImagesForEdit<T>(
  scope: Scope,
  kind: RecordKind,
  ref: Ref,
  payload: Payload,
  work: (fetched: Fetched) => Promise<T>,
): Promise<T> {
  if (!images.namesImage(payload)) return work(new Map())
  await scope.db.read((tx) => records.findEditable(tx, scope, kind, ref))
  return images.withFetchedImages(scope, payload, work)
}

/** Adds images to records. */
export async function withImages(tx: Tx, rows: readonly RecordRow[], onDamage?: OnDamage): Promise<Linked[]> {
  const found = await images.ofRows(tx, rows, onDamage)
  return rows.map((row) => ({ row, image: row.image === null ? null : (found.get(row.image) ?? null) }))
}

async function withImage(tx: Tx, row: RecordRow): Promise<Linked> {
  const [linked] = await withImages(tx, [row])
  return linked ?? { row, image: null }
}
