import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, rmSync, statfsSync, writevSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Size of a process's scratch file, in bytes. docs/operations.md states it. */
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
/** Size of the prefix of an entry, in bytes: length of the head, length of head and body, revision. */
const PREFIX_BYTES = 16
/**
 * How much of the first entry of a file serves as a dictionary for all of them, in bytes. Entries are much alike, so this
 * makes small ones three times smaller.
 */
const DICTIONARY_BYTES = 8192
/** A negative level takes a third of the time of the usual one; entries are half as large again. */
const FAST = { [constants.ZSTD_c_compressionLevel]: -3 }

/** A value, with a revision that tells whether it is current. */
export type Entry = [revision: number, head: string, body: Buffer]

interface File {
  readonly descriptor: number
  readonly path: string
  /** Maximum size, in bytes. */
  readonly maxBytes: number
  readonly dictionary: Buffer
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
      const [head, chunkSize] = [readBuffer.readUInt32LE(0), Math.max(64, readBuffer.readUInt32LE(4))]
      const { dictionary } = this.#file
      const plain = zstdDecompressSync(readBuffer.subarray(PREFIX_BYTES, length), { dictionary, chunkSize })
      return [readBuffer.readDoubleLE(8), plain.toString('utf8', 0, head), plain.subarray(head)]
    } catch {
      this.close()
      return undefined
    }
  }

  put(key: number, revision: number, head: string, body: Uint8Array): void {
    if (body.length > MAX_BODY_BYTES) return
    const front = Buffer.from(head)
    const plain = Buffer.concat([front, body])
    const prefix = Buffer.allocUnsafe(PREFIX_BYTES)
    prefix.writeUInt32LE(front.length, 0)
    prefix.writeUInt32LE(plain.length, 4)
    prefix.writeDoubleLE(revision, 8)
    if (this.#positions.size >= MAX_ENTRIES) this.close()
    let packed = pack(plain, this.#file)
    if (this.#file !== null && this.#file.end + PREFIX_BYTES + packed.length > this.#file.maxBytes) {
      this.close()
      packed = pack(plain, null)
    }
    const length = PREFIX_BYTES + packed.length
    if (length >= MAX_ENTRY_BYTES) return
    try {
      this.#file ??= open(this.#maxBytes, plain)
      if (length > this.#file.maxBytes) throw new Error('no room')
      const at = this.#file.end
      if (writevSync(this.#file.descriptor, [prefix, packed], at) !== length) throw new Error('no room')
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

/** Compresses an entry for a file, or for one that it would be the first of. */
function pack(plain: Buffer, file: File | null): Buffer {
  return zstdCompressSync(plain, { dictionary: file?.dictionary ?? dictionaryFrom(plain), params: FAST })
}

function dictionaryFrom(first: Buffer): Buffer {
  // A copy: the entry itself is not kept.
  return Buffer.from(first.subarray(0, DICTIONARY_BYTES))
}

function open(maxBytes: number, first: Buffer): File {
  const folder = tmpdir()
  const { bavail, bsize } = statfsSync(folder)
  const path = join(folder, `kalends-scratch-${randomUUID()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path)
  } catch {
    // It is removed on close.
  }
  return {
    descriptor,
    path,
    maxBytes: Math.min(maxBytes, bavail * bsize * FREE_SPACE_SHARE),
    dictionary: dictionaryFrom(first),
    end: 0,
  }
}
