import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs'
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
/** Entries are written together, in parts of the file of this size, in bytes. Many small writes cost far more. */
const BLOCK_BYTES = 2 ** 17

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
  /** Where the block begins that is not written yet. It ends at `end`. */
  written: number
}

/**
 * Storage for data that can be made again: a file in the system's temporary folder. It is unlinked at once, so it vanishes
 * with the process. Entries are written one after another; at the end of a full file, the oldest are overwritten.
 */
export class ScratchFile {
  readonly #maxBytes: number
  #file: File | null = null
  #block: Buffer = Buffer.alloc(0)
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
      this.#read(this.#file, entry, length, offsetOf(position))
      const body = PREFIX_BYTES + entry.readUInt32LE(0)
      return { head: entry.toString('utf8', PREFIX_BYTES, body), body: entry.subarray(body, length) }
    } catch {
      this.close()
      return undefined
    }
  }

  /** Answers false if there is no room: the disk is full, the folder not writable, or the entry too long. */
  put(key: number, head: string, body: Uint8Array): boolean {
    const headEnd = PREFIX_BYTES + Buffer.byteLength(head)
    const length = headEnd + body.length
    if (length >= MAX_ENTRY_BYTES) return false
    try {
      this.#file ??= open(this.#maxBytes)
      if (length > this.#file.maxBytes) return false
      const at = this.#makeRoom(this.#file, length)
      const from = this.#take(this.#file, at, length)
      this.#block.writeUInt32LE(headEnd - PREFIX_BYTES, from)
      this.#block.write(head, from + PREFIX_BYTES)
      this.#block.set(body, from + headEnd)
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
    if (this.#file === null) return
    this.#file.end = 0
    this.#file.written = 0
  }

  close(): void {
    this.#positions.clear()
    if (this.#file === null) return
    closeSync(this.#file.descriptor)
    // For systems on which an open file cannot be unlinked.
    rmSync(this.#file.path, { force: true })
    this.#file = null
  }

  #read({ descriptor, written, end }: File, entry: Buffer, length: number, offset: number): void {
    if (offset >= written && offset < end) this.#block.copy(entry, 0, offset - written, offset - written + length)
    else if (readSync(descriptor, entry, 0, length, offset) !== length) throw new Error('cut off')
  }

  /** Where in the block an entry goes that begins at this offset of the file. Writes the block first if it has no room. */
  #take(file: File, at: number, length: number): number {
    const isNext = at === file.end && at + length - file.written <= this.#block.length
    if (isNext) return at - file.written
    const filled = file.end - file.written
    if (writeSync(file.descriptor, this.#block, 0, filled, file.written) !== filled) throw new Error('no room')
    file.written = at
    if (this.#block.length !== BLOCK_BYTES || length > BLOCK_BYTES)
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, length))
    return 0
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
  return { descriptor, path, maxBytes: Math.min(most, bavail * bsize * FREE_SPACE_SHARE), end: 0, written: 0 }
}
