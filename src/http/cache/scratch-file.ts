import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, statfsSync, writevSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Size of a process's scratch file, in bytes. docs/operations.md states it. */
export const MAX_BYTES = 2 * 2 ** 30
/** The same where the folder for temporary files is in memory. */
const MAX_BYTES_IN_MEMORY = 64 * 2 ** 20
/** Type of a file system in memory: see statfs(2). */
const TMPFS = 0x01021994
/** Share of the free disk space that a file may take. */
const FREE_SPACE_SHARE = 1 / 10
/** Limit on entries: the position of each is held in memory. */
const MAX_ENTRIES = 2 ** 16
/** Limit on an entry, in bytes. Position and length fit in one number. */
const MAX_ENTRY_BYTES = 2 ** 20
/** Size of the prefix of an entry, in bytes: the length of the head. */
const PREFIX_BYTES = 4

export interface Entry {
  readonly head: string
  readonly body: Buffer
}

interface File {
  readonly descriptor: number
  readonly path: string
  /** Maximum size, in bytes. */
  readonly maxBytes: number
  /** Where the next entry goes, unless the rest of the file is too short for it. */
  end: number
}

/**
 * Storage for data that can be made again: a file in the system's temporary folder. It is unlinked at once, so it vanishes
 * with the process. Entries are written one after another; at the end of a full file, the oldest are overwritten.
 */
export class ScratchFile {
  readonly #maxBytes: number
  #file: File | null = null
  /** Offset and length of each entry, oldest first. */
  readonly #positions = new Map<number, number>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** `room` gives a buffer of at least the given length, which the entry lies in. */
  get(key: number, room: (length: number) => Buffer = Buffer.allocUnsafe): Entry | undefined {
    const position = this.#positions.get(key)
    if (position === undefined || this.#file === null) return undefined
    const length = position % MAX_ENTRY_BYTES
    try {
      const entry = room(length)
      if (readSync(this.#file.descriptor, entry, 0, length, offsetOf(position)) !== length) throw new Error('cut off')
      const body = PREFIX_BYTES + entry.readUInt32LE(0)
      return { head: entry.toString('utf8', PREFIX_BYTES, body), body: entry.subarray(body, length) }
    } catch {
      this.close()
      return undefined
    }
  }

  /** Answers false if there is no room: the disk is full, the folder not writable, or the entry too long. */
  put(key: number, head: string, body: Uint8Array): boolean {
    const front = Buffer.allocUnsafe(PREFIX_BYTES + Buffer.byteLength(head))
    front.writeUInt32LE(front.length - PREFIX_BYTES, 0)
    front.write(head, PREFIX_BYTES)
    const length = front.length + body.length
    if (length >= MAX_ENTRY_BYTES) return false
    try {
      this.#file ??= open(this.#maxBytes)
      if (length > this.#file.maxBytes) return false
      const at = this.#makeRoom(this.#file, length)
      if (writevSync(this.#file.descriptor, [front, body], at) !== length) throw new Error('no room')
      // A key that is set anew would keep its place in the order.
      this.#positions.delete(key)
      this.#positions.set(key, at * MAX_ENTRY_BYTES + length)
      this.#file.end = at + length
      return true
    } catch {
      this.close()
      return false
    }
  }

  delete(key: number): void {
    this.#positions.delete(key)
  }

  clear(): void {
    this.#positions.clear()
    if (this.#file !== null) this.#file.end = 0
  }

  close(): void {
    this.#positions.clear()
    if (this.#file === null) return
    closeSync(this.#file.descriptor)
    // For systems on which an open file cannot be unlinked.
    rmSync(this.#file.path, { force: true })
    this.#file = null
  }

  /** Where the next entry goes. Forgets the entries that it overwrites. */
  #makeRoom({ end, maxBytes }: File, length: number): number {
    const isAtEnd = end + length > maxBytes
    if (isAtEnd) this.#forgetOldest((offset) => offset >= end)
    const at = isAtEnd ? 0 : end
    this.#forgetOldest((offset) => offset >= at && offset < at + length)
    if (this.#positions.size >= MAX_ENTRIES) this.#positions.delete(this.#positions.keys().next().value as number)
    return at
  }

  #forgetOldest(isGone: (offset: number) => boolean): void {
    for (const [key, position] of this.#positions) {
      if (!isGone(offsetOf(position))) return
      this.#positions.delete(key)
    }
  }
}

function offsetOf(position: number): number {
  return Math.floor(position / MAX_ENTRY_BYTES)
}

function open(maxBytes: number): File {
  const folder = tmpdir()
  const { bavail, bsize, type } = statfsSync(folder)
  const path = join(folder, `kalends-scratch-${randomUUID()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path)
  } catch {
    // It is removed on close.
  }
  const most = type === TMPFS ? Math.min(maxBytes, MAX_BYTES_IN_MEMORY) : maxBytes
  return { descriptor, path, maxBytes: Math.min(most, bavail * bsize * FREE_SPACE_SHARE), end: 0 }
}
