import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, rmSync, statfsSync, writevSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Total size of a process's scratch files, in bytes. docs/operations.md states it. */
export const MAX_BYTES = 64 * 2 ** 20
/** Share of the free disk space that a file may take. */
const FREE_SPACE_SHARE = 1 / 10
/** Limit on entries: the position of each is held in memory. */
const MAX_ENTRIES = 2 ** 16
/**
 * Limit on a compressed entry, in bytes, so that position and length fit in one number. An uncompressed body may be
 * longer.
 */
const MAX_ENTRY_BYTES = 2 ** 18
const MAX_BODY_BYTES = 2 ** 20
/** Size of the prefix of an entry, in bytes: length of the head, uncompressed length of the body, revision. */
const PREFIX_BYTES = 16

/** A value, with a revision that tells whether it is current. */
export type Entry = [revision: number, head: string, body: Buffer]

interface File {
  readonly descriptor: number
  readonly path: string
  /** Maximum size, in bytes. */
  readonly maxBytes: number
  end: number
}

/** Shared read buffer: each entry is inflated before the next is read. */
const readBuffer = Buffer.allocUnsafeSlow(MAX_ENTRY_BYTES)

/**
 * Overflow storage for data that can be rendered again: a file of compressed entries in the system's temporary folder.
 * It is unlinked at once, so it vanishes with the process. Entries are only appended; a full file is replaced by an
 * empty one.
 */
export class ScratchFile {
  readonly #maxBytes: number
  #file: File | null = null
  readonly #positions = new Map<number, number>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  has(key: number): boolean {
    return this.#positions.has(key)
  }

  get(key: number): Entry | undefined {
    const position = this.#positions.get(key)
    if (position === undefined || this.#file === null) return undefined
    const length = position % MAX_ENTRY_BYTES
    try {
      if (readSync(this.#file.descriptor, readBuffer, 0, length, (position - length) / MAX_ENTRY_BYTES) !== length)
        return undefined
      const body = PREFIX_BYTES + readBuffer.readUInt32LE(0)
      const bytes = inflateRawSync(readBuffer.subarray(body, length), {
        chunkSize: Math.max(64, readBuffer.readUInt32LE(4)),
      })
      return [readBuffer.readDoubleLE(8), readBuffer.toString('utf8', PREFIX_BYTES, body), bytes]
    } catch {
      this.close()
      return undefined
    }
  }

  put(key: number, revision: number, head: string, body: Uint8Array): void {
    if (body.length > MAX_BODY_BYTES) return
    const front = Buffer.allocUnsafe(PREFIX_BYTES + Buffer.byteLength(head))
    front.writeUInt32LE(front.length - PREFIX_BYTES, 0)
    front.writeUInt32LE(body.length, 4)
    front.writeDoubleLE(revision, 8)
    front.write(head, PREFIX_BYTES)
    const deflated = deflateRawSync(body, { level: 1 })
    const length = front.length + deflated.length
    if (length >= MAX_ENTRY_BYTES) return
    if (this.#positions.size >= MAX_ENTRIES || (this.#file !== null && this.#file.end + length > this.#file.maxBytes))
      this.close()
    try {
      this.#file ??= open(this.#maxBytes)
      if (length > this.#file.maxBytes) throw new Error('no room')
      const at = this.#file.end
      if (writevSync(this.#file.descriptor, [front, deflated], at) !== length) throw new Error('no room')
      this.#positions.set(key, at * MAX_ENTRY_BYTES + length)
      this.#file.end += length
    } catch {
      // Disk full or folder not writable: the entry can be rendered again.
      this.close()
    }
  }

  delete(key: number): void {
    this.#positions.delete(key)
  }

  clear(): void {
    this.#positions.clear()
    if (this.#file === null) return
    try {
      ftruncateSync(this.#file.descriptor)
      this.#file.end = 0
    } catch {
      this.close()
    }
  }

  close(): void {
    this.#positions.clear()
    if (this.#file === null) return
    closeSync(this.#file.descriptor)
    // For systems on which an open file cannot be unlinked.
    rmSync(this.#file.path, { force: true })
    this.#file = null
  }
}

function open(maxBytes: number): File {
  const folder = tmpdir()
  const { bavail, bsize } = statfsSync(folder)
  const path = join(folder, `kalends-scratch-${randomUUID()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path)
  } catch {
    // It is removed on close.
  }
  return { descriptor, path, maxBytes: Math.min(maxBytes, bavail * bsize * FREE_SPACE_SHARE), end: 0 }
}
