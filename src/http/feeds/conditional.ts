import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { EventStream } from '../../domain/event-stream.ts'
import { isNamed } from '../conditional.ts'
import type { Answer, Call } from '../endpoint.ts'

/** How long a cache may answer by itself, in seconds. */
const FRESH = 300

/**
 * Answers with a stream or, to a reader who has it already, that nothing has changed. The tag is made from sums and
 * counts, not from the text, which is not made when it need not be. `Last-Modified` is told but not asked for: what was
 * removed has no date.
 */
export function conditional(
  call: Call,
  { marks, modified }: Pick<EventStream, 'marks' | 'modified'>,
  headers: Record<string, string>,
  write: () => AsyncGenerator<string>,
): Answer {
  const tag = digest([call.language, call.addresses, headers, marks])
  const told = {
    'cache-control': `${call.scope.user === null ? 'public' : 'private'}, max-age=${FRESH}`,
    etag: `W/"${tag}"`,
    ...(modified !== null && { 'last-modified': new Date(modified * 1000).toUTCString() }),
  }
  if (isNamed(tag, call.header('if-none-match'))) return { status: 304, headers: told, body: '' }
  const isHead = call.method === 'HEAD'
  return {
    headers: { ...headers, ...told },
    body: Readable.from(isHead ? [] : write(), { objectMode: false, highWaterMark: 65_536 }),
  }
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 27)
}
