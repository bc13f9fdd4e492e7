import { cursor } from './cursor.ts'
import { declare, Refused, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'
import { RECORD_KINDS, type RecordKind } from './linked.ts'
import type { TermKind } from './term.ts'
import * as types from './value-types.ts'

/** Ways by which something is changed. */
export const WAYS = ['rest', 'screen', 'command', 'import', 'job'] as const
export type Way = (typeof WAYS)[number]

export const AUDIT_ACTIONS = ['created', 'changed', 'removed'] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What is logged. All settings together are one record, whose id is 0. */
export type AuditKind = RecordKind | TermKind | 'series' | 'image' | 'user' | 'token' | 'webhook' | 'feed' | 'setting'
export const AUDIT_KINDS: readonly AuditKind[] = [
  ...RECORD_KINDS,
  'category',
  'tag',
  'series',
  'image',
  'user',
  'token',
  'webhook',
  'feed',
  'setting',
]

/** Stands for a secret, which is never logged: the log only says that there was one. */
export const SECRET = '(secret)'

/** A kind of record, or one record of it: `event`, `event:12`. */
export interface AuditRecord {
  readonly kind: AuditKind
  readonly id: number | null
}

const record: ValueType<AuditRecord> = {
  type: 'string',
  schema: Type.String({ pattern: `^(${AUDIT_KINDS.join('|')})(:\\d+)?$` }),
  read(raw, reading) {
    const [kind = '', id, ...rest] = types.exact.read(raw, reading).trim().split(':')
    const isId = id === undefined || (/^\d{1,15}$/.test(id) && rest.length === 0)
    if (!AUDIT_KINDS.includes(kind as AuditKind) || !isId)
      throw new Refused('not_a_logged_record', { allowed: AUDIT_KINDS.join(', ') })
    return { kind: kind as AuditKind, id: id === undefined ? null : Number(id) }
  },
}

/** Parameters of the audit log. */
export const auditParameters = declare('audit', {
  record: { kind: record },
  user: { kind: types.exact },
  way: { kind: types.oneOf(...WAYS) },
  action: { kind: types.oneOf(...AUDIT_ACTIONS) },
  after: { kind: types.date },
  before: { kind: types.date },
  page: { kind: types.integer(1), default: 1 },
  per_page: { kind: types.perPage, default: 50 },
  cursor: { kind: cursor },
})

/** Parameters of the versions of a record. */
export const versionListParameters = declare('versions', {
  page: { kind: types.integer(1), default: 1 },
  per_page: { kind: types.perPage, default: 50 },
})

/** Reads the number of a version; of none that exists, if it is none. */
export function readVersion(text: unknown): number {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : -1
}

/** The number of a version in a path. */
export const versionPath = declare('path', { version: { kind: types.integer(0), required: true } })
