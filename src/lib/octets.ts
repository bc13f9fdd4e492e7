import { isUtf8 } from 'node:buffer'

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything but ASCII is what is looked for
const beyondAscii = /[^\x00-\x7f]/
const windows1252 = new TextDecoder('windows-1252')

/** Decodes octets given as Latin-1: as UTF-8 or else as Windows-1252. A truncated text may end within a character. */
export function decodeOctets(octets: string, isTruncated = false): string {
  if (!beyondAscii.test(octets)) return octets
  const bytes = Buffer.from(octets, 'latin1')
  return isUtf8(bytes) || isTruncated ? bytes.toString() : windows1252.decode(bytes)
}
