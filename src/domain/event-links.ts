import { AppError, type Problems } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { isSlug, slugify } from '../lib/slug.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import type { LinkValue, TermValue } from '../schema/references.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import * as linkStorage from '../storage/event-links.ts'
import * as merging from '../storage/merging.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import type { Visibility, WithoutReader } from '../storage/visibility.ts'
import { mayRead, maySeeTerm, rightsOf, visibilityOf } from './access.ts'
import { undamagedLinked } from './damage.ts'
import type { Fetched } from './images.ts'
import { createInline } from './linked-records.ts'
import type { Scope, User } from './scope.ts'
import * as terms from './terms.ts'

/** Field name of each kind of term. */
const TERM_FIELD = { category: 'categories', tag: 'tags' } as const

/** Resolves the venues or organizers of a request, without duplicates. Those given as data are found or created. */
export async function resolveLinks(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  links: readonly LinkValue[],
  fetched: Fetched,
  problems: Problems,
): Promise<RecordRow[]> {
  const rows = new Map<number, RecordRow>()
  const turn = new TimeSlice()
  for (const link of links) {
    if (turn.isOver) await turn.yield()
    try {
      const row =
        'data' in link
          ? await createInline(tx, scope, kind, link.data, fetched)
          : await linkedById(tx, kind, link.id, 'no reader: rights')
      if (row !== undefined && ('data' in link || isShown(scope, row))) rows.set(row.id, row)
      else if ('id' in link) problems[kind] ??= { problem: `no_such_${kind}`, id: link.id }
    } catch (error) {
      // Problems of nested data are reported for the field.
      if (!(error instanceof AppError) || error.details.params === undefined) throw error
      problems[kind] ??= { problem: 'bad_data', details: error.details.params }
    }
  }
  return [...rows.values()]
}

/** Ids of the linked records that the writer of an event is not shown. They stay linked, whatever is sent. */
export async function unseenLinks(tx: Tx, scope: Scope, kind: LinkedKind, event: number): Promise<number[]> {
  const links = (await linkStorage.links(tx, [event])).filter((link) => link.kind === kind)
  const ids = links.map(({ linked }) => linked)
  const visible = await recordStorage.getAll(tx, kind, ids, visibilityOf(scope.user))
  const seen = new Set(undamagedLinked(kind, scope, visible).map(({ id }) => id))
  return ids.filter((id) => !seen.has(id))
}

/** The record with an id, or the one that it was merged into. */
export async function linkedById(
  tx: Tx,
  kind: LinkedKind,
  id: number,
  reason: WithoutReader,
): Promise<RecordRow | undefined> {
  const row = await recordStorage.get(tx, kind, { id }, reason)
  if (row !== undefined) return row
  const target = await merging.findById(tx, kind, id)
  return target === undefined ? undefined : recordStorage.get(tx, kind, { id: target }, reason)
}

/** The term with an id, or the one that it was merged into. */
export async function termById(
  tx: Tx,
  kind: TermKind,
  id: number,
  reason: WithoutReader,
): Promise<TermRow | undefined> {
  const row = await termStorage.get(tx, kind, id, reason)
  if (row !== undefined) return row
  const target = await merging.findById(tx, kind, id)
  return target === undefined ? undefined : termStorage.get(tx, kind, target, reason)
}

/** Links may refer to records that the user may see, except those in the trash. */
export function isShown({ user }: Pick<Scope, 'user'>, row: RecordRow): boolean {
  return row.status !== 'trash' && mayRead(user, row)
}

/**
 * Resolves the terms of a request to ids. Users with the right create new names. For them a name resolves to the same
 * term even if another user's draft created it hidden. `had` are the terms that the event already has.
 */
export async function resolveTerms(
  tx: Tx,
  scope: Scope,
  kind: TermKind,
  values: readonly TermValue[],
  problems: Problems,
  had: readonly number[] = [],
): Promise<number[]> {
  const mayCreate = kind === 'tag' || rightsOf(scope.user).category
  const ids: number[] = []
  for (const value of values) {
    const find = async () =>
      (await findTerm(tx, scope.user, kind, value, had)) ??
      (mayCreate && value.name !== undefined ? findNamed(tx, kind, value.name, 'no reader: write') : undefined)
    // Look again under the lock: another transaction may have created the name.
    const known = (await find()) ?? ((await termStorage.lock(tx, kind)) ? await find() : undefined)
    if (known !== undefined) ids.push(known.id)
    else if (value.name === undefined) problems[TERM_FIELD[kind]] ??= { problem: 'no_such_term', id: value.id ?? 0 }
    else if (!mayCreate) problems[TERM_FIELD[kind]] ??= { problem: 'may_not_create_term', name: value.name }
    else
      ids.push((await terms.insert(tx, scope, kind, { name: value.name, parent: 0, slug: null, description: null })).id)
  }
  return ids
}

/** Finds a term that a reader may see, or that their event has: by id, else by exact slug, else by name. */
export async function findTerm(
  tx: Tx,
  user: User | null,
  kind: TermKind,
  { id, name }: TermValue,
  had: readonly number[] = [],
): Promise<TermRow | undefined> {
  const byId = id === undefined ? undefined : await termById(tx, kind, id, 'no reader: rights')
  if (byId !== undefined && (maySeeTerm(user, byId) || had.includes(byId.id))) return byId
  return name === undefined ? undefined : findNamed(tx, kind, name, visibilityOf(user))
}

/**
 * Finds a term that is hidden because all its published events are protected: filtering by it is valid, and finds
 * nothing.
 */
export async function findProtectedTerm(tx: Tx, kind: TermKind, { id, name }: TermValue): Promise<TermRow | undefined> {
  const byId = id === undefined ? undefined : await termStorage.get(tx, kind, id, 'no reader: rights')
  const term = byId ?? (name === undefined ? undefined : await findNamed(tx, kind, name, 'no reader: rights'))
  return term !== undefined && (await termStorage.isOfPublished(tx, term.id)) ? term : undefined
}

/** A name is looked up as slug only if it is one: `C++` is not the slug `c`. */
function findNamed(
  tx: Tx,
  kind: TermKind,
  name: string,
  reader: Visibility | WithoutReader,
): Promise<TermRow | undefined> {
  return termStorage.find(tx, kind, isSlug(name) ? slugify(name) : null, fold(name), reader)
}
