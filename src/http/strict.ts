import { refuse } from '../lib/errors.ts'
import { baseOf } from './cache/normal-address.ts'

/** Spellings of `strict=true`; any other is left to the endpoint. */
const YES = new Set(['true', '1', 'yes'])

/** Parameters that every address takes. */
const EVERYWHERE = new Set(['_method'])

/** With `strict=true`, refuses parameters that the endpoint does not know, each by name. Only for endpoints that take it. */
export function refuseUnknown(search: string, known: ReadonlySet<string>): void {
  if (!known.has('strict') || !search.includes('strict=')) return
  const sent = new URLSearchParams(search)
  if (!YES.has(sent.get('strict') ?? '')) return
  const unknown = [...sent.keys()].filter((name) => !known.has(baseOf(name)) && !EVERYWHERE.has(name))
  refuse(Object.fromEntries(unknown.map((name) => [name, { problem: 'unknown_parameter' }])))
}
