import type { Ref } from '../../domain/records.ts'
import type { Call } from '../../http/endpoint.ts'
import { slugify } from '../../lib/slug.ts'
import { declare, type Fields } from '../../schema/field.ts'
import * as types from '../../schema/value-types.ts'

/** A way to name one record in a path. */
export interface Lookup {
  /** What the operation's name ends in. */
  readonly suffix: '' | '-by-slug'
  readonly path: string
  /** The path's variable, as a parameter. */
  readonly parameters: Fields
  ref(call: Call): Ref
}

export const byId: Lookup = {
  suffix: '',
  path: '/:id',
  parameters: declare('path', { id: { kind: types.id, required: true } }),
  ref: ({ id }) => ({ id }),
}

export const bySlug: Lookup = {
  suffix: '-by-slug',
  path: '/by-slug/:slug',
  parameters: declare('path', { slug: { kind: types.slug, required: true } }),
  // Percent-encoded or not, in any case: a slug is cleaned as it was when it was made.
  ref: ({ slug }) => ({ slug: slugify(slug) }),
}
