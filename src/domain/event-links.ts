import { AppError, type Problems } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { isSlug, slugify } from '../lib/slug.ts'
import type { LinkValue, TermValue } from '../schema/kinds.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import type { LinkedKind } from '../storage/records.ts'
import * as recordStorage from '../storage/records.ts'
import type { TermRow } from '../storage/terms.ts'
import * as termStorage from '../storage/terms.ts'
import { mayRead, rightsOf } from './access.ts'
import type { Fetched } from './images.ts'
import { createInline } from './linked-records.ts'
import type { Scope } from './scope.ts'
import * as terms from './terms.ts'

/** The field that names each kind of term. */
const TERM_FIELD = { category: 'categories', tag: 'tags' } as const

/** The ids of the venues or organizers that a request names; those given as data are found or made. */
export async function resolveLinks(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  links: readonly LinkValue[],
  fetched: Fetched,
  problems: Problems,
): Promise<number[]> {
  const ids: number[] = []
  for (const link of links) {
    try {
      if ('data' in link) ids.push(await createInline(tx, scope, kind, link.data, fetched))
      else if (await isLinkable(tx, scope, kind, link.id)) ids.push(link.id)
      else problems[kind] ??= { problem: `no_such_${kind}`, id: link.id }
    } catch (error) {
      // What is wrong with data inside the field is told of the field.
      if (!(error instanceof AppError) || error.details.params === undefined) throw error
      problems[kind] ??= { problem: 'bad_data', details: error.details.params }
    }
  }
  return ids
}

/** Links only what the writer may read, and what is not in the trash. */
async function isLinkable(tx: Tx, scope: Scope, kind: LinkedKind, id: number): Promise<boolean> {
  const row = await recordStorage.get(tx, kind, { id })
  return row !== undefined && row.status !== 'trash' && mayRead(scope.user, row)
}

/** The ids of the categories or tags that a request names; new names are created by those who may. */
export async function resolveTerms(
  tx: Tx,
  scope: Scope,
  kind: TermKind,
  values: readonly TermValue[],
  problems: Problems,
): Promise<number[]> {
  const mayCreate = kind === 'tag' || rightsOf(scope.user).category
  const ids: number[] = []
  for (const value of values) {
    // A name that is new is looked for once more when nobody else can make it.
    const found = await findTerm(tx, kind, value)
    const known = found ?? ((await termStorage.lock(tx, kind)) ? await findTerm(tx, kind, value) : undefined)
    if (known !== undefined) ids.push(known.id)
    else if (value.name === undefined) problems[TERM_FIELD[kind]] ??= { problem: 'no_such_term', id: value.id ?? 0 }
    else if (!mayCreate) problems[TERM_FIELD[kind]] ??= { problem: 'may_not_create_term', name: value.name }
    else ids.push((await terms.insert(tx, kind, { name: value.name, parent: 0, slug: null, description: null })).id)
  }
  return ids
}

/** A term by its id; failing that, by its very slug; failing that, by its name. `C++` is not the slug `c`. */
export async function findTerm(tx: Tx, kind: TermKind, { id, name }: TermValue): Promise<TermRow | undefined> {
  const byId = id === undefined ? undefined : await termStorage.get(tx, kind, id)
  return (
    byId ??
    (name === undefined ? undefined : termStorage.find(tx, kind, isSlug(name) ? slugify(name) : null, fold(name)))
  )
}
