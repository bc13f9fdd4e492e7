import { RESPONSES } from '../schema/responses.ts'

/** Requested fields: each name with its requested parts, or null for all of it. */
type Tree = Map<string, Tree | null>

const namesIn = (schema: { readonly properties?: unknown }) => Object.keys(schema.properties ?? {})

/** Fields of a list response, and of its records, by the name of the list. */
const LISTS = {
  events: [namesIn(RESPONSES.EventList), namesIn(RESPONSES.Event)],
  venues: [namesIn(RESPONSES.VenueList), namesIn(RESPONSES.Venue)],
  organizers: [namesIn(RESPONSES.OrganizerList), namesIn(RESPONSES.Organizer)],
  categories: [namesIn(RESPONSES.CategoryList), namesIn(RESPONSES.Category)],
  tags: [namesIn(RESPONSES.TagList), namesIn(RESPONSES.Tag)],
  images: [namesIn(RESPONSES.ImageList), namesIn(RESPONSES.Image)],
} as const

/** Value of `_fields` in a query string, which may be repeated; null if absent. */
export function fieldsIn(parameters: URLSearchParams): string | null {
  const given = ['_fields', '_fields[]'].flatMap((name) => parameters.getAll(name))
  return given.length === 0 ? null : given.join(',')
}

/**
 * Selects the parts of a response that `_fields` names: comma-separated paths, which reach into lists. In a list
 * response, a path that starts with a field of the records, but not of the list, applies to each record.
 */
export function sparse(body: object, fields: string): unknown {
  const tree: Tree = new Map()
  const list = listIn(body)
  const [own, inRecords] = list === null ? [[], []] : LISTS[list]
  for (const path of fields.split(',')) {
    const names = path.trim().split('.')
    const end = names.indexOf('')
    const parts = end === -1 ? names : names.slice(0, end)
    const [first = ''] = parts
    add(tree, list !== null && !own.includes(first) && inRecords.includes(first) ? [list, ...parts] : parts)
  }
  return tree.size === 0 ? body : pick(body, tree)
}

/** Name of the list in a list response. Only lists have `total_pages`. */
function listIn(body: object): keyof typeof LISTS | null {
  if (!('total_pages' in body)) return null
  return (Object.keys(LISTS) as (keyof typeof LISTS)[]).find((name) => name in body) ?? null
}

/** A path to a whole value wins over paths to its parts. */
function add(tree: Tree, path: readonly string[]): void {
  let node: Tree = tree
  for (const [at, name] of path.entries()) {
    const known = node.get(name)
    if (known === null) return
    const next: Tree | null = at === path.length - 1 ? null : (known ?? new Map())
    node.set(name, next)
    if (next === null) return
    node = next
  }
}

function pick(value: unknown, tree: Tree): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, tree))
  const picked: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value)) {
    const asked = tree.get(name)
    if (asked !== undefined) picked[name] = asked === null ? part : pick(part, asked)
  }
  return picked
}
