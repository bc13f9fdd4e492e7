import type { PlaceKind } from './city.ts'
import { LEARNING } from './kinds-learning.ts'
import { MUSIC } from './kinds-music.ts'
import { OUTDOORS } from './kinds-outdoors.ts'
import { STAGE } from './kinds-stage.ts'
import type { Theme } from './organizers.ts'
import type { Motif } from './posters.ts'

/** A kind of event that happens once, as templates that `write` fills. */
export interface Kind {
  readonly category: string
  readonly motif: Motif
  /** How often there is one, compared with the others. */
  readonly weight: number
  readonly by: readonly Theme[]
  readonly at: readonly PlaceKind[]
  /** How often on each day of the week, Monday first, in digits. */
  readonly days: string
  readonly starts: readonly string[]
  readonly minutes: readonly number[]
  /** The months in which there is one, if not in all. */
  readonly months?: readonly number[]
  /** The share of those that take the whole day. */
  readonly allDay?: number
  readonly costs: readonly string[]
  readonly tags: readonly string[]
  /** The share of those with tickets. */
  readonly ticketed: number
  readonly titles: readonly string[]
  readonly openings: readonly string[]
  readonly details: readonly string[]
}

export const KINDS: readonly Kind[] = [...MUSIC, ...STAGE, ...LEARNING, ...OUTDOORS]

/** The tree of categories, with what each is. */
export const CATEGORIES: Readonly<Record<string, { about: string; below: readonly string[] }>> = {
  Music: {
    about: 'From church organ to club night.',
    below: ['Classical', 'Jazz & Blues', 'Folk & Traditional', 'Rock & Pop', 'Electronic', 'Choirs'],
  },
  Stage: { about: 'Plays, jokes and movement.', below: ['Theatre', 'Comedy', 'Dance', 'Poetry & Spoken word'] },
  Film: { about: 'On large screens, indoors and out.', below: ['Open-air cinema'] },
  Art: { about: 'To look at, and to talk about.', below: ['Exhibitions'] },
  'Food & Drink': { about: 'Cooked, poured and shared.', below: ['Cooking', 'Tastings'] },
  Markets: { about: 'Stalls for every taste.', below: [] },
  Learning: { about: 'For curious people of every age.', below: ['Lectures', 'Books', 'Languages', 'Workshops'] },
  Family: { about: 'For children and those who come with them.', below: [] },
  Outdoors: {
    about: 'On foot, on wheels, on the water.',
    below: ['Walks & Nature', 'City tours', 'Cycling', 'On the water'],
  },
  Sport: { about: 'To do and to watch.', below: ['Matches', 'Running'] },
  Community: { about: 'What neighbours do together.', below: ['Neighbourhood', 'Games', 'Wellbeing'] },
  Festivals: { about: 'When the whole city is out.', below: ['Christmas'] },
}
