import { movedLinked, movedTerm } from '../domain/merging.ts'
import type { Scope } from '../domain/scope.ts'
import { movedCategory } from '../domain/term-paths.ts'
import type { Answer, Call } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { slugify } from '../lib/slug.ts'
import { isLinkedKind, type RecordKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'

/**
 * Answers a feed that was not found: the old address of a record that was merged, or of a category that was moved, leads
 * to the new one. Throws the error if there is none.
 */
export async function movedFeed(
  { scope, addresses, sent }: Call,
  kind: RecordKind | TermKind,
  file: { readonly path: string; readonly extension: string },
  error: unknown,
): Promise<Answer> {
  const isMissing = error instanceof AppError && error.status === 404
  // Feeds show public data only.
  const path = isMissing ? await movedPath({ ...scope, user: null }, kind, file.path) : null
  if (path === null) throw error
  const base = new URL(addresses.pages).pathname.replace(/\/$/, '')
  const location = `${base}${path}.${file.extension}${sent === '' ? '' : `?${new URLSearchParams(sent)}`}`
  return { status: 301, headers: { location, 'content-type': 'text/plain' }, body: '' }
}

/** Path of the new page, without the trailing slash; null if there is none. */
async function movedPath(scope: Scope, kind: RecordKind | TermKind, asked: string): Promise<string | null> {
  if (kind === 'event') return null
  const slug = slugify(asked.split('/').at(-1) ?? '')
  if (isLinkedKind(kind)) {
    const moved = await movedLinked(scope, kind, slug)
    return moved && `/${kind}/${moved.row.slug}`
  }
  const term = kind === 'category' ? await movedCategory(scope, asked) : await movedTerm(scope, 'tag', slug)
  return term && (kind === 'category' ? `/events/category/${term.path}` : `/tag/${term.slug}`)
}
