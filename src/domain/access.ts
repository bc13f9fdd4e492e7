import { AppError } from '../lib/errors.ts'
import type { Status } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'
import type { Role } from '../schema/user.ts'
import { type SharedVisibility, sharedVisibility, UNPUBLISHED, type Visibility } from '../storage/visibility.ts'

export { ROLES, type Role } from '../schema/user.ts'

/** A signed-in user. */
export interface User {
  readonly id: number
  readonly name: string
  readonly role: Role
  /** Set if a token was used, which may not change who may sign in. */
  readonly byToken?: true
}

export interface Rights {
  /** Which records it may edit and delete: none, its own until published, its own, or all. */
  readonly edit: 'none' | 'own-unpublished' | 'own' | 'all'
  /** Whether it may create records, and set any `status`. */
  readonly create: boolean
  /** Without this right, a published record becomes `pending`. */
  readonly publish: boolean
  /** Whether it may make categories, and change those that `edit` allows: see `editedTerms`. Likewise tags. */
  readonly category: boolean
  readonly tag: boolean
  /** Users and settings. */
  readonly administer: boolean
}

/** Rights by role. */
// biome-ignore format: a table is read by its columns
const RIGHTS: Record<Role | 'anonymous', Rights> = {
  anonymous:     { create: false, edit: 'none',            publish: false, category: false, tag: false, administer: false },
  subscriber:    { create: false, edit: 'none',            publish: false, category: false, tag: false, administer: false },
  contributor:   { create: true,  edit: 'own-unpublished', publish: false, category: false, tag: false, administer: false },
  author:        { create: true,  edit: 'own',             publish: true,  category: true,  tag: false, administer: false },
  editor:        { create: true,  edit: 'all',             publish: true,  category: true,  tag: true,  administer: false },
  administrator: { create: true,  edit: 'all',             publish: true,  category: true,  tag: true,  administer: true  },
}

/** The columns that decide who may do what with a record. */
export interface Owned {
  readonly author: number
  readonly status: Status
  readonly trashed_from: Status | null
}

export function rightsOf(user: User | null): Rights {
  return RIGHTS[user?.role ?? 'anonymous']
}

/** Visibility of a reader, for storage. */
export function visibilityOf(user: User | null): Visibility {
  const { edit } = rightsOf(user)
  return { all: edit === 'all', own: edit === 'none' ? null : (user?.id ?? null), ownPublished: edit === 'own' }
}

/** Readers who see the same: everybody, or those who may edit all; null for a user with records of their own. */
export function audienceOf(user: User | null): SharedVisibility | null {
  return sharedVisibility(visibilityOf(user))
}

/** Whether a user may edit, trash, restore and remove a record. */
export function mayEdit(user: User | null, record: Owned): boolean {
  const { edit } = rightsOf(user)
  if (edit === 'all') return true
  if (edit === 'none' || user?.id !== record.author) return false
  const status = record.status === 'trash' ? (record.trashed_from ?? 'trash') : record.status
  return edit === 'own' || (UNPUBLISHED as readonly Status[]).includes(status)
}

/**
 * Whether a reader may see a record: it is published, their own, or they may edit it. The trash is only for those who
 * may edit.
 */
export function mayRead(user: User | null, record: Owned): boolean {
  if (record.status === 'publish' || mayEdit(user, record)) return true
  return record.status !== 'trash' && rightsOf(user).edit !== 'none' && user?.id === record.author
}

/** Whether a reader may see a term. A term created by writing an event is hidden until a published event has it. */
export function maySeeTerm(user: User | null, term: { readonly published: number }): boolean {
  return term.published === 1 || rightsOf(user).edit === 'all'
}

/** Throws 403 without the right. */
export function need(right: boolean): void {
  if (!right) throw new AppError('rest_forbidden')
}

/**
 * Whose categories or tags a user may change, merge and remove: everybody's, nobody's, or those of one user. These are the
 * ones that `ownTerms` of storage tells: the user made them and all below them, and no event of anybody else has one.
 */
export function editedTerms(user: User | null, kind: TermKind): 'all' | number | null {
  const { edit, [kind]: may } = rightsOf(user)
  if (user === null || !may) return null
  return edit === 'all' ? 'all' : user.id
}

/** Throws 403 if the user may not make terms of this kind. */
export function needTerms(user: User | null, kind: TermKind): void {
  need(rightsOf(user)[kind])
}
