/** How many values a JSON body may hold: an event with all that it can be linked to has a few thousand. */
export const MOST_VALUES = 20_000

/** How deep they may be nested: an event shows the sizes of its venues' images seven levels down. */
const DEEPEST = 32

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
/** `[` and `{`, `]` and `}`, without the bit in which they differ. */
const OPEN = 0x5b
const CLOSE = 0x5d
const KIND = ~0x20

/**
 * What is too much in a JSON text, found before it is parsed: parsing a megabyte of brackets or of small objects takes
 * more than a tenth of a second. Whether it is JSON at all is left to the parser.
 */
export function excessOf(json: Buffer): 'values' | 'depth' | null {
  let values = 0
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === COMMA) values++
    else if ((byte & KIND) === OPEN) {
      values++
      if (++depth > DEEPEST) return 'depth'
    } else if ((byte & KIND) === CLOSE) depth--
    if (values > MOST_VALUES) return 'values'
  }
  return null
}
