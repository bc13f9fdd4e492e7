import { declare } from './field.ts'
import * as kinds from './kinds.ts'

/** What may become of an event, a venue or an organizer. */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

/** The kinds of record that have an author, a status, a slug and a place on the web. */
export type RecordKind = 'event' | 'venue' | 'organizer'

/** What events, venues and organizers have in common. */
export const recordFields = declare('record', {
  author: { kind: kinds.id },
  date: { kind: kinds.date },
  date_utc: { kind: kinds.date },
  description: { kind: kinds.richHtml, stored: true, searched: true },
  slug: { kind: kinds.slug },
  status: { kind: kinds.oneOf(...STATUSES) },
  image: { kind: kinds.image },
})

/** `page` and `per_page`, of every list. */
export const pageParameters = declare('list', {
  page: { kind: kinds.integer(1), default: 1 },
  per_page: { kind: kinds.integer(1, 50), default: 10 },
})

/** Parameters of the lists of venues and organizers. */
export const linkedListParameters = {
  ...pageParameters,
  ...declare('list', {
    search: { kind: kinds.exact },
    event: { kind: kinds.id },
    has_events: { kind: kinds.flag },
    only_with_upcoming: { kind: kinds.flag, default: false },
    status: { kind: kinds.someOf(...STATUSES) },
  }),
}

/** Parameters of removing a record. */
export const removeParameters = declare('list', {
  force: { kind: kinds.flag, default: false },
})
