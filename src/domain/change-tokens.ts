import type { Instant } from '../calendar/zone.ts'
import type { Place } from '../storage/changes.ts'

/** Content of a token: the last change that was told, and to whom. */
export interface Token extends Place {
  /** Name of the series of changes that it belongs to. */
  readonly series: string
  readonly issued: Instant
  /** During a first read, the place up to which removals are not told. */
  readonly silent: Place | null
  /** Id and role of the reader; 0 for nobody. */
  readonly reader: readonly [id: number, role: string]
}

/** Longest token that is read. */
const MAX_LENGTH = 1000

/** Tokens are not signed: whoever makes one up is told what they may see, from another place. */
export function writeToken({ series, issued, xid, position, silent, reader }: Token): string {
  const parts = [series, issued, xid, position, ...reader, ...(silent === null ? [] : [silent.xid, silent.position])]
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** Reads a token; null if it is none. */
export function readToken(text: string): Token | null {
  const parts = parse(text)
  const [series, issued, xid, position, id, role, ...silent] = parts
  const numbers = [issued, xid, position, id, ...silent]
  const isToken =
    typeof series === 'string' &&
    typeof role === 'string' &&
    numbers.every((number) => Number.isSafeInteger(number)) &&
    (silent.length === 0 || silent.length === 2)
  if (!isToken) return null
  const [silentXid, silentPosition] = silent as number[]
  return {
    series,
    issued: issued as number,
    xid: xid as number,
    position: position as number,
    reader: [id as number, role],
    silent: silentXid === undefined ? null : { xid: silentXid, position: silentPosition ?? 0 },
  }
}

function parse(text: string): unknown[] {
  if (text.length > MAX_LENGTH) return []
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
