import { AppError } from '../lib/errors.ts'
import { slugify } from '../lib/slug.ts'
import type { TermKind } from '../schema/term.ts'
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

/** Finds a public category by its slug alone, wherever it is in the tree now, or the one that it was merged into. */
export async function findCategory(scope: Scope, slug: string): Promise<Term | null> {
  const [term] = await scope.db.read(async (tx) => {
    const row = await storage.find(tx, 'category', slug, '', visibilityOf(null))
    return row === undefined ? [] : withPaths(tx, [row])
  })
  return term ?? movedTerm(scope, 'category', slug)
}
