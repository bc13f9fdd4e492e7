/** Limit on values in a JSON body. An event with all its links has a few thousand. */
export const MAX_VALUES = 20_000

/** Limit on nesting. The sizes of a venue's images are seven levels deep in an event. */
const MAX_DEPTH = 32

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
/** `[` and `{` differ in one bit, as do `]` and `}`. The mask clears it. */
const OPEN = 0x5b
const CLOSE = 0x5d
const CASE_MASK = ~0x20

/**
 * Checks the bounds of a JSON text before it is parsed: parsing a megabyte of brackets or small objects takes over 100
 * ms. Syntax errors are left to the parser.
 */
export function exceededBound(json: Buffer): 'values' | 'depth' | null {
  let values = 0
  let depth = 0
  let isInString = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (isInString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isInString = false
    } else if (byte === QUOTE) isInString = true
    else if (byte === COMMA) values++
    else if ((byte & CASE_MASK) === OPEN) {
      values++
      if (++depth > MAX_DEPTH) return 'depth'
    } else if ((byte & CASE_MASK) === CLOSE) depth--
    if (values > MAX_VALUES) return 'values'
  }
  return null
}
