import { cursor } from './cursor.ts'
import { declare, type ValueType } from './field.ts'
import * as references from './references.ts'
import * as types from './value-types.ts'

/** Statuses of records. */
export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const
export type Status = (typeof STATUSES)[number]

const statusesOrAny = types.someOf(...STATUSES, 'any')

/** Statuses of a list. `any` is the same as none: the trash is asked for by name. */
export const statuses: ValueType<Status[] | null> = {
  ...types.someOf(...STATUSES),
  read(raw, reading) {
    const found = statusesOrAny.read(raw, reading)
    return found.includes('any') ? null : (found as Status[])
  },
}

/** Common fields of records. */
export const recordFields = declare('record', {
  author: { kind: types.id },
  date: { kind: types.date },
  date_utc: { kind: types.date },
  description: { kind: types.richHtml, stored: true, searched: true },
  slug: { kind: types.slug },
  status: { kind: types.oneOf(...STATUSES) },
  image: { kind: references.image },
})

/** `page` and `per_page`, of every list. */
export const pageParameters = declare('list', {
  page: { kind: types.integer(1), default: 1 },
  per_page: { kind: types.perPage, default: 10 },
})

/** Parameters of the lists of events, venues, organizers and terms. */
export const listParameters = {
  ...pageParameters,
  ...declare('list', {
    cursor: { kind: cursor },
    modified_after: { kind: types.date },
    modified_before: { kind: types.date },
    strict: { kind: types.flag, default: false },
  }),
}

/** Parameters that choose a part of a list or its order, but no records: feeds do not take them. */
export const PAGE_PARAMETERS: readonly string[] = ['cursor', 'strict', 'orderby', 'order']

/** Parameters of the lists of venues and organizers. */
export const linkedListParameters = {
  ...listParameters,
  ...declare('list', {
    search: { kind: types.exact },
    slug: { kind: types.slugs },
    title: { kind: types.name },
    event: { kind: types.id },
    has_events: { kind: types.flag },
    only_with_upcoming: { kind: types.flag, default: false },
    status: { kind: statuses },
  }),
}

/** Fields of a merge: the record or term that takes over everything. */
export const mergeParameters = declare('list', {
  into: { kind: types.id, required: true },
})

/** Parameters of DELETE. */
export const removeParameters = declare('list', {
  force: { kind: types.flag, default: false },
})
