import type { Ref } from '../../domain/records.ts'
import type { Call } from '../../http/endpoint.ts'
import { slugify } from '../../lib/slug.ts'
import { declare, type Fields } from '../../schema/field.ts'
import * as types from '../../schema/value-types.ts'

/** Lookup of a record by id or by slug. */
export interface Lookup {
  /** Suffix of the operation name. */
  readonly suffix: '' | '-by-slug'
  readonly path: string
  /** Path parameter. */
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
  // The slug may be percent-encoded and in any case: it is normalized like stored slugs.
  ref: ({ slug }) => ({ slug: slugify(slug) }),
}
