import { createHash } from 'node:crypto'

/** What is told by the bytes of a picture alone. They may be many, so all of this is done in steps: see time-slices.ts. */

/** How much is looked at in one step, in bytes; and how much of it belongs to two steps, as much as what is searched for. */
const STEP = 65_536
const OVERLAP = 16

/** Marks of a file that is a page or a program as well. */
const PAGE = /<(script|html|svg|iframe|body|!doctype)[\s>/]|<\?php/i

/** Whether a file is a page, a program, a document or an archive as well. */
export function* isPolyglot(bytes: Buffer): Generator<void, boolean> {
  // A PDF may begin late, and the directory of a ZIP archive lies at its end.
  if (bytes.subarray(0, 1024).includes('%PDF-') || bytes.subarray(-65_557).includes('PK\x05\x06')) return true
  for (let from = 0; from < bytes.length; from += STEP) {
    if (PAGE.test(bytes.toString('latin1', from, from + STEP + OVERLAP))) return true
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

/** The marker of the end of a JPEG, and of a scan. */
const END = 0xd9
const SCAN = 0xda
/** Markers between two steps. */
const MARKERS = 5000

/** Whether a JPEG consists of more scans than these, each of which is as much work as the whole picture. */
export function* hasMoreScans(bytes: Buffer, most: number): Generator<void, boolean> {
  let scans = 0
  let markers = 0
  for (let at = bytes.indexOf(0xff, 2); at !== -1; ) {
    const marker = bytes[at + 1] ?? END
    if (marker === END) return false
    if (marker === SCAN && ++scans > most) return true
    // Bytes of a picture that are 0xFF, fillings and restarts have no length; all other markers do.
    const isBare = marker === 0 || marker === 0xff || marker === 1 || (marker >= 0xd0 && marker <= 0xd8)
    const length = isBare ? (marker === 0xff ? 1 : 2) : 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0)
    at = bytes.indexOf(0xff, at + length)
    if (++markers % MARKERS === 0) yield
  }
  return false
}
