import { declare } from './field.ts'
import { listParameters } from './record.ts'
import * as types from './value-types.ts'

export const TERM_KINDS = ['category', 'tag'] as const
export type TermKind = (typeof TERM_KINDS)[number]

/** Fields of tags. */
export const tagFields = declare('term', {
  name: { kind: types.name, required: true, stored: true },
  description: { kind: types.safeHtml, stored: true },
  slug: { kind: types.slug },
})

/** Fields of categories, which form a tree. */
export const categoryFields = {
  ...tagFields,
  ...declare('category', {
    parent: { kind: types.integer(0), default: 0 },
  }),
}

/** Parameters of the list of tags. */
export const tagListParameters = {
  ...listParameters,
  ...declare('term_list', {
    search: { kind: types.exact },
    exclude: { kind: types.ids },
    include: { kind: types.ids },
    order: { kind: types.oneOfAnyCase('asc', 'desc'), default: 'asc' as const },
    orderby: { kind: types.oneOf('id', 'name', 'slug', 'count', 'description', 'include'), default: 'name' as const },
    hide_empty: { kind: types.flag, default: true },
    post: { kind: types.id },
    event: { kind: types.id },
    slug: { kind: types.slugs },
    title: { kind: types.name },
  }),
}

/** Parameters of the list of categories. */
export const categoryListParameters = {
  ...tagListParameters,
  ...declare('term_list', {
    parent: { kind: types.integer(0) },
  }),
}
