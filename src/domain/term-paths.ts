import { AppError } from '../lib/errors.ts'
import { slugify } from '../lib/slug.ts'
import type { TermKind } from '../schema/term.ts'
import { isAnyMerged } from '../storage/merging.ts'
import * as storage from '../storage/terms.ts'
import { visibilityOf } from './access.ts'
import { movedTerm } from './merging.ts'
import type { Scope } from './scope.ts'
import { type Term, withPaths } from './terms.ts'

/**
 * Finds a public term by the path in a feed address: a tag by its slug, a category by the slugs from the root of the
 * tree.
 */
export async function getByPath({ db }: Pick<Scope, 'db'>, kind: TermKind, path: string): Promise<Term> {
  const slugs = path
    .split('/')
    .filter((part) => part !== '')
    .map(slugify)
  return db.read(async (tx) => {
    const row = await storage.find(tx, kind, slugs.at(-1) ?? '', '', visibilityOf(null))
    const [term] = row === undefined ? [] : await withPaths(tx, [row])
    if (term === undefined || term.path !== slugs.join('/')) throw new AppError('rest_term_invalid')
    return term
  })
}

/** Finds the public category that an old path leads to: it, or one above it, was merged into another one. */
export async function movedCategory(scope: Scope, path: string): Promise<Term | null> {
  const slugs = path.split('/').map(slugify)
  const last = slugs.at(-1) ?? ''
  const moved = await movedTerm(scope, 'category', last)
  if (moved !== null) return moved
  const [term] = await scope.db.read(async (tx) => {
    if (!(await isAnyMerged(tx, 'category', slugs.slice(0, -1)))) return []
    const row = await storage.find(tx, 'category', last, '', visibilityOf(null))
    return row === undefined ? [] : withPaths(tx, [row])
  })
  return term ?? null
}
