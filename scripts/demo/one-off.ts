import { CITY, KINDS, type Kind, named, ORGANIZERS, VENUE_KINDS, VENUES } from './content.ts'
import { type DemoEvent, dayFrom, paragraphs, span, WINDOW, wholeDays } from './demo-event.ts'
import type { Random } from './random.ts'
import { fillTemplate } from './template.ts'

/** How many other titles or venues are tried before one is used twice. */
const TRIES = 40

/** One-off events over the whole window: more on weekends, more in the near future. */
export function oneOffEvents(today: string, count: number, others: readonly DemoEvent[], random: Random): DemoEvent[] {
  const days = Array.from({ length: WINDOW.last - WINDOW.first + 1 }, (_, index) =>
    dayFrom(today, WINDOW.first + index),
  )
  const weights = new Map(days.map((day, index) => [day, liveliness(day, WINDOW.first + index)]))
  const taken = new Set(others.map(({ venue, start }) => slot(venue, start)))
  return Array.from({ length: count }, (_, index) => {
    const part = random.fork(String(index))
    const day = part.weighted(days, (candidate) => weights.get(candidate) ?? 0)
    return oneOffEvent(day, part, taken)
  }).sort((former, latter) => (former.start < latter.start ? -1 : 1))
}

/** The relative number of events on a day. Not everything in the far future is announced yet. */
function liveliness(day: string, ahead: number): number {
  const { month, dayOfWeek } = Temporal.PlainDate.from(day)
  const { months, weekdays } = CITY.liveliness
  const announced = ahead < 75 ? 1 : Math.max(0.4, 1 - (ahead - 75) / 320)
  return (months[month - 1] ?? 1) * (weekdays[dayOfWeek - 1] ?? 1) * announced
}

function oneOffEvent(day: string, random: Random, taken: Set<string>): DemoEvent {
  const { month, dayOfWeek } = Temporal.PlainDate.from(day)
  const kind = random.weighted(KINDS, ({ weight, weekdays, months }) =>
    months === undefined || months.includes(month) ? weight * Number(weekdays[dayOfWeek - 1]) : 0,
  )
  const allDay = random.is(kind.allDay ?? 0)
  const start = random.pick(kind.starts)
  const suitable = VENUES.filter((candidate) => kind.venueKinds.includes(candidate.kind))
  const venue = untaken(
    () => random.pick(suitable).name,
    (name) => slot(name, `${day} ${start}`),
    taken,
  )
  const chosen: Record<string, string> = {}
  const titled = untaken(
    () => fillTemplate(random.pick(kind.titles), random, {}, chosen),
    (text) => text,
    taken,
  )
  const [title = '', sort] = titled.split(' #')
  const organizers = random.sample(named(ORGANIZERS, random.pick(kind.themes)).names, random.is(0.08) ? 2 : 1)
  return {
    ...(allDay ? wholeDays(day, random.is(0.25) ? 2 : 1) : span(day, start, random.pick(kind.minutes))),
    title,
    allDay,
    category: kind.category,
    tags: random.sample(kind.tags, random.int(1, kind.tags.length)),
    venue,
    organizers,
    motif: month === 12 && random.is(0.15) ? 'winter' : kind.motif,
    cost: random.pick(kind.costs),
    ...texts(kind, sort, random, { ...chosen, venue, organizer: organizers[0] ?? '' }),
    featured: random.is(0.025),
    ticketed: kind.ticketed,
  }
}

/** One that is not taken yet, if there is any. */
function untaken(make: () => string, key: (made: string) => string, taken: Set<string>): string {
  let made = make()
  for (let tries = 0; tries < TRIES && taken.has(key(made)); tries++) made = make()
  taken.add(key(made))
  return made
}

/** Texts that go with the sort of title. They repeat the words that were chosen for the title. */
function texts(
  kind: Kind,
  sort: string | undefined,
  random: Random,
  known: Record<string, string>,
): Pick<DemoEvent, 'excerpt' | 'description'> {
  const fitting = kind.openings.filter((text) =>
    sort === undefined ? !text.startsWith('#') : text.startsWith(`#${sort} `),
  )
  const opening = fillTemplate(random.pick(fitting).replace(/^#\w+ /, ''), random, known)
  const { venue = '', organizer = '' } = known
  const details = random
    .sample(kind.details, random.int(1, 2))
    .map((text) => fillTemplate(text, random, { venue, organizer }))
  const isOutdoors = kind.venueKinds.some((name) => named(VENUE_KINDS, name).outdoors)
  const { indoors, outdoors } = CITY.practical
  const further = random.is(0.6) ? [fillTemplate(random.pick(isOutdoors ? outdoors : indoors), random, known)] : []
  return { excerpt: opening, description: paragraphs([opening, details.join(' '), ...further]) }
}

/** A venue and a part of the day, for one event. */
function slot(venue: string, start: string): string {
  const [day, time = ''] = start.split(' ')
  return `${venue} ${day} ${time < '13' ? 'morning' : time < '17' ? 'afternoon' : 'evening'}`
}
