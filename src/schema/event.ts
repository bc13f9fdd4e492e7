import { declare } from './field.ts'
import * as kinds from './kinds.ts'
import { pageParameters, recordFields, STATUSES } from './record.ts'

/** What the calendar is about. */
export const eventFields = {
  ...declare('event', {
    title: { kind: kinds.name, required: true, stored: true, searched: true },
    start_date: { kind: kinds.date, required: true },
    end_date: { kind: kinds.date, required: true },
  }),
  ...recordFields,
  ...declare('event', {
    excerpt: { kind: kinds.richHtml, stored: true },
    timezone: { kind: kinds.zone },
    all_day: { kind: kinds.flag, default: false, stored: true },
    cost: { kind: kinds.text, stored: true },
    website: { kind: kinds.url, stored: true },
    show_map: { kind: kinds.flag, default: false, stored: true },
    show_map_link: { kind: kinds.flag, default: false, stored: true },
    hide_from_listings: { kind: kinds.flag, default: false, stored: true },
    sticky: { kind: kinds.flag, default: false, stored: true },
    featured: { kind: kinds.flag, default: false, stored: true },
    categories: { kind: kinds.terms },
    tags: { kind: kinds.terms },
    venue: { kind: kinds.links },
    organizer: { kind: kinds.links },
    parent: { kind: kinds.integer(0) },
    password: { kind: kinds.exact },
  }),
} as const

/** Parameters of the list of events. */
export const eventListParameters = {
  ...pageParameters,
  ...declare('event_list', {
    start_date: { kind: kinds.date },
    end_date: { kind: kinds.date },
    starts_before: { kind: kinds.date },
    starts_after: { kind: kinds.date },
    ends_before: { kind: kinds.date },
    ends_after: { kind: kinds.date },
    strict_dates: { kind: kinds.flag, default: false },
    search: { kind: kinds.exact },
    categories: { kind: kinds.terms },
    tags: { kind: kinds.terms },
    venue: { kind: kinds.ids },
    organizer: { kind: kinds.ids },
    featured: { kind: kinds.flag },
    status: { kind: kinds.someOf(...STATUSES) },
    include: { kind: kinds.ids },
    post_parent: { kind: kinds.id },
  }),
}

/** The password of a protected event, given to read it. */
export const eventReadParameters = declare('event', {
  password: { kind: kinds.exact },
})
