/** The shortest buffer that is lent, and how much lies ready at most, in bytes. */
const SHORTEST = 2 ** 13
const MOST_READY = 2 ** 22

/**
 * Buffers that are used over and over: what is read into a new one each time is garbage outside of the heap, which is
 * collected late. One that is not given back is garbage like any other.
 */
export class Buffers {
  readonly #ready = new Map<number, Buffer[]>()
  #bytes = 0

  /** A buffer of at least this length. */
  lend(length: number): Buffer {
    const size = Math.max(SHORTEST, 2 ** (32 - Math.clz32(length - 1)))
    const ready = this.#ready.get(size)?.pop()
    if (ready === undefined) return Buffer.allocUnsafeSlow(size)
    this.#bytes -= size
    return ready
  }

  /** Takes one back: nobody may look at it any more. */
  giveBack(buffer: Buffer): void {
    if (this.#bytes + buffer.length > MOST_READY) return
    this.#bytes += buffer.length
    const ready = this.#ready.get(buffer.length)
    if (ready === undefined) this.#ready.set(buffer.length, [buffer])
    else ready.push(buffer)
  }
}
