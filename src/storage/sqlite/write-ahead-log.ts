import { closeSync, openSync, readSync } from 'node:fs'

/** Format: https://www.sqlite.org/fileformat2.html#walformat. */
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const LITTLE_ENDIAN = 0x377f0682
const BIG_ENDIAN = 0x377f0683
/** Bytes per read. */
const CHUNK_BYTES = 2 ** 20

/** One page in a WAL. */
export interface LogFrame {
  readonly page: number
  /** Whether it ends a transaction. */
  readonly isCommit: boolean
  /** Content of the page; overwritten when the next frame is read. */
  readonly content: Buffer
}

export interface Log {
  readonly pageSize: number
  /** Header, which changes when the WAL is restarted. */
  readonly header: Buffer
  frames: Iterable<LogFrame>
}

/** Reads a WAL as SQLite does: frames up to the first with a wrong checksum. Passes null if there is no valid WAL. */
export function readLog<T>(path: string, work: (log: Log | null) => T): T {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return work(null)
    throw error
  }
  try {
    return work(openLog(descriptor))
  } finally {
    closeSync(descriptor)
  }
}

function openLog(descriptor: number): Log | null {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return null
  const magic = header.readUInt32BE(0)
  if (magic !== LITTLE_ENDIAN && magic !== BIG_ENDIAN) return null
  const sum = new Checksum(magic === BIG_ENDIAN)
  sum.add(header, 0, HEADER_BYTES - 8)
  if (!sum.equals(header, HEADER_BYTES - 8)) return null
  const pageSize = header.readUInt32BE(8)
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return null
  return { pageSize, header, frames: readFrames(descriptor, header, pageSize, sum) }
}

function* readFrames(descriptor: number, header: Buffer, pageSize: number, sum: Checksum): Generator<LogFrame> {
  const size = FRAME_HEADER_BYTES + pageSize
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.floor(CHUNK_BYTES / size)) * size)
  for (let position = HEADER_BYTES; ; ) {
    const length = readSync(descriptor, chunk, 0, chunk.length, position)
    for (let at = 0; at + size <= length; at += size) {
      const salts = chunk.subarray(at + 8, at + 16)
      if (!salts.equals(header.subarray(16, 24))) return
      sum.add(chunk, at, 8)
      sum.add(chunk, at + FRAME_HEADER_BYTES, pageSize)
      if (!sum.equals(chunk, at + 16)) return
      const content = chunk.subarray(at + FRAME_HEADER_BYTES, at + size)
      yield { page: chunk.readUInt32BE(at), isCommit: chunk.readUInt32BE(at + 4) !== 0, content }
    }
    if (length < chunk.length) return
    position += length
  }
}

/** Running checksum of a WAL. */
class Checksum {
  readonly #isBigEndian: boolean
  #first = 0
  #second = 0

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian
  }

  add(bytes: Buffer, from: number, length: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset + from, length)
    const isLittle = !this.#isBigEndian
    let [first, second] = [this.#first, this.#second]
    for (let at = 0; at < length; at += 8) {
      first = (first + view.getUint32(at, isLittle) + second) | 0
      second = (second + view.getUint32(at + 4, isLittle) + first) | 0
    }
    this.#first = first
    this.#second = second
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second
  }
}
