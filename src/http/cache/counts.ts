import type { CountChanges, Dependencies } from '../../domain/dependencies.ts'
import { tagWithCounts } from '../conditional.ts'
import type { CachedResponse } from './cached-response.ts'

/** What a cached response shows, and the tag of all that but the counts. */
export interface StoredDependencies extends Dependencies {
  readonly tag: string
}

/** Key of a count in JSON. Inside a text its quotes would be escaped. */
const KEY = Buffer.from('"count":')
const DIGITS = /^\d+/
/** Length of the longest number. */
const MAX_DIGITS = 16
/** Length of a tag without its revision. */
const TAG_LENGTH = 17

/** A response with other counts of the terms that it shows; null if they are not found in it. */
export function withCounts(
  response: CachedResponse,
  { terms, tag }: StoredDependencies,
  added: CountChanges,
  now: Date,
): CachedResponse | null {
  const { body, release, ...others } = response
  const pieces: Uint8Array[] = []
  const counts: number[] = []
  let from = 0
  for (const term of terms) {
    const key = body.indexOf(KEY, from)
    if (key === -1) return null
    const at = key + KEY.length
    const digits = DIGITS.exec(body.toString('latin1', at, at + MAX_DIGITS))?.[0]
    const count = Number(digits) + (added.get(term) ?? 0)
    if (!(count >= 0)) return null
    counts.push(count)
    pieces.push(body.subarray(from, at), Buffer.from(String(count)))
    from = at + (digits?.length ?? 0)
  }
  if (body.indexOf(KEY, from) !== -1) return null
  const revised = Buffer.concat([...pieces, body.subarray(from)])
  release?.()
  return {
    ...others,
    body: revised,
    tag: tagWithCounts(tag, counts, response.tag.slice(0, -TAG_LENGTH)),
    lines: response.lines.replace(/\r\nlast-modified: [^\r]*/, `\r\nlast-modified: ${now.toUTCString()}`),
    variants: {},
  }
}
