import { declare } from './field.ts'
import { RECORD_KINDS, type RecordKind } from './linked.ts'
import type { TermKind } from './term.ts'
import * as types from './value-types.ts'

/** The kinds of records whose changes are told. */
export type ChangeKind = RecordKind | TermKind
export const CHANGE_KINDS: readonly ChangeKind[] = [...RECORD_KINDS, 'category', 'tag']

/** Parameters of the changes. */
export const changeParameters = declare('changes', {
  since: { kind: types.exact },
  types: { kind: types.someOf<ChangeKind>(...CHANGE_KINDS) },
  per_page: { kind: types.perPage, default: 50 },
  include: { kind: types.someOf('record') },
})
