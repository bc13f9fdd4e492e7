import { toWallClock } from '../calendar/zone.ts'
import { type AuditEntry, writerOf } from '../domain/audit.ts'

/** Versions of records, as JSON. */

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
