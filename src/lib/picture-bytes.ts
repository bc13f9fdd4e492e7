import { createHash } from 'node:crypto'

/**
 * Checks on the raw bytes of a picture. They may be long, so each is a generator that runs in time slices: see
 * time-slices.ts.
 */

/** Bytes per step, and overlap of two steps, which is the length of the longest pattern. */
const STEP = 65_536
const OVERLAP = 16

/** Signs that a file is also a page or a program. */
const PAGE_OR_PROGRAM = /<(script|html|svg|iframe|body|!doctype)[\s>/]|<\?php/i

/** Whether a file is also a page, program, document or archive. */
export function* isPolyglot(bytes: Buffer): Generator<void, boolean> {
  // A PDF header may be anywhere in the first kilobyte; the directory of a ZIP archive is at its end.
  if (bytes.subarray(0, 1024).includes('%PDF-') || bytes.subarray(-65_557).includes('PK\x05\x06')) return true
  for (let from = 0; from < bytes.length; from += STEP) {
    if (PAGE_OR_PROGRAM.test(bytes.toString('latin1', from, from + STEP + OVERLAP))) return true
    yield
  }
  return false
}

export function* hashOf(bytes: Buffer): Generator<void, string> {
  const hash = createHash('sha256')
  for (let from = 0; from < bytes.length; from += STEP) {
    hash.update(bytes.subarray(from, from + STEP))
    yield
  }
  return hash.digest('hex')
}

/** JPEG markers of the end of the image, and of a scan. */
const END_OF_IMAGE = 0xd9
const SCAN = 0xda
/** Markers per step. */
const MARKERS = 5000

/** Whether a JPEG has more scans than `most`. Each scan costs as much as decoding the whole picture. */
export function* hasMoreScans(bytes: Buffer, most: number): Generator<void, boolean> {
  let scans = 0
  let markers = 0
  for (let at = bytes.indexOf(0xff, 2); at !== -1; ) {
    const marker = bytes[at + 1] ?? END_OF_IMAGE
    if (marker === END_OF_IMAGE) return false
    if (marker === SCAN && ++scans > most) return true
    // Escaped 0xFF bytes, fill bytes and restart markers have no length field; all other markers have one.
    const isBare = marker === 0 || marker === 0xff || marker === 1 || (marker >= 0xd0 && marker <= 0xd8)
    const length = isBare ? (marker === 0xff ? 1 : 2) : 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0)
    at = bytes.indexOf(0xff, at + length)
    if (++markers % MARKERS === 0) yield
  }
  return false
}
