import { addYears, type WallClock } from '../calendar/zone.ts'
import { declare } from './field.ts'
import * as kinds from './kinds.ts'
import { pageParameters, recordFields, STATUSES } from './record.ts'
import { tickets } from './ticket.ts'

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
    cost: { kind: kinds.cost, stored: true },
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
    tickets: { kind: tickets },
    password: { kind: kinds.exact },
  }),
} as const

/** How far ahead a list without an end reaches, in years. */
const YEARS_AHEAD = 2

/** The last day of a list that starts on a day and is given no end. */
export function lastDayFrom(day: string): string {
  return Number(day.slice(0, 4)) > 9999 - YEARS_AHEAD ? '9999-12-31' : addYears(day, YEARS_AHEAD)
}

/** Parameters of the list of events. */
export const eventListParameters = {
  ...pageParameters,
  ...declare('event_list', {
    start_date: { kind: kinds.date, defaultAt: (today: WallClock) => `${today.slice(0, 10)} 00:00:00` },
    end_date: { kind: kinds.date, defaultAt: (today: WallClock) => `${lastDayFrom(today.slice(0, 10))} 23:59:59` },
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
    ticketed: { kind: kinds.flag },
    geoloc: { kind: kinds.flag },
    geoloc_lat: { kind: kinds.degrees(90) },
    geoloc_lng: { kind: kinds.degrees(180) },
    geoloc_radius: { kind: kinds.number(0, 20_040) },
  }),
}

/** The password of a protected event, given to read it. */
export const eventReadParameters = declare('event', {
  password: { kind: kinds.exact },
})
