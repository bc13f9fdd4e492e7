import { declare } from './field.ts'
import * as kinds from './kinds.ts'
import { pageParameters } from './record.ts'

export type TermKind = 'category' | 'tag'

/** What events are about, freely chosen. */
export const tagFields = declare('term', {
  name: { kind: kinds.name, required: true, stored: true },
  description: { kind: kinds.safeHtml, stored: true },
  slug: { kind: kinds.slug },
})

/** What events are about, as a tree. */
export const categoryFields = {
  ...tagFields,
  ...declare('category', {
    parent: { kind: kinds.integer(0), default: 0 },
  }),
}

/** Parameters of the list of tags. */
export const tagListParameters = {
  ...pageParameters,
  ...declare('term_list', {
    search: { kind: kinds.exact },
    exclude: { kind: kinds.ids },
    include: { kind: kinds.ids },
    order: { kind: kinds.oneOf('asc', 'desc'), default: 'asc' as const },
    orderby: { kind: kinds.oneOf('id', 'name', 'slug', 'count', 'description', 'include'), default: 'name' as const },
    hide_empty: { kind: kinds.flag, default: true },
    post: { kind: kinds.id },
    event: { kind: kinds.id },
    slug: { kind: kinds.exact },
  }),
}

/** Parameters of the list of categories. */
export const categoryListParameters = {
  ...tagListParameters,
  ...declare('term_list', {
    parent: { kind: kinds.integer(0) },
  }),
}
