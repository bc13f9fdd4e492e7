import { isDeepStrictEqual } from 'node:util'
import { AppError, refuse } from '../lib/errors.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import { versionListParameters } from '../schema/audit.ts'
import { readFields } from '../schema/field.ts'
import type { RecordKind } from '../schema/linked.ts'
import type { Content } from '../storage/audit/entry.ts'
import * as storage from '../storage/audit/log.ts'
import { readFields as readPresent } from '../storage/audit/writing.ts'
import type { Tx } from '../storage/dialect.ts'
import type { RecordRow, Ref } from '../storage/records.ts'
import { mayEdit, need } from './access.ts'
import { type AuditEntry, type Contents, entryOf, readEntries } from './audit.ts'
import * as records from './records.ts'
import type { Payload, Scope } from './scope.ts'

/**
 * Versions of events, venues and organizers. Each entry of the audit log is a version: the record as it was after that
 * change. Version 0 is the record as it was before the oldest entry, unless that one is its creation. What a record was is
 * what it is now, with what later entries say of before. So entries may be forgotten from the oldest on.
 */

/** Number of the version before the oldest entry. */
export const ORIGINAL = 0

export interface VersionPage {
  readonly row: RecordRow
  readonly entries: readonly AuditEntry[]
  /** Whether this page ends with version 0. */
  readonly hasOriginal: boolean
  readonly total: number
  readonly page: number
  readonly pages: number
}

type Reader = Pick<Scope, 'db' | 'clock' | 'site' | 'user'>

/** One page of the versions of a record, the newest first, for those who may edit it. */
export async function list(
  scope: Reader,
  kind: RecordKind,
  ref: Ref,
  query: Payload,
  contents: Contents,
): Promise<VersionPage> {
  return scope.db.readMany(async (tx) => {
    const row = await findEditable(tx, scope, kind, ref)
    const reading = records.readingOf(scope)
    const { values, problems } = readFields(versionListParameters, query(), { mode: 'query', reading })
    refuse(problems)
    const { page = 1, per_page: perPage = 50 } = values
    const { total: logged, isWhole } = await storage.countOf(tx, kind, row.id)
    const total = logged + (isWhole ? 0 : 1)
    const offset = (page - 1) * perPage
    const some = storage.pageOfRecord(kind, row.id, { until: null, limit: perPage, offset })
    const hasOriginal = !isWhole && offset + perPage >= total && offset < total
    return {
      row,
      entries: await readEntries(tx, some, contents),
      hasOriginal,
      total,
      page,
      pages: Math.ceil(total / perPage),
    }
  })
}

/** A record that the user may edit; nothing is locked. */
export async function findEditable(tx: Tx, scope: Pick<Scope, 'user'>, kind: RecordKind, ref: Ref): Promise<RecordRow> {
  const row = await records.findReadable(tx, scope, kind, ref)
  need(mayEdit(scope.user, row))
  return row
}

/** A record at a version. */
export interface Version {
  readonly row: RecordRow
  readonly version: number
  /** The change that made it; null for version 0. */
  readonly entry: AuditEntry | null
  readonly fields: Content
  /** The fields that are other ones now, as they are now. */
  readonly now: Content
}

/** Entries that are read at once: each may have some hundred kilobytes. */
const SLICE = 8

/** A version of a record that was found. */
export async function find(tx: Tx, kind: RecordKind, row: RecordRow, version: number): Promise<Version> {
  const current = (await readPresent(tx, kind, [row.id], 'no reader: seen')).get(row.id)
  if (current === undefined || !Number.isSafeInteger(version)) throw new AppError('version-not-found')
  const fields = { ...current }
  let until: number | null = null
  const slice = new TimeSlice()
  for (;;) {
    const some: storage.AuditRow[] = await storage.read(tx, storage.pageOfRecord(kind, row.id, { until, limit: SLICE }))
    for (const each of some) {
      if (slice.isOver) await slice.yield()
      const entry = entryOf(each)
      if (entry.id === version) return { row, version, entry, fields, now: difference(current, fields) }
      // A version that there is not, one from before the record was made, or from before a change that was forgotten.
      const isForgotten = entry.before === null
      if (entry.id < version || entry.action === 'created' || isForgotten) throw new AppError('version-not-found')
      Object.assign(fields, entry.before)
    }
    if (some.length < SLICE) break
    until = some.at(-1)?.id ?? 0
  }
  if (version !== ORIGINAL) throw new AppError('version-not-found')
  return { row, version, entry: null, fields, now: difference(current, fields) }
}

function difference(current: Content, fields: Content): Content {
  return Object.fromEntries(Object.entries(current).filter(([name, value]) => !isDeepStrictEqual(value, fields[name])))
}
