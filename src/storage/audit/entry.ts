import type { AuditAction, AuditKind } from '../../schema/audit.ts'

/** Fields with values, as they are logged. */
export type Content = Record<string, unknown>

/** A change of a record, before it is stored. */
export interface Entry {
  readonly action: AuditAction
  readonly kind: AuditKind
  readonly record: number
  readonly title: string
  readonly before: Content | null
  readonly after: Content | null
}
