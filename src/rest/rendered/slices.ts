/** A range of bytes of a buffer, which is part of a response. */
export interface Slice {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
}

/** A text as a part of responses. */
export function slice(text: string): Slice {
  const bytes = Buffer.from(text)
  return { bytes, from: 0, to: bytes.length }
}

/** Joins the parts of a response. */
export function join(pieces: readonly Slice[]): Buffer {
  let length = 0
  for (const { from, to } of pieces) length += to - from
  const whole = Buffer.allocUnsafe(length)
  let at = 0
  for (const { bytes, from, to } of pieces) at += bytes.copy(whole, at, from, to)
  return whole
}
