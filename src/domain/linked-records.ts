import { type Problems, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { type Fields, readFields } from '../schema/field.ts'
import { organizerFields } from '../schema/organizer.ts'
import { linkedListParameters, removeParameters } from '../schema/record.ts'
import { venueFields } from '../schema/venue.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/linked-records.ts'
import type { LinkedKind, Page, RecordRow, Ref } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import { mayRead, need, rightsOf, sightOf } from './access.ts'
import type { RecordValues } from './records.ts'
import * as records from './records.ts'
import type { Payload, Scope } from './scope.ts'

/** Venues and organizers live the same life; the field that names them has the name of their kind. */
const FIELDS: Record<LinkedKind, Fields> = { venue: venueFields, organizer: organizerFields }

export type { LinkedKind } from '../storage/records.ts'
export type LinkedRow = RecordRow

export interface LinkedPage extends Page<RecordRow> {
  readonly page: number
  readonly perPage: number
}

export async function list(scope: Scope, kind: LinkedKind, query: Payload): Promise<LinkedPage> {
  const { values, problems } = readFields(linkedListParameters, query(), {
    mode: 'query',
    reading: records.readingOf(scope),
  })
  const { page = 1, per_page: perPage = 10 } = values
  const status = values.status ?? null
  records.checkStatusFilter(scope, status, problems)
  return scope.db.read(async (tx) => {
    if (values.event && !(await isReadableEvent(tx, scope, values.event)))
      problems.event = { problem: 'no_such_event', id: values.event }
    refuse(problems)
    const filter = {
      sight: sightOf(scope.user),
      status,
      search: values.search ? fold(values.search) : null,
      event: values.event ?? null,
      hasEvents: values.has_events ?? null,
      upcomingAt: values.only_with_upcoming ? scope.clock() : null,
    }
    return { ...(await storage.list(tx, kind, filter, perPage, (page - 1) * perPage)), page, perPage }
  })
}

export async function get(scope: Scope, kind: LinkedKind, ref: Ref): Promise<RecordRow> {
  return scope.db.read((tx) => records.findReadable(tx, scope, kind, ref))
}

export async function create(scope: Scope, kind: LinkedKind, payload: Payload): Promise<RecordRow> {
  need(rightsOf(scope.user).create)
  return scope.db.write(async (tx) => {
    const { values, problems } = readFields(FIELDS[kind], payload(), {
      mode: 'create',
      reading: records.readingOf(scope),
    })
    return findOrInsert(tx, scope, kind, values, problems)
  })
}

export async function update(scope: Scope, kind: LinkedKind, ref: Ref, payload: Payload): Promise<RecordRow> {
  return scope.db.write(async (tx) => {
    const before = await records.findEditable(tx, scope, kind, ref)
    const { values, problems } = readFields(FIELDS[kind], payload(), {
      mode: 'update',
      reading: records.readingOf(scope),
    })
    await records.checkReferences(tx, scope, values as RecordValues, problems)
    refuse(problems)
    const columns = records.storedColumns(FIELDS[kind], values)
    const row = { ...before, ...columns }
    const changes = {
      ...columns,
      ...(await records.settle(tx, scope, kind, values as RecordValues, String(row[kind]), before)),
      search: records.searchText(FIELDS[kind], row),
    }
    await recordStorage.update(tx, kind, before.id, changes)
    return records.find(tx, kind, { id: before.id })
  })
}

export async function remove(scope: Scope, kind: LinkedKind, ref: Ref, query: Payload): Promise<RecordRow> {
  return scope.db.write(async (tx) => {
    await records.findEditable(tx, scope, kind, ref)
    const { values, problems } = readFields(removeParameters, query(), {
      mode: 'query',
      reading: records.readingOf(scope),
    })
    refuse(problems)
    return records.remove(tx, scope, kind, ref, values.force === true)
  })
}

/** The id of the record that data inside an event describes. */
export async function createInline(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  data: Record<string, unknown>,
): Promise<number> {
  const { values, problems } = readFields(FIELDS[kind], data, { mode: 'create', reading: records.readingOf(scope) })
  return (await findOrInsert(tx, scope, kind, values, problems)).id
}

/** The record that these values describe: an equal one if there is one, else a new one. */
async function findOrInsert(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  values: Record<string, unknown>,
  problems: Problems,
): Promise<RecordRow> {
  await records.checkReferences(tx, scope, values as RecordValues, problems)
  refuse(problems)
  const columns = records.storedColumns(FIELDS[kind], values)
  const settled = await records.settle(tx, scope, kind, values as RecordValues, String(columns[kind]), null)
  const equal = await storage.findEqual(tx, kind, sightOf(scope.user), { ...columns, ...namedColumns(values, settled) })
  if (equal !== undefined) return equal
  const row = { ...records.defaultColumns(FIELDS[kind]), ...columns }
  const id = await recordStorage.create(tx, kind, {
    image: null,
    description: null,
    ...row,
    ...settled,
    search: records.searchText(FIELDS[kind], row),
  })
  return records.find(tx, kind, { id })
}

/** Of the settled columns, those that the request spoke of. */
function namedColumns(values: RecordValues, settled: Awaited<ReturnType<typeof records.settle>>): Partial<RecordRow> {
  return {
    ...(values.author && { author: settled.author }),
    ...(values.status && { status: settled.status }),
    ...(values.slug && { slug: values.slug }),
    ...((values.date || values.date_utc) && { date_utc: settled.date_utc }),
  }
}

async function isReadableEvent(tx: Tx, scope: Scope, id: number): Promise<boolean> {
  const event = await recordStorage.get(tx, 'event', { id })
  return event !== undefined && mayRead(scope.user, event)
}
