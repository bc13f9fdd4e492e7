import { Readable } from 'node:stream'
import type { JsonSchema } from '../schema/json-schema.ts'
import { RESPONSES } from '../schema/responses.ts'
import type { Answer } from './endpoint.ts'
import { JsonText } from './json-text.ts'

/** Requested fields: each name with its requested parts, or null for all of it. */
type Tree = Map<string, Tree | null>

const namesIn = (schema: { readonly properties?: unknown } = {}) => Object.keys(schema.properties ?? {})

/** The fields of lists, and those of the records in them, by the names of the lists, which are their first fields. */
const LISTS = new Map(
  Object.entries<JsonSchema>(RESPONSES)
    .filter(([name]) => name.endsWith('List'))
    .map(([name, schema]) => {
      const own = namesIn(schema)
      return [own[0] ?? '', [own, namesIn(RESPONSES[name.slice(0, -4) as keyof typeof RESPONSES])]] as const
    }),
)

/** Value of `_fields` in a query string, which may be repeated; null if absent. */
export function fieldsIn(parameters: URLSearchParams): string | null {
  if (parameters.size === 0) return null
  const given = ['_fields', '_fields[]'].flatMap((name) => parameters.getAll(name))
  return given.length === 0 ? null : given.join(',')
}

/**
 * Selects the parts of a response that `_fields` names: comma-separated paths, which reach into lists. In a list
 * response, a path that starts with a field of the records, but not of the list, applies to each record.
 */
function sparse(body: object, fields: string): unknown {
  const tree: Tree = new Map()
  const list = listIn(body)
  const [own, inRecords] = (list !== null && LISTS.get(list)) || [[], []]
  for (const path of fields.split(',')) {
    const names = path.trim().split('.')
    const end = names.indexOf('')
    const parts = end === -1 ? names : names.slice(0, end)
    const [first = ''] = parts
    add(tree, list !== null && !own.includes(first) && inRecords.includes(first) ? [list, ...parts] : parts)
  }
  return tree.size === 0 ? body : pick(body, tree)
}

/** The name of the list in the answer of a list: nothing else has a number of pages. */
function listIn(body: object): string | null {
  if (!('total_pages' in body)) return null
  return LISTS.keys().find((name) => name in body) ?? null
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

/** A body as it is sent: text, or bytes. Only here `_fields` of the query string applies, and never to an error. */
export function sentAs({ status = 200, body }: Pick<Answer, 'status' | 'body'>, search: string): string | Buffer {
  if (body instanceof Readable) throw new Error('a stream has no text')
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body
  if (body instanceof JsonText) return body.text
  const fields = status < 400 && search.includes('_fields') ? fieldsIn(new URLSearchParams(search)) : null
  return JSON.stringify(fields === null ? body : sparse(body, fields))
}
