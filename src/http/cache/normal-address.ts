import { BoundedCache } from '../../lib/bounded-cache.ts'

/**
 * The query string of an address in its normal form: only parameters that the endpoint knows, in order of name. Answers are
 * made from it and cached by it, so that nobody fills the cache by addresses that mean the same.
 */
export function normalSearch(search: string, known: ReadonlySet<string>): string {
  if (search === '') return ''
  const pairs = [...new URLSearchParams(search)]
    .map(([name, value]) => ({ base: baseOf(name), name, value }))
    .filter(({ base }) => known.has(base))
  // Values of one parameter stay in their order, which may matter.
  pairs.sort((one, other) => (one.base < other.base ? -1 : one.base > other.base ? 1 : 0))
  return new URLSearchParams(pairs.map(({ name, value }) => [name, value])).toString()
}

/** `tags[]` and `tags[0]` are the parameter `tags`. */
function baseOf(name: string): string {
  const bracket = name.indexOf('[')
  return bracket === -1 ? name : name.slice(0, bracket)
}

/** A path in its normal form: without a slash at its end, and encoded as we would encode what the router read. */
export function normalPath(path: string, route: string, params: Record<string, string>): string {
  const spelled = path.includes('%') ? filled(route, params) : path
  return spelled.length > 1 && spelled.endsWith('/') ? spelled.slice(0, -1) : spelled
}

/** A route, such as `/event/:slug(^.+\.ics$)` or `/events/category/*`, with its variable parts filled in. */
function filled(route: string, params: Record<string, string>): string {
  const encoded = (name: string) => encodeURIComponent(params[name] ?? '')
  return route
    .replace(/:(\w+)(?:\(.*\))?/, (_, name) => encoded(name))
    .replace(/\*$/, () => encoded('*').replaceAll('%2F', '/'))
}

/** How much memory aliases may take, in bytes. */
const MOST_BYTES = 2 ** 21

/** The normal form of addresses, by the spellings that were asked for last. */
export class AddressAliases {
  readonly #normal = new BoundedCache<string, string>(MOST_BYTES)

  get(alias: string): string | undefined {
    return this.#normal.get(alias, (normal) => sizeOf(alias, normal))
  }

  put(alias: string, normal: string): void {
    if (alias !== normal && this.get(alias) !== normal) this.#normal.set(alias, normal, sizeOf(alias, normal))
  }
}

function sizeOf(alias: string, normal: string): number {
  return 2 * (alias.length + normal.length) + 100
}
