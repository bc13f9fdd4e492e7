import { Readable } from 'node:stream'
import type { EventStream } from '../domain/event-stream.ts'
import { matchesEtag, tagOf } from '../http/conditional.ts'
import type { Answer, Call } from '../http/endpoint.ts'

/** `max-age` of feeds, in seconds. */
const FRESH = 300

/** Texts up to this length are buffered and cached; longer ones are streamed. In characters. */
const MAX_KEPT = 300_000

/**
 * Answers with a text or, to a reader who has it already, that nothing has changed. The tag is made from sums and
 * counts, not from the text, which is not made when it need not be; so it is weak, and the same in every encoding.
 * `Last-Modified` is told but not asked for: what was removed has no date.
 */
export async function conditional(
  call: Call,
  { marks, modified }: Pick<EventStream, 'marks' | 'modified'>,
  headers: Record<string, string>,
  write: () => AsyncGenerator<string>,
): Promise<Answer> {
  const mark = JSON.stringify([call.language, call.addresses, call.scope.site, headers, marks])
  const tag = tagOf(mark)
  const told = {
    'cache-control': `${call.scope.user === null ? 'public' : 'private'}, max-age=${FRESH}`,
    etag: `W/"${tag}"`,
    ...(modified !== null && { 'last-modified': new Date(modified * 1000).toUTCString() }),
  }
  if (matchesEtag(tag, call.header('if-none-match'))) return { status: 304, headers: told, body: '' }
  return { headers: { ...headers, ...told }, mark, body: await begin(write()) }
}

/** Buffers a short text, and streams a long one. */
async function begin(text: AsyncGenerator<string>): Promise<string | Readable> {
  let begun = ''
  for (;;) {
    const { done, value } = await text.next()
    if (done) return begun
    begun += value
    if (begun.length > MAX_KEPT) return Readable.from(goOn(begun, text), { objectMode: false, highWaterMark: 65_536 })
  }
}

async function* goOn(begun: string, text: AsyncGenerator<string>): AsyncGenerator<string> {
  yield begun
  yield* text
}
