import categories from './content/categories.json' with { type: 'json' }
import city from './content/city.json' with { type: 'json' }
import exhibitions from './content/exhibitions.json' with { type: 'json' }
import festivals from './content/festivals.json' with { type: 'json' }
import learning from './content/kinds-learning.json' with { type: 'json' }
import music from './content/kinds-music.json' with { type: 'json' }
import outdoors from './content/kinds-outdoors.json' with { type: 'json' }
import stage from './content/kinds-stage.json' with { type: 'json' }
import motifs from './content/motifs.json' with { type: 'json' }
import organizers from './content/organizers.json' with { type: 'json' }
import palettes from './content/palettes.json' with { type: 'json' }
import series from './content/series.json' with { type: 'json' }
import specialEvents from './content/special-events.json' with { type: 'json' }
import venues from './content/venues.json' with { type: 'json' }
import words from './content/words.json' with { type: 'json' }

/**
 * The content of the demonstration, from `content/*.json`. The compiler checks the shape of the files against these
 * types; test/cli/demo-content.test.ts checks that every name they refer to exists.
 */

type ByName<T> = Readonly<Record<string, T>>
type Texts = readonly string[]

interface Described {
  readonly title: string
  readonly category: string
  readonly motif: string
  readonly venue: string
  readonly tags: Texts
  readonly text: string
}

/** A kind of one-off event. Its texts are templates, see `template.ts`. */
export interface Kind {
  readonly category: string
  readonly motif: string
  /** Frequency relative to the other kinds. */
  readonly weight: number
  readonly themes: Texts
  readonly venueKinds: Texts
  /** Frequency on each day of the week, Monday first, one digit each. */
  readonly weekdays: string
  readonly starts: Texts
  readonly minutes: readonly number[]
  /** All months if absent. */
  readonly months?: readonly number[]
  /** Share of events that last all day. */
  readonly allDay?: number
  readonly costs: Texts
  readonly tags: Texts
  /** Share of events with tickets. */
  readonly ticketed: number
  /** A title may end in ` #sort`; it then goes only with openings that begin with `#sort `. */
  readonly titles: Texts
  readonly openings: Texts
  readonly details: Texts
}

interface Timed extends Described {
  /** The organizer is one of this theme. */
  readonly theme: string
  readonly cost: string
  readonly start: string
  readonly minutes: number
}

export interface Series extends Timed {
  /** 1 is Monday. */
  readonly weekday: number
  readonly everyWeeks: number
  readonly allDay?: boolean
  /** First and last month. It may span the turn of the year. All year if absent. */
  readonly season?: { readonly from: number; readonly to: number }
}

export interface Festival extends Described {
  /** A festival of less than a week begins on the Friday nearest to this day. */
  readonly month: number
  readonly day: number
  readonly days: number
  readonly sessions: readonly Session[]
}

interface Session extends Pick<Timed, 'start' | 'minutes' | 'title' | 'venue' | 'cost'> {
  /** Day of the festival, from 1. */
  readonly day: number
}

export interface SpecialEvent extends Timed {
  readonly inDays: number
  readonly featured?: boolean
  readonly password?: string
  readonly status?: string
}

export type Venue = Readonly<(typeof venues.venues)[number]>

export const CITY = city
/** Metres east and north of the centre, and how far venues are spread. */
export const DISTRICTS: ByName<{ east: number; north: number; zip: string; spread: number }> = city.districts
export const CATEGORIES: ByName<{ about: string; below: Texts }> = categories
export const ORGANIZERS: ByName<{ about: string; names: Texts }> = organizers
export const VENUES: readonly Venue[] = venues.venues
export const VENUE_KINDS: ByName<{ motif?: string; outdoors?: boolean }> = venues.kinds
export const KINDS: readonly Kind[] = [...music, ...stage, ...learning, ...outdoors]
export const SERIES: readonly Series[] = series
export const FESTIVALS: readonly Festival[] = festivals.festivals
export const FESTIVAL_NOTES: Texts = festivals.notes
export const SPECIAL_EVENTS: readonly SpecialEvent[] = specialEvents
export const EXHIBITIONS = exhibitions
/** The number of drawings of each motif, `posters/<motif>-<number>.svg`. */
export const MOTIFS: ByName<number> = motifs
export const PALETTES: readonly { back: string; ink: string; paper: string; shade: string; tones: Texts }[] = palettes
export const WORDS: ByName<Texts> = words

/** The entry of a table by its name. */
export function named<T>(table: ByName<T>, name: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined
  if (found === undefined) throw new Error(`"${name}" is not in the content of the demonstration`)
  return found
}
