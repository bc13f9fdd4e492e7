import type { EventStream, StreamRequest } from '../../domain/event-stream.ts'
import type { Site } from '../../domain/scope.ts'
import type { Addresses } from '../addresses.ts'
import { NAMESPACE } from '../endpoint.ts'

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
  readonly now: number
  readonly events: EventStream
}

/** A way to write events, one batch after the other. */
export interface Format {
  readonly type: string
  /** Which events it holds when no dates are asked for. */
  readonly period: StreamRequest['period']
  write(feed: Feed): AsyncGenerator<string>
}

/** The name of an event among all feeds of the world, which stays when its slug does not. */
export function permanentId(id: number, { home }: Addresses): string {
  return `${home}/${NAMESPACE}/events/${id}`
}
