import { toWallClock } from '../calendar/zone.ts'
import type { AuditEntry } from '../domain/audit.ts'

/** The audit log and versions of records, as JSON. */

/** Who made a change; null if nobody was signed in. */
function writerOf({ user, user_name }: AuditEntry): object | null {
  return user === null ? null : { id: user, name: user_name ?? '' }
}

/** An entry of the log. */
export function auditEntry(entry: AuditEntry): Record<string, unknown> {
  const { id, at_utc, address, way, action, kind, record, title, before, after } = entry
  return {
    id,
    date_utc: toWallClock(at_utc, 'UTC'),
    user: writerOf(entry),
    address,
    way,
    action,
    record: { type: kind, id: record, title },
    before,
    after,
  }
}

/** The head of a version; nobody knows who made the first one, if it is older than the log. */
export function versionHead(entry: AuditEntry | null): Record<string, unknown> {
  if (entry === null) return { version: 0, date_utc: null, user: null, way: null }
  const { id, at_utc, way } = entry
  return { version: id, date_utc: toWallClock(at_utc, 'UTC'), user: writerOf(entry), way }
}

/** A version in a list. Addresses of clients are for administrators. */
export function versionEntry(entry: AuditEntry | null): Record<string, unknown> {
  const { action, before, after } = entry ?? { action: null, before: null, after: null }
  return { ...versionHead(entry), action, before, after }
}
