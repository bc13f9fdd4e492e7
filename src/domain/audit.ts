import { instantIn } from '../calendar/date-text.ts'
import { refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { auditParameters } from '../schema/audit.ts'
import { writeCursor } from '../schema/cursor.ts'
import { readFields } from '../schema/field.ts'
import type { AuditRow } from '../storage/audit/log.ts'
import * as storage from '../storage/audit/log.ts'
import { need, rightsOf } from './access.ts'
import { isCursorOf, type KeyType } from './cursors.ts'
import type { JobKind } from './job-run.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'
import { sweepingJob } from './sweeping.ts'

/** The audit log: who changed what. Storage writes it, in the transaction of each change: see storage/audit/. */

/** One change. */
export interface AuditEntry extends Omit<AuditRow, 'before' | 'after'> {
  /** The changed fields; null for a record that was not there. */
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
  return { ...row, before: read(row.before), after: read(row.after) }
}

/** One page of the log, the newest first, for administrators. */
export async function list(scope: Pick<Scope, 'db' | 'clock' | 'site' | 'user'>, query: Payload): Promise<AuditPage> {
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
    const found = await storage.list(tx, filter, { since, limit: perPage + 1, offset: (page - 1) * perPage })
    const rows = found.slice(0, perPage)
    const last = rows.at(-1)
    const next = found.length <= perPage || last === undefined ? null : [last.at_utc, last.id]
    return {
      entries: rows.map(entryOf),
      total: await storage.count(tx, filter),
      page,
      perPage,
      next: next && writeCursor({ order: ORDER, key: next }),
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
