import type { Instant } from '../calendar/zone.ts'
import type { EventStream, StreamedEvent, StreamRequest } from '../domain/event-stream.ts'
import type { Site } from '../domain/scope.ts'
import type { Addresses } from '../http/addresses.ts'
import { NAMESPACE } from '../http/endpoint.ts'
import { text } from '../lib/texts.ts'
import { nextSlice, SLICE } from '../lib/time-slices.ts'

/** Data of a feed that all formats share. */
export interface Feed {
  readonly title: string
  readonly language: string
  readonly addresses: Addresses
  readonly site: Site
  /** Address of the page with the same events. */
  readonly page: string
  /** Address of the feed; null for a file. */
  readonly self: string | null
  readonly next: string | null
  readonly previous: string | null
  /** Current time, for a feed without a date of its own. It makes the response valid for a second only. */
  readonly now: () => Instant
  readonly events: EventStream
}

/** Format of feeds and exports, written batch by batch. formats.ts lists all of them. */
export interface Format {
  /** File extension without the dot, and name of the export format. */
  readonly extension: string
  /** Display name, the same in every language. */
  readonly label: string
  readonly type: string
  /** Resources with a feed in this format. */
  readonly feedsOf: readonly ('lists' | 'events')[]
  /** Whether `kalends export` writes it. */
  readonly isExport?: true
  /** Whether the “Subscribe” menu of pages links to it. */
  readonly inMenu?: true
  /** Whether browsers download it instead of showing it. */
  readonly isAttachment?: true
  /** Whether the events of a series are written together. */
  readonly joinsSeries?: true
  /** Default range of dates. */
  readonly period: StreamRequest['period']
  write(feed: Feed): AsyncGenerator<string>
}

/**
 * Yields the texts of all events in small pieces: a batch may have megabytes, and must not hold the event loop. An event that
 * cannot be written is left out.
 */
export async function* inPieces(
  { batches, leaveOut }: Pick<EventStream, 'batches' | 'leaveOut'>,
  write: (event: StreamedEvent) => string,
  separator = '',
): AsyncGenerator<string> {
  let isFirst = true
  for await (const batch of batches()) {
    let began = performance.now()
    let piece = ''
    for (const event of batch) {
      try {
        piece += isFirst ? write(event) : separator + write(event)
        isFirst = false
      } catch (error) {
        leaveOut(event, error instanceof Error ? error : new Error(String(error)))
      }
      if (performance.now() - began < SLICE) continue
      yield piece
      await nextSlice()
      began = performance.now()
      piece = ''
    }
    if (piece !== '') yield piece
  }
}

/** Title of a feed: the name of the calendar, or else its host, and the record or term that it is filtered by. */
export function feedTitle(
  { name, isNamed }: Pick<Site, 'name' | 'isNamed'>,
  { host }: Addresses,
  language: string,
  of: string | null,
): string {
  if (of !== null) return text(language, 'feeds.of', { host: isNamed ? name : host, name: of })
  return isNamed ? name : text(language, 'feeds.all', { host })
}

/** Globally unique id of an event. It does not depend on the slug. */
export function permanentId(id: number, { home }: Addresses): string {
  return `${home}/${NAMESPACE}/events/${id}`
}
