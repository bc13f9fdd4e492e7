import type { Term } from '../../domain/terms.ts'
import * as terms from '../../domain/terms.ts'
import type { Call, View } from '../../http/endpoint.ts'
import type { TermKind } from '../../schema/term.ts'
import { term as ownTerm } from '../present.ts'
import {
  addressOf,
  collection,
  linksOf,
  PAGE_PARAMETERS,
  pick,
  requireUser,
  WP_NAMESPACE,
  wideScope,
} from './collection.ts'

/** Names of the two taxonomies: of their collection, and in a term. */
const TAXONOMIES: Record<TermKind, { readonly path: string; readonly taxonomy: string }> = {
  category: { path: 'tribe_events_cat', taxonomy: 'tribe_events_cat' },
  tag: { path: 'tags', taxonomy: 'post_tag' },
}

const PARAMETERS = ['search', 'slug', 'include', 'exclude', 'order', 'orderby', 'hide_empty', 'post', 'parent'] as const

/** Categories and tags: list, create and read. */
export function termViews(root: string): View[] {
  return (Object.keys(TAXONOMIES) as TermKind[]).flatMap((kind) => {
    const { path, taxonomy } = TAXONOMIES[kind]
    const base = `${WP_NAMESPACE}/${path}`
    const single = (call: Call, found: Term) => present(found, taxonomy, call, addressOf(call, root, base))
    return [
      {
        path: `${root}/${base}`,
        methods: ['GET'],
        parameters: [...PAGE_PARAMETERS, ...PARAMETERS],
        async handle(call) {
          const query = { hide_empty: false, ...pick(call, [...PARAMETERS, 'page', 'per_page']) }
          const { rows, ...page } = await terms.list(wideScope(call), kind, () => query)
          return collection(
            call,
            addressOf(call, root, base),
            rows.map((row) => single(call, row)),
            page,
          )
        },
      },
      {
        path: `${root}/${base}`,
        methods: ['POST'],
        async handle(call) {
          requireUser(call)
          const made = await terms.create(call.scope, kind, call.body)
          const location = `${addressOf(call, root, base)}/${made.id}`
          return { status: 201, headers: { location }, body: single(call, made) }
        },
      },
      {
        path: `${root}/${base}/:id(^\\d+$)`,
        methods: ['GET'],
        parameters: PAGE_PARAMETERS,
        handle: async (call) => ({ body: single(call, await terms.get(call.scope, kind, call.id)) }),
      },
    ] satisfies View[]
  })
}

function present(found: Term, taxonomy: string, { addresses }: Call, address: string): object {
  const { url: link, urls: _, ...own } = ownTerm(found, addresses)
  return { ...own, link, taxonomy, meta: [], _links: linksOf(address, found.id) }
}
