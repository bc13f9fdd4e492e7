import type { Insertable } from 'kysely'
import { toInstant, toWallClock } from '../src/calendar/zone.ts'
import { fold } from '../src/lib/fold.ts'
import { slugify } from '../src/lib/slug.ts'
import type { Tables } from '../src/storage/tables.ts'
import { COMMON_WORDS, COMMON_WORDS_A_TEXT, MUSIC, TITLE_WORDS, TITLE_WORDS_A_TEXT } from './words.ts'

export const ZONE = 'Europe/Paris'
export const VENUES = 50
export const ORGANIZERS = 50
export const CATEGORIES = 20
export const TAGS = 30

/** The id of the first event: venues and organizers draw theirs before. */
export const FIRST_EVENT = VENUES + ORGANIZERS + 1

/** How far events lie from now, in hours. */
export const REACH = 729 * 24

/** What every record has. */
export function head(name: string, now: number) {
  const date = now - 86_400 * 365
  return {
    author: 1,
    status: 'publish' as const,
    trashed_from: null,
    restore_slug: null,
    date_utc: date,
    modified_utc: date,
    image: null,
    slug: slugify(name),
    search: fold(name),
  }
}

/** Ids of what an event is linked to. */
export interface Links {
  readonly venue: number
  readonly organizer: number
  readonly terms: readonly number[]
}

export function linksOf(random: (below: number) => number): Links {
  const venue = 1 + random(VENUES)
  const organizer = VENUES + 1 + random(ORGANIZERS)
  const tag = random(TAGS)
  return {
    venue,
    organizer,
    terms: [1 + random(CATEGORIES), CATEGORIES + 1 + tag, CATEGORIES + 1 + ((tag + 7) % TAGS)],
  }
}

interface Times {
  readonly start_local: string
  readonly end_local: string
  readonly start_utc: number
  readonly end_utc: number
}

/** Two hours from an hour that lies so many hours from now; each is converted once, as time zones are slow. */
export function hours(now: number): (hour: number) => Times {
  const known = new Map<number, Times>()
  return (hour) => {
    let times = known.get(hour)
    if (times === undefined) {
      const start_local = `${toWallClock(now + hour * 3600, ZONE).slice(0, 14)}00:00`
      const start_utc = toInstant(start_local, ZONE)
      const end_utc = start_utc + 7200
      times = { start_local, end_local: toWallClock(end_utc, ZONE), start_utc, end_utc }
      known.set(hour, times)
    }
    return times
  }
}

export function eventRow(
  id: number,
  now: number,
  times: Times,
  rare: string,
  random: (below: number) => number,
): Insertable<Tables['events']> {
  const pick = (words: readonly string[]) => words[random(words.length)] ?? ''
  const title = `${pick(TITLE_WORDS)} ${pick(TITLE_WORDS)} ${id}`
  const words = Array.from({ length: TITLE_WORDS_A_TEXT }, () => pick(TITLE_WORDS))
  for (let n = 0; n < COMMON_WORDS_A_TEXT; n++) words.push(pick(COMMON_WORDS))
  words.push(rare, ...(id % 2 === 0 ? [] : [MUSIC]))
  const text = words.join(' ')
  return {
    id,
    ...head(title, now),
    title,
    title_search: fold(title),
    search: fold(`${title}\n${text}`),
    description: `<p>${text}</p>`,
    excerpt: null,
    timezone: ZONE,
    ...times,
    all_day: 0,
    cost: String(random(40)),
    website: null,
    show_map: 1,
    show_map_link: 1,
    hide_from_listings: 0,
    sticky: 0,
    featured: id % 50 === 0 ? 1 : 0,
    is_virtual: 0,
    parent: null,
    password_hash: null,
    series: null,
    original_start: null,
    own_fields: null,
  }
}
