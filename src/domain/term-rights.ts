import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import { lockRows } from '../storage/merging.ts'
import { ownTerms } from '../storage/term-authors.ts'
import * as storage from '../storage/terms.ts'
import { editedTerms } from './access.ts'
import type { Scope } from './scope.ts'

/** Of some terms those that a user may change, merge and remove. */
export async function editableTerms(
  tx: Tx,
  { user }: Pick<Scope, 'user'>,
  kind: TermKind,
  ids: readonly number[],
): Promise<Set<number>> {
  const whose = editedTerms(user, kind)
  if (whose === 'all') return new Set(ids)
  return whose === null ? new Set() : ownTerms(tx, ids, whose)
}

/** The same, for screens. */
export async function readEditableTerms(scope: Scope, kind: TermKind, ids: readonly number[]): Promise<Set<number>> {
  return scope.db.readMany((tx) => editableTerms(tx, scope, kind, ids))
}

/** Whether a user may change a term, in a transaction that does: no event gets it, or one below it, until that ends. */
export async function mayEditTerm(
  tx: Tx,
  scope: Pick<Scope, 'user'>,
  { id, kind, author }: storage.TermRow,
): Promise<boolean> {
  if (editedTerms(scope.user, kind) === author) await lockRows(tx, kind, await storage.withDescendants(tx, [id]))
  return (await editableTerms(tx, scope, kind, [id])).has(id)
}
