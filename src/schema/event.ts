import { addYears, type WallClock } from '../calendar/zone.ts'
import { declare, type StoredName, storedEntries } from './field.ts'
import { listParameters, recordFields, statuses } from './record.ts'
import { recurrence } from './recurrence.ts'
import * as references from './references.ts'
import { tickets } from './ticket.ts'
import * as types from './value-types.ts'

/** Fields of events. */
export const eventFields = {
  ...declare('event', {
    title: { kind: types.name, required: true, stored: true, searched: true, sample: 'Harbour Concert' },
    start_date: { kind: types.date, required: true },
    end_date: { kind: types.date, required: true },
  }),
  ...recordFields,
  ...declare('event', {
    excerpt: { kind: types.richHtml, stored: true },
    timezone: { kind: types.zone },
    all_day: { kind: types.flag, default: false, stored: true },
    cost: { kind: types.cost, stored: true, sample: '10 - 20 €' },
    cost_text: { kind: types.cost },
    website: { kind: types.url, stored: true },
    show_map: { kind: types.flag, default: false, stored: true, sample: true },
    show_map_link: { kind: types.flag, default: false, stored: true, sample: true },
    hide_from_listings: { kind: types.flag, default: false, stored: true },
    sticky: { kind: types.flag, default: false, stored: true },
    featured: { kind: types.flag, default: false, stored: true, sample: true },
    is_virtual: { kind: types.flag, default: false, stored: true },
    categories: { kind: references.terms },
    tags: { kind: references.terms },
    venue: { kind: references.links },
    organizer: { kind: references.links },
    parent: { kind: types.integer(0) },
    recurrence: { kind: recurrence },
    tickets: { kind: tickets },
    password: { kind: types.exact },
  }),
} as const

/** Stored fields with their own rule in responses. */
const OWN_RULE = ['title', 'description', 'excerpt', 'all_day', 'cost', 'website'] as const

/** Stored fields that are presented by type. */
export type PlainEventField = Exclude<StoredName<typeof eventFields>, (typeof OWN_RULE)[number]>
export const plainEventFields = storedEntries(eventFields, OWN_RULE)

/** Fields that are never in responses. */
export type UnshownEventField = 'password'

/** Fields that tables do not hold: the cost has one column, ids of users and events are those of one site, and passwords are not for files. */
export const NOT_IN_TABLES = [
  'author',
  'cost_text',
  'parent',
  'tickets',
  'password',
] as const satisfies (keyof typeof eventFields)[]

/** Default length of a list without an end, in years. */
const YEARS_AHEAD = 2

/** Default last day of a list: two years after its first day or today, whichever is later. */
export function lastDayFrom(today: string, first = today): string {
  const day = first > today ? first : today
  return Number(day.slice(0, 4)) > 9999 - YEARS_AHEAD ? '9999-12-31' : addYears(day, YEARS_AHEAD)
}

/** Parameters of the list of events. */
export const eventListParameters = {
  ...listParameters,
  ...declare('event_list', {
    start_date: { kind: types.date, defaultAt: (today: WallClock) => `${today.slice(0, 10)} 00:00:00` },
    end_date: { kind: types.date, defaultAt: (today: WallClock) => `${lastDayFrom(today.slice(0, 10))} 23:59:59` },
    starts_before: { kind: types.date },
    starts_after: { kind: types.date },
    ends_before: { kind: types.date },
    ends_after: { kind: types.date },
    strict_dates: { kind: types.flag, default: false },
    include_running: { kind: types.flag, default: false },
    search: { kind: types.exact },
    search_mode: { kind: types.oneOf('text', 'words'), default: 'text' as const },
    slug: { kind: types.slugs },
    title: { kind: types.name },
    categories: { kind: references.terms },
    tags: { kind: references.terms },
    venue: { kind: types.ids },
    organizer: { kind: types.ids },
    featured: { kind: types.flag },
    is_virtual: { kind: types.flag },
    status: { kind: statuses },
    include: { kind: types.ids },
    exclude: { kind: types.ids },
    author: { kind: types.ids },
    orderby: { kind: types.oneOf('start_date', 'modified', 'title', 'id') },
    order: { kind: types.oneOfAnyCase('asc', 'desc'), default: 'asc' as const },
    post_parent: { kind: types.id },
    series: { kind: types.id },
    collapse: { kind: types.oneOf('series') },
    ticketed: { kind: types.flag },
    free: { kind: types.flag },
    family: { kind: types.flag },
    when: { kind: types.oneOf('tonight', 'weekend') },
    geoloc: { kind: types.flag },
    geoloc_lat: { kind: types.degrees(90) },
    geoloc_lng: { kind: types.degrees(180) },
    geoloc_radius: { kind: types.number(0, 20_040) },
  }),
}

/** How far a write reaches in a series, and whether it only says what it would do. */
export const seriesParameters = declare('series', {
  scope: { kind: types.oneOf('this', 'following', 'all') },
  dry_run: { kind: types.flag, default: false },
})

/** Password parameter of a protected event. */
export const eventReadParameters = declare('event', {
  password: { kind: types.exact },
})
