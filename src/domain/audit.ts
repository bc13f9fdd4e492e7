import { instantIn } from '../calendar/date-text.ts'
import { AppError, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { auditParameters } from '../schema/audit.ts'
import { writeCursor } from '../schema/cursor.ts'
import { readFields } from '../schema/field.ts'
import type { AuditRow } from '../storage/audit/log.ts'
import * as storage from '../storage/audit/log.ts'
import type { Tx } from '../storage/dialect.ts'
import { need, rightsOf } from './access.ts'
import { isCursorOf, type KeyType } from './cursors.ts'
import type { JobKind } from './job-run.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'
import { sweepingJob } from './sweeping.ts'

/** The audit log: who changed what. Storage writes it, in the transaction of each change: see storage/audit/. */

/** One change. */
export interface AuditEntry extends Omit<AuditRow, 'before' | 'after' | 'names'> {
  /** Names of the changed fields. */
  readonly names: readonly string[]
  /** The changed fields; null for a record that was not there, and if they are too long for a list that names them. */
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  readonly total: number
  readonly page: number
  readonly perPage: number
  readonly next: string | null
  readonly byCursor: boolean
}

const ORDER = 'audit desc'
const KEY: readonly KeyType[] = ['whole', 'whole']

export function entryOf(row: AuditRow): AuditEntry {
  const read = (text: string | null) => (text === null ? null : JSON.parse(text))
  const [before, after] = [read(row.before), read(row.after)]
  return { ...row, before, after, names: read(row.names) ?? Object.keys(after ?? before ?? {}) }
}

/** How much of the changed fields a list has: all, all or a refusal of too much, or those that are short. */
export type Contents = 'all' | 'bounded' | 'short'

/** Limit on the changed fields in an answer, in bytes. The first entry always fits. */
const MAX_CONTENT = 2_000_000
/** The same for one entry of a list that names the others. */
const SHORT = 2000

/** Reads some entries. */
export async function readEntries(tx: Tx, page: storage.Page, contents: Contents): Promise<AuditEntry[]> {
  if (contents === 'bounded') {
    let left = MAX_CONTENT
    for (const [most, size] of (await storage.sizes(tx, page)).entries()) {
      left -= size
      if (left < 0 && most > 0) refuse({ per_page: { problem: 'too_much_content', most } })
    }
  }
  const rows = await (contents === 'short' ? storage.read(tx, page, SHORT) : storage.read(tx, page))
  return rows.map(entryOf)
}

type Reader = Pick<Scope, 'db' | 'clock' | 'site' | 'user'>

/** One entry, for administrators. */
export async function get(scope: Reader, id: number): Promise<AuditEntry> {
  need(rightsOf(scope.user).administer)
  const [entry] = await scope.db.readMany((tx) => readEntries(tx, storage.pageOfOne(id), 'all'))
  if (entry === undefined) throw new AppError('version-not-found')
  return entry
}

/** One page of the log, the newest first, for administrators. */
export async function list(scope: Reader, query: Payload, contents: Contents): Promise<AuditPage> {
  need(rightsOf(scope.user).administer)
  const { values, problems } = readFields(auditParameters, query(), { mode: 'query', reading: readingOf(scope) })
  const { cursor, per_page: perPage = 50, record = null, way = null, action = null, user } = values
  const page = cursor ? 1 : (values.page ?? 1)
  if (cursor && !isCursorOf(cursor, ORDER, KEY)) problems.cursor = { problem: 'not_a_cursor' }
  refuse(problems)
  const at = (date: typeof values.after) => (date ? instantIn(date, scope.site.timezone) : null)
  return scope.db.readMany(async (tx) => {
    const users = user ? await storage.usersNamed(tx, user, fold(user)) : null
    const filter = { record, users, way, action, after: at(values.after), before: at(values.before) }
    const since = cursor ? ([Number(cursor.key[0]), Number(cursor.key[1])] as const) : null
    const entries = await readEntries(tx, storage.pageOf(filter, since, perPage, (page - 1) * perPage), contents)
    const last = entries.at(-1)
    const key = last === undefined || entries.length < perPage ? null : ([last.at_utc, last.id] as const)
    const isLast = key === null || (await storage.sizes(tx, storage.pageOf(filter, key, 1, 0))).length === 0
    return {
      entries,
      total: await storage.count(tx, filter),
      page,
      perPage,
      next: isLast ? null : writeCursor({ order: ORDER, key: [...key] }),
      byCursor: Boolean(cursor),
    }
  })
}

const HOUR = 3600
const DAY = 24 * HOUR

/** Forgets what is older than so many days; 0 keeps everything. */
export function forgettingAudit({ db, clock }: Pick<Scope, 'db' | 'clock'>, days: number): JobKind {
  return sweepingJob(db, 'forget-audit', HOUR, async (tx, most) =>
    days === 0 ? 0 : storage.forget(tx, clock() - days * DAY, most),
  )
}
