/**
 * UTF-16, by its byte order mark or, without one, by the zero octets of two ASCII characters at the beginning. Null for
 * every other encoding.
 */
export function utf16Of([a, b, c, d]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if ((a === 0xff && b === 0xfe) || (a && b === 0 && c && d === 0)) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b && c === 0 && d)) return 'utf-16be'
  return null
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Yields text in UTF-16 as UTF-8, and everything else as it is. The first chunk tells the encoding. */
export async function* asOctets(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | null | undefined
  let start: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    if (decoder === undefined) {
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk])
      // A chunk may be a single octet.
      if (start.length < 4) continue
      const encoding = utf16Of(start)
      decoder = encoding === null ? null : new TextDecoder(encoding)
      yield decoder === null ? start : Buffer.from(decoder.decode(start, { stream: true }))
    } else yield decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }))
  }
  if (decoder === undefined && start.length > 0) yield start
  if (decoder) yield Buffer.from(decoder.decode())
}
