/** Size of the buffers, in bytes. Longer ones are not used again. */
const BUFFER_BYTES = 2 ** 16
/** Limit on buffers that nobody uses. */
const MAX_FREE = 64

/** Bytes, and how their memory is given back. They need not be. */
export interface Lent {
  readonly bytes: Buffer
  readonly release?: () => void
}

/**
 * Buffers that are used again. New ones cost more than what is read into them: their memory has to be mapped, and is given
 * back late.
 */
export class BufferPool {
  readonly #free: Buffer[] = []

  /** A buffer of at least this length, with any content. */
  take(length: number): Buffer {
    if (length > BUFFER_BYTES) return Buffer.allocUnsafe(length)
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /** A text in UTF-8. */
  encode(text: string): Lent {
    const length = Buffer.byteLength(text)
    const buffer = this.take(length)
    buffer.write(text)
    return { bytes: buffer.subarray(0, length), release: () => this.giveBack(buffer) }
  }

  /** Takes a buffer back, which nobody may read any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === BUFFER_BYTES && this.#free.length < MAX_FREE) this.#free.push(buffer)
  }
}
