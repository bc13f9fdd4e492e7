/** Small files that are much work for a decoder. */

/** A GIF of so many frames of one pixel on a canvas of any size. */
export function framesGif(frames: number, width = 1, height = 1): Buffer {
  const size = [width & 255, width >> 8, height & 255, height >> 8]
  const head = Buffer.from([...Buffer.from('GIF89a'), ...size, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from([0x3b])])
}

/** A grey progressive JPEG of so many scans: after the first, each says of every block that nothing changes, in a few bytes. */
export function scansJpeg(side: number, scans: number): Buffer {
  const blocks = (side / 8) ** 2
  const segment = (marker: number, body: readonly number[]) =>
    Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255, ...body])
  const oneCode = (kind: number, symbol: number) => segment(0xc4, [kind, 1, ...Array<number>(15).fill(0), symbol])
  const scan = (coefficient: number, high: number, low: number, bits: string) =>
    Buffer.concat([segment(0xda, [1, 1, 0, coefficient, coefficient, (high << 4) | low]), stuffed(bits)])
  const unchanged = `0${'1'.repeat(14)}`.repeat(Math.ceil(blocks / 32_767))
  const parts = [
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    segment(0xdb, [0, ...Array<number>(64).fill(16)]),
    segment(0xc2, [8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0]),
    oneCode(0x00, 0x00),
    oneCode(0x10, 0xe0),
    scan(0, 0, 0, '0'.repeat(blocks)),
  ]
  for (let n = 0; n < scans - 1; n++) {
    // Each coefficient has a first scan and twelve that refine it.
    const [coefficient, round] = [1 + Math.floor(n / 13), n % 13]
    parts.push(scan(coefficient, round === 0 ? 0 : 13 - round, 12 - round, unchanged))
  }
  return Buffer.concat([...parts, Buffer.from([0xff, 0xd9])])
}

/** Bits as bytes of a JPEG, in which 0xFF is followed by 0. */
function stuffed(bits: string): Buffer {
  const bytes: number[] = []
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, '1'), 2)
    bytes.push(byte, ...(byte === 0xff ? [0] : []))
  }
  return Buffer.from(bytes)
}
