import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

/**
 * Archives in the format of tar (POSIX.1-1988, "ustar"), so that common programs open them. The last entry is a seal: the
 * SHA-256 of all bytes before it. So every changed, missing or added byte is noticed.
 */

const BLOCK = 512
/** Name and length of the seal. */
const SEAL = 'SHA256'
const DIGEST_LENGTH = 64
/** Header and content of the seal, and the two empty blocks that end an archive. */
const TAIL = 4 * BLOCK
/** Longest name of an entry, in bytes. */
const MAX_NAME = 100
/** Largest size that fits in octal digits; larger ones are binary, as GNU tar writes them. */
const MAX_OCTAL = 0o77777777777
const CHUNK = 1 << 20

export class TarError extends Error {}

export interface TarEntry {
  readonly name: string
  readonly size: number
  /** Position of the content in the file. */
  readonly start: number
}

/** Writes an archive to an open file. */
export class TarWriter {
  readonly #file: FileHandle
  readonly #hash = createHash('sha256')
  /** Time of all entries, in seconds since 1970. */
  readonly #time: number

  constructor(file: FileHandle, time: number) {
    this.#file = file
    this.#time = time
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.#write(Buffer.concat([headerOf(name, content.length, this.#time), padded(content)]))
  }

  /** Adds the content of an open file. */
  async addFile(name: string, from: FileHandle, onBytes: (done: number, of: number) => void = () => {}): Promise<void> {
    const { size } = await from.stat()
    await this.#write(headerOf(name, size, this.#time))
    await readChunks(from, 0, size, async (chunk, done) => {
      await this.#write(chunk)
      onBytes(done, size)
    })
    await this.#write(Buffer.alloc(-size & (BLOCK - 1)))
  }

  /** Ends the archive. */
  async seal(): Promise<void> {
    await writeAll(this.#file, tailOf(this.#hash.digest('hex')))
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    await writeAll(this.#file, bytes)
  }
}

/** Compares an archive with its seal; throws if they do not fit. */
export async function checkSeal(file: FileHandle, onBytes: (done: number, of: number) => void): Promise<void> {
  const { size } = await file.stat()
  const length = size - TAIL
  if (length < BLOCK || length % BLOCK !== 0) throw new TarError('it is not complete')
  const tail = Buffer.alloc(TAIL)
  await file.read(tail, 0, TAIL, length)
  const hash = createHash('sha256')
  await readChunks(file, 0, length, async (chunk, done) => {
    hash.update(chunk)
    onBytes(done, length)
  })
  if (!tail.equals(tailOf(hash.digest('hex')))) throw new TarError('it is damaged or not complete')
}

/**
 * The entries of an archive, without the seal. Every header must be one that TarWriter writes: so there are no links, devices
 * or names in several parts, no name that other programs read differently, and no size that leads back or out of the file.
 */
export async function* readEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  const header = Buffer.alloc(BLOCK)
  const { size: end } = await file.stat()
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(header, 0, BLOCK, position)
    if (bytesRead < BLOCK) throw new TarError('it is not complete')
    const name = textIn(header, 0, MAX_NAME)
    const size = sizeIn(header)
    if (!(size >= 0 && position + BLOCK + size <= end)) throw new TarError('it is damaged or not complete')
    const time = Number.parseInt(textIn(header, 136, 12), 8)
    if (!header.equals(headerOf(name, size, time))) throw new TarError('it is damaged')
    if (name === SEAL) {
      if (position !== end - TAIL) throw new TarError('it is damaged')
      return
    }
    yield { name, size, start: position + BLOCK }
    position += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

export async function readContent(file: FileHandle, { size, start }: TarEntry): Promise<Buffer> {
  const content = Buffer.alloc(size)
  const { bytesRead } = await file.read(content, 0, size, start)
  if (bytesRead < size) throw new TarError('it is not complete')
  return content
}

/** Copies the content of an entry to an open file. */
export async function extract(file: FileHandle, { size, start }: TarEntry, to: FileHandle): Promise<void> {
  await readChunks(file, start, size, (chunk) => writeAll(to, chunk))
}

async function readChunks(
  file: FileHandle,
  start: number,
  length: number,
  onChunk: (chunk: Buffer, done: number) => Promise<void>,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, length))
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK, length - done), start + done)
    if (bytesRead === 0) throw new TarError('it is not complete')
    done += bytesRead
    await onChunk(buffer.subarray(0, bytesRead), done)
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten
}

function tailOf(digest: string): Buffer {
  return Buffer.concat([headerOf(SEAL, DIGEST_LENGTH, 0), padded(Buffer.from(digest)), Buffer.alloc(2 * BLOCK)])
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(-content.length & (BLOCK - 1))])
}

function headerOf(name: string, size: number, time: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME) throw new TarError(`the name ${name} is too long`)
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  if (size <= MAX_OCTAL) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  else {
    header[124] = 0x80
    header.writeBigUInt64BE(BigInt(size), 128)
  }
  header.write(`${time.toString(8).padStart(11, '0')}\0`, 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Sum of the bytes of a header, with spaces in place of the sum itself. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)
}

function sizeIn(header: Buffer): number {
  if (header[124] === 0x80) return Number(header.readBigUInt64BE(128))
  return Number.parseInt(textIn(header, 124, 12), 8)
}

function textIn(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}
