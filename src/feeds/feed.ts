import type { Instant } from '../calendar/zone.ts'
import type { EventStream, StreamRequest } from '../domain/event-stream.ts'
import type { Event } from '../domain/events.ts'
import type { Site } from '../domain/scope.ts'
import type { Addresses } from '../http/addresses.ts'
import { NAMESPACE } from '../http/endpoint.ts'
import { text } from '../lib/texts.ts'
import { nextSlice, SLICE } from '../lib/time-slices.ts'

/** A feed on its way out: what is true of all formats. */
export interface Feed {
  readonly title: string
  readonly language: string
  readonly addresses: Addresses
  readonly site: Site
  /** The page that shows the same to people. */
  readonly page: string
  /** The feed's own address; null for a file. */
  readonly self: string | null
  readonly next: string | null
  readonly previous: string | null
  /** Asked only by a feed that has nothing else to say of time: its answer is true for a second. */
  readonly now: () => Instant
  readonly events: EventStream
}

/** A format that events are written in, one batch after the other. formats.ts lists all of them. */
export interface Format {
  /** Of addresses and files, without the dot; the name of an export format. */
  readonly extension: string
  /** Name for people, the same in every language. */
  readonly label: string
  readonly type: string
  /** Of what there is a feed in this format. */
  readonly feedsOf: readonly ('lists' | 'events')[]
  /** Whether `kalends export` writes it. */
  readonly isExport?: true
  /** Whether the menu “Subscribe” of pages links to it. */
  readonly inMenu?: true
  /** Whether browsers save it rather than show it. */
  readonly isAttachment?: true
  /** Which events it holds when no dates are asked for. */
  readonly period: StreamRequest['period']
  write(feed: Feed): AsyncGenerator<string>
}

/**
 * The texts of all events, in pieces: a batch may hold megabytes, and nobody else is to wait for all of it. An event that
 * cannot be written is left out.
 */
export async function* inPieces(
  { batches, leaveOut }: Pick<EventStream, 'batches' | 'leaveOut'>,
  write: (event: Event) => string,
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

/** What a feed is called: by the name of the calendar, if it was given one, else by its host; and by what it is of. */
export function feedTitle(
  { name, isNamed }: Pick<Site, 'name' | 'isNamed'>,
  { host }: Addresses,
  language: string,
  of: string | null,
): string {
  if (of !== null) return text(language, 'feeds.of', { host: isNamed ? name : host, name: of })
  return isNamed ? name : text(language, 'feeds.all', { host })
}

/** The name of an event among all feeds of the world, which stays when its slug does not. */
export function permanentId(id: number, { home }: Addresses): string {
  return `${home}/${NAMESPACE}/events/${id}`
}
