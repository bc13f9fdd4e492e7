import { AppError } from '../lib/errors.ts'
import { slugify } from '../lib/slug.ts'
import type { TermKind } from '../schema/term.ts'
import * as storage from '../storage/terms.ts'
import { visibilityOf } from './access.ts'
import type { Scope } from './scope.ts'
import { type Term, withPaths } from './terms.ts'

/** The category or tag that the address of a feed names, as everybody sees it: a tag by its slug, a category by the slugs from the top of the tree down. */
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
