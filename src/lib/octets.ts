import { isUtf8 } from 'node:buffer'

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything but ASCII is what is looked for
const beyondAscii = /[^\x00-\x7f]/
const windows = new TextDecoder('windows-1252')

/**
 * The text of octets that are given as Latin-1: UTF-8, as it should be, or else what Windows wrote before there was
 * UTF-8. A text that was cut may end within a character.
 */
export function decodeOctets(octets: string, wasCut = false): string {
  if (!beyondAscii.test(octets)) return octets
  const bytes = Buffer.from(octets, 'latin1')
  return isUtf8(bytes) || wasCut ? bytes.toString() : windows.decode(bytes)
}
