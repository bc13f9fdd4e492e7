import { randomUUID } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, readSync, rmSync, writevSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How large the file may become, in bytes; and what it may hold, as of each a place is kept in memory. */
const MOST_BYTES = 2 ** 32
const MOST_ENTRIES = 2 ** 19
/** An entry is shorter than this, in bytes: so its place and its length are one number. */
const LONGEST = 2 ** 20
/** What precedes an entry's head: its length and the revision. */
const FRONT = 12

/** A value that is kept with a number that tells whether it is still the right one. */
export type Kept = [revision: number, head: string, body: Buffer]

interface File {
  readonly descriptor: number
  readonly path: string
  end: number
}

/**
 * Room for more than should be in memory, for what can be made again: a file of this process alone in the system's
 * folder for such files, which has no name and so vanishes with the process. Entries are only added; when it is full, it
 * begins anew.
 */
export class Scratch {
  #file: File | null = null
  readonly #places = new Map<number, number>()

  has(key: number): boolean {
    return this.#places.has(key)
  }

  /** `room` gives a buffer that is at least as long as the entry; what is answered lies in it. */
  get(key: number, room: (length: number) => Buffer = Buffer.allocUnsafeSlow): Kept | undefined {
    const place = this.#places.get(key)
    if (place === undefined || this.#file === null) return undefined
    const length = place % LONGEST
    const bytes = room(length)
    try {
      if (readSync(this.#file.descriptor, bytes, 0, length, (place - length) / LONGEST) !== length) return undefined
    } catch {
      this.close()
      return undefined
    }
    const body = FRONT + bytes.readUInt32LE(0)
    return [bytes.readDoubleLE(4), bytes.toString('utf8', FRONT, body), bytes.subarray(body, length)]
  }

  put(key: number, revision: number, head: string, body: Uint8Array): void {
    const front = Buffer.allocUnsafe(FRONT + Buffer.byteLength(head))
    front.writeUInt32LE(front.length - FRONT, 0)
    front.writeDoubleLE(revision, 4)
    front.write(head, FRONT)
    const length = front.length + body.length
    if (length >= LONGEST) return
    if (this.#places.size >= MOST_ENTRIES || (this.#file?.end ?? 0) + length > MOST_BYTES) this.clear()
    try {
      this.#file ??= open()
      const at = this.#file.end
      if (writevSync(this.#file.descriptor, [front, body], at) !== length) throw new Error('no room')
      this.#places.set(key, at * LONGEST + length)
      this.#file.end += length
    } catch {
      // No room on the disk, or no folder to write to: what is here can be made again.
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

function open(): File {
  const path = join(tmpdir(), `kalends-scratch-${randomUUID()}`)
  const descriptor = openSync(path, 'wx+', 0o600)
  try {
    rmSync(path)
  } catch {
    // It is removed when it is closed.
  }
  return { descriptor, path, end: 0 }
}
