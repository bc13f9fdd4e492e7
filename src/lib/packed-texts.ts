/** Size of a segment; a longer text is not cached. */
const SEGMENT = 2 ** 20
/** In front of each text: its number of bytes, doubled, plus one if each character takes two. */
const HEAD = 4
const WIDE = /[^\0-\xff]/

interface Segment {
  readonly bytes: Buffer
  keys: number[]
  end: number
}

/**
 * Cache of texts with a bounded size. They lie outside of the heap: the garbage collector neither copies nor marks them.
 * Texts are added to a segment until it is full. When there is no room for another segment, one is emptied at random.
 * Where more texts are read in turn than there is room for, the oldest would be the next one to be read; at random, most
 * are still there.
 */
export class PackedTexts {
  readonly #maxSegments: number
  readonly #segments: Segment[] = []
  /** Number of the segment that texts are added to. */
  #current = -1
  /** Offset of each text in all segments, one after the other. */
  #offsets = new Map<number, number>()

  constructor(maxBytes: number) {
    this.#maxSegments = Math.floor(maxBytes / SEGMENT)
  }

  get(key: number): string | undefined {
    const offset = this.#offsets.get(key)
    if (offset === undefined) return undefined
    const { bytes } = this.#segments[Math.floor(offset / SEGMENT)] as Segment
    const start = (offset % SEGMENT) + HEAD
    const head = bytes.readUInt32LE(start - HEAD)
    return bytes.toString(head % 2 === 1 ? 'utf16le' : 'latin1', start, start + Math.floor(head / 2))
  }

  /** The bytes of a text that is replaced are free when their segment is emptied. */
  set(key: number, text: string): void {
    const isWide = WIDE.test(text)
    const length = text.length * (isWide ? 2 : 1)
    this.#offsets.delete(key)
    if (HEAD + length > SEGMENT) return
    const segment = this.#segmentFor(HEAD + length)
    this.#offsets.set(key, this.#current * SEGMENT + segment.end)
    segment.keys.push(key)
    segment.bytes.writeUInt32LE(length * 2 + Number(isWide), segment.end)
    segment.bytes.write(text, segment.end + HEAD, isWide ? 'utf16le' : 'latin1')
    segment.end += HEAD + length
  }

  clear(): void {
    this.#offsets = new Map()
    this.#segments.length = 0
    this.#current = -1
  }

  #segmentFor(length: number): Segment {
    const segment = this.#segments[this.#current]
    if (segment !== undefined && segment.end + length <= SEGMENT) return segment
    if (this.#segments.length < this.#maxSegments) {
      this.#current = this.#segments.length
      const added = { bytes: Buffer.allocUnsafeSlow(SEGMENT), keys: [], end: 0 }
      this.#segments.push(added)
      return added
    }
    this.#current = Math.floor(Math.random() * this.#maxSegments)
    return this.#empty(this.#current)
  }

  #empty(number: number): Segment {
    const segment = this.#segments[number] as Segment
    for (const key of segment.keys)
      if (Math.floor((this.#offsets.get(key) ?? -1) / SEGMENT) === number) this.#offsets.delete(key)
    segment.keys = []
    segment.end = 0
    return segment
  }
}
