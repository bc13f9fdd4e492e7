import { isUtf8 } from 'node:buffer'

const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/**
 * Decodes a part of a form. Text that is not percent-encoded UTF-8 keeps its escapes; only plus signs become spaces.
 * Works on bytes, because `decodeURIComponent` takes ten microseconds to throw, and `replaceAll` 100 ns per plus sign.
 */
export function decodeForm(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  const bytes = Buffer.from(text)
  let isEncoded = true
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === PLUS) bytes[at] = SPACE
    else if (bytes[at] === PERCENT) isEncoded &&= hex(bytes[at + 1]) >= 0 && hex(bytes[at + 2]) >= 0
  }
  if (!isEncoded) return bytes.toString()
  const decoded = unescapeBytes(bytes)
  return isUtf8(decoded) ? decoded.toString() : bytes.toString()
}

function unescapeBytes(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === PERCENT) {
      decoded[length++] = hex(bytes[at + 1]) * 16 + hex(bytes[at + 2])
      at += 2
    } else decoded[length++] = byte
  }
  return decoded.subarray(0, length)
}

/** Value of a hexadecimal digit; -1 for any other byte. */
function hex(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
