import { TextCache } from '../../lib/text-cache.ts'

/**
 * Normalizes a query string: only parameters that the endpoint knows, sorted by name. Responses are rendered from it
 * and cached by it, so equivalent addresses share one cache entry.
 */
export function normalSearch(search: string, known: ReadonlySet<string>): string {
  if (search === '') return ''
  const pairs = [...new URLSearchParams(search)]
    .map(([name, value]) => ({ base: baseOf(name), name, value }))
    .filter(({ base }) => known.has(base))
  // Values of one parameter keep their order, which may matter.
  pairs.sort((one, other) => (one.base < other.base ? -1 : one.base > other.base ? 1 : 0))
  return new URLSearchParams(pairs.map(({ name, value }) => [name, value])).toString()
}

/** `tags[]` and `tags[0]` are the parameter `tags`. */
export function baseOf(name: string): string {
  const bracket = name.indexOf('[')
  return bracket === -1 ? name : name.slice(0, bracket)
}

/** Normalizes a path: no trailing slash, and percent-encoding as we would write it. */
export function normalPath(path: string, route: string, params: Readonly<Record<string, string | undefined>>): string {
  const normal = path.includes('%') ? fillRoute(route, params) : path
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

/** Fills the variable parts of a route, such as `/event/:slug(^.+\.ics$)` or `/events/category/*`. */
function fillRoute(route: string, params: Readonly<Record<string, string | undefined>>): string {
  const encoded = (name: string) => encodeURIComponent(params[name] ?? '')
  return route
    .replace(/:(\w+)(?:\(.*\))?/, (_, name) => encoded(name))
    .replace(/\*$/, () => encoded('*').replaceAll('%2F', '/'))
}

/** Memory for aliases, in bytes. */
const MAX_BYTES = 2 ** 23

/** Maps recently requested spellings of an address to its normal form. */
export class AddressAliases {
  readonly #normal = new TextCache<string>(MAX_BYTES, sizeOf)

  get(alias: string): string | undefined {
    return this.#normal.get(alias)
  }

  put(alias: string, normal: string): void {
    if (alias !== normal && this.get(alias) !== normal) this.#normal.set(alias, normal)
  }
}

function sizeOf(alias: string, normal: string): number {
  return 2 * (alias.length + normal.length) + 100
}
