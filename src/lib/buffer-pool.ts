/** Size of the buffers, in bytes. Longer ones are not used again. */
const BUFFER_BYTES = 2 ** 16
/** Limit on buffers that nobody uses. */
const MAX_FREE = 64

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

  /** Takes a buffer back, which nobody may read any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === BUFFER_BYTES && this.#free.length < MAX_FREE) this.#free.push(buffer)
  }
}
