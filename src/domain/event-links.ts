import { AppError, type Problems } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { isSlug, slugify } from '../lib/slug.ts'
import { TimeSlice } from '../lib/time-slices.ts'
import type { TermKind } from '../schema/term.ts'
import type { LinkValue, TermValue } from '../schema/value-types.ts'
import type { Tx } from '../storage/dialect.ts'
import type { LinkedKind, RecordRow } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import type { Visibility } from '../storage/visibility.ts'
import { mayRead, maySeeTerm, rightsOf, visibilityOf } from './access.ts'
import type { Fetched } from './images.ts'
import { createInline } from './linked-records.ts'
import type { Scope, User } from './scope.ts'
import * as terms from './terms.ts'

/** The field that names each kind of term. */
const TERM_FIELD = { category: 'categories', tag: 'tags' } as const

/** The venues or organizers that a request names, each once; those given as data are found or made. */
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
          : await recordStorage.get(tx, kind, { id: link.id })
      if (row !== undefined && ('data' in link || isShown(scope, row))) rows.set(row.id, row)
      else if ('id' in link) problems[kind] ??= { problem: `no_such_${kind}`, id: link.id }
    } catch (error) {
      // What is wrong with data inside the field is told of the field.
      if (!(error instanceof AppError) || error.details.params === undefined) throw error
      problems[kind] ??= { problem: 'bad_data', details: error.details.params }
    }
  }
  return [...rows.values()]
}

/** Links lead to what a user may read, and to nothing in the trash. */
export function isShown({ user }: Pick<Scope, 'user'>, row: RecordRow): boolean {
  return row.status !== 'trash' && mayRead(user, row)
}

/**
 * The ids of the categories or tags that a request names; new names are created by those who may. For them a name is the same
 * whether another's draft has made it hidden before or not. `had` are those that the event has already.
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
      (mayCreate && value.name !== undefined ? findNamed(tx, kind, value.name, null) : undefined)
    // A name that is new is looked for once more when nobody else can make it.
    const known = (await find()) ?? ((await termStorage.lock(tx, kind)) ? await find() : undefined)
    if (known !== undefined) ids.push(known.id)
    else if (value.name === undefined) problems[TERM_FIELD[kind]] ??= { problem: 'no_such_term', id: value.id ?? 0 }
    else if (!mayCreate) problems[TERM_FIELD[kind]] ??= { problem: 'may_not_create_term', name: value.name }
    else ids.push((await terms.insert(tx, kind, { name: value.name, parent: 0, slug: null, description: null })).id)
  }
  return ids
}

/** A term that a reader may see, or that their event has: by its id; failing that, by its very slug; failing that, by its name. */
export async function findTerm(
  tx: Tx,
  user: User | null,
  kind: TermKind,
  { id, name }: TermValue,
  had: readonly number[] = [],
): Promise<TermRow | undefined> {
  const byId = id === undefined ? undefined : await termStorage.get(tx, kind, id)
  if (byId !== undefined && (maySeeTerm(user, byId) || had.includes(byId.id))) return byId
  return name === undefined ? undefined : findNamed(tx, kind, name, visibilityOf(user))
}

/** A term that is hidden because every published event that has it is protected: asking for it is no mistake, and finds nothing. */
export async function findProtectedTerm(tx: Tx, kind: TermKind, { id, name }: TermValue): Promise<TermRow | undefined> {
  const byId = id === undefined ? undefined : await termStorage.get(tx, kind, id)
  const term = byId ?? (name === undefined ? undefined : await findNamed(tx, kind, name, null))
  return term !== undefined && (await termStorage.isOfPublished(tx, term.id)) ? term : undefined
}

/** `C++` is not the slug `c`. */
function findNamed(tx: Tx, kind: TermKind, name: string, visibility: Visibility | null): Promise<TermRow | undefined> {
  return termStorage.find(tx, kind, isSlug(name) ? slugify(name) : null, fold(name), visibility)
}
