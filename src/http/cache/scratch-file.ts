import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, rmSync, statfsSync, writevSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** How much the files of a process may take together, in bytes: `docs/operations.md` says so. */
export const MOST_BYTES = 64 * 2 ** 20
/** The part of the free space that a file may take. */
const PART_OF_FREE = 1 / 10
/** How many entries a file may have: the place of each is kept in memory. */
const MOST_ENTRIES = 2 ** 16
/** An entry is shorter than this, in bytes, so that its place and its length are one number; uncompressed, it may be longer. */
const LONGEST = 2 ** 18
const LONGEST_BODY = 2 ** 20
/** What precedes an entry's head: its length, that of the body when it is not compressed, and the revision. */
const FRONT = 16

/** A value that is kept with a number that tells whether it is still the right one. */
export type Entry = [revision: number, head: string, body: Buffer]

interface File {
  readonly descriptor: number
  readonly path: string
  /** How large it may become, in bytes. */
  readonly most: number
  end: number
}

/** What entries are read into: each is uncompressed before the next is read. */
const room = Buffer.allocUnsafeSlow(LONGEST)

/**
 * Room for what does not fit in memory and can be made again: a compressed file in the system's temporary folder, which
 * has no name and so vanishes with the process. Entries are only added; when the file is full, it begins anew.
 */
export class Scratch {
  readonly #most: number
  #file: File | null = null
  readonly #places = new Map<number, number>()

  /** `most` is how large the file may become, in bytes. */
  constructor(most: number) {
    this.#most = most
  }

  has(key: number): boolean {
    return this.#places.has(key)
  }

  get(key: number): Entry | undefined {
    const place = this.#places.get(key)
    if (place === undefined || this.#file === null) return undefined
    const length = place % LONGEST
    try {
      if (readSync(this.#file.descriptor, room, 0, length, (place - length) / LONGEST) !== length) return undefined
      const body = FRONT + room.readUInt32LE(0)
      const bytes = inflateRawSync(room.subarray(body, length), { chunkSize: Math.max(64, room.readUInt32LE(4)) })
      return [room.readDoubleLE(8), room.toString('utf8', FRONT, body), bytes]
    } catch {
      this.close()
      return undefined
    }
  }

  put(key: number, revision: number, head: string, body: Uint8Array): void {
    if (body.length > LONGEST_BODY) return
    const front = Buffer.allocUnsafe(FRONT + Buffer.byteLength(head))
    front.writeUInt32LE(front.length - FRONT, 0)
    front.writeUInt32LE(body.length, 4)
    front.writeDoubleLE(revision, 8)
    front.write(head, FRONT)
    const packed = deflateRawSync(body, { level: 1 })
    const length = front.length + packed.length
    if (length >= LONGEST) return
    if (this.#places.size >= MOST_ENTRIES || (this.#file !== null && this.#file.end + length > this.#file.most))
      this.close()
    try {
      this.#file ??= open(this.#most)
      if (length > this.#file.most) throw new Error('no room')
      const at = this.#file.end
      if (writevSync(this.#file.descriptor, [front, packed], at) !== length) throw new Error('no room')
      this.#places.set(key, at * LONGEST + length)
      this.#file.end += length
    } catch {
      // No room on the disk, or no folder to write to: the entry can be made again.
      this.close()
    }
  }

  delete(key: number): void {
    this.#places.delete(key)
  }

  /** Forgets everything. */
  clear(): void {
    this.#places.clear()
    if (this.#file === null) return
    try {
      ftruncateSync(this.#file.descriptor)
      this.#file.end = 0
    } catch {
      this.close()
    }
  }

  close(): void {
    this.#places.clear()
    if (this.#file === null) return
    closeSync(this.#file.descriptor)
    // Where a file that is open cannot be removed.
    rmSync(this.#file.path, { force: true })
    this.#file = null
  }
}

function open(most: number): File {
  const folder = tmpdir()
  const { bavail, bsize } = statfsSync(folder)
  const path = join(folder, `kalends-scratch-${randomUUID()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path)
  } catch {
    // It is removed when it is closed.
  }
  return { descriptor, path, most: Math.min(most, bavail * bsize * PART_OF_FREE), end: 0 }
}
