import type { PlaceKind } from './city.ts'
import { type DemoEvent, dayFrom, paragraphs, span, WINDOW, wholeDays } from './demo-event.ts'
import { write } from './grammar.ts'
import { KINDS, type Kind } from './kinds.ts'
import { ORGANIZERS } from './organizers.ts'
import { PLACES } from './places.ts'
import type { Chance } from './random.ts'
import { WORDS } from './words.ts'

/** How lively each month is, January first. */
const MONTHS = [0.75, 0.85, 1, 1.05, 1.15, 1.1, 0.8, 0.85, 1.1, 1.15, 1.05, 1.1]
/** How lively each day of the week is, Monday first. */
const WEEKDAYS = [0.55, 0.7, 0.8, 0.95, 1.3, 1.7, 1.3]
/** How often another title or place is tried before one is taken twice. */
const TRIES = 40

/** What is worth knowing of any place with a door, and of any without. */
const INDOORS = [
  'Trams 2 and 4 stop around the corner.',
  '{venue} has a ramp, a lift, and an accessible toilet.',
  'Bicycle stands are at the door.',
  'The bar is open before and after.',
  'Questions? Write to {organizer}.',
  'Companions of disabled visitors come in free.',
]
const OUTDOORS = [
  'Trams 2 and 4 stop near by.',
  'If the weather is against us, look at our website in the morning.',
  'Questions? Write to {organizer}.',
  'Bring water, and something to share.',
]
const OPEN: readonly PlaceKind[] = ['park', 'water', 'square', 'start']

/** Events that happen once, spread over the year as a city's are: more on weekends, more of what is near. */
export function onceOnly(today: string, count: number, others: readonly DemoEvent[], chance: Chance): DemoEvent[] {
  const days = Array.from({ length: WINDOW.last - WINDOW.first + 1 }, (_, index) =>
    dayFrom(today, WINDOW.first + index),
  )
  const weights = new Map(days.map((day, index) => [day, liveliness(day, WINDOW.first + index)]))
  const taken = new Set(others.map(({ place, start }) => slot(place, start)))
  return Array.from({ length: count }, (_, index) => {
    const part = chance.fork(String(index))
    return one(
      part.weighted(days, (day) => weights.get(day) ?? 0),
      part,
      taken,
    )
  }).sort((former, latter) => (former.start < latter.start ? -1 : 1))
}

/** What is far ahead is not all announced yet. */
function liveliness(day: string, ahead: number): number {
  const date = Temporal.PlainDate.from(day)
  const announced = ahead < 75 ? 1 : Math.max(0.4, 1 - (ahead - 75) / 320)
  return (MONTHS[date.month - 1] ?? 1) * (WEEKDAYS[date.dayOfWeek - 1] ?? 1) * announced
}

function one(day: string, chance: Chance, taken: Set<string>): DemoEvent {
  const { month, dayOfWeek } = Temporal.PlainDate.from(day)
  const kind = chance.weighted(KINDS, ({ weight, days, months }) =>
    months === undefined || months.includes(month) ? weight * Number(days[dayOfWeek - 1]) : 0,
  )
  const allDay = chance.is(kind.allDay ?? 0)
  const start = chance.pick(kind.starts)
  const place = free(
    () => chance.pick(PLACES.filter((candidate) => kind.at.includes(candidate.kind))).name,
    (name) => slot(name, `${day} ${start}`),
    taken,
  )
  const words: Record<string, string> = {}
  const titled = free(
    () => write(chance.pick(kind.titles), chance, WORDS, {}, words),
    (text) => text,
    taken,
  )
  const [title = '', sort] = titled.split(' #')
  const organizers = chance.some(ORGANIZERS[chance.pick(kind.by)], chance.is(0.08) ? 2 : 1)
  return {
    ...(allDay ? wholeDays(day, chance.is(0.25) ? 2 : 1) : span(day, start, chance.pick(kind.minutes))),
    title,
    allDay,
    category: kind.category,
    tags: tagsOf(kind, chance),
    place,
    organizers,
    motif: month === 12 && chance.is(0.15) ? 'winter' : kind.motif,
    cost: chance.pick(kind.costs),
    ...texts(kind, sort, chance, { ...words, venue: place, organizer: organizers[0] ?? '' }),
    featured: chance.is(0.025),
    ticketed: kind.ticketed,
  }
}

/** Something that was not taken yet, if there is any. */
function free(make: () => string, key: (made: string) => string, taken: Set<string>): string {
  let made = make()
  for (let tries = 0; tries < TRIES && taken.has(key(made)); tries++) made = make()
  taken.add(key(made))
  return made
}

function tagsOf(kind: Kind, chance: Chance): string[] {
  return chance.some(kind.tags, chance.int(1, kind.tags.length))
}

/** What fits the sort of title; what the title named is named again. */
function texts(
  kind: Kind,
  sort: string | undefined,
  chance: Chance,
  known: Record<string, string>,
): Pick<DemoEvent, 'excerpt' | 'description'> {
  const fitting = kind.openings.filter((text) =>
    sort === undefined ? !text.startsWith('#') : text.startsWith(`#${sort} `),
  )
  const opening = write(chance.pick(fitting).replace(/^#\w+ /, ''), chance, WORDS, known)
  const { venue = '', organizer = '' } = known
  const details = chance
    .some(kind.details, chance.int(1, 2))
    .map((text) => write(text, chance, WORDS, { venue, organizer }))
  const practical = OPEN.some((open) => kind.at.includes(open)) ? OUTDOORS : INDOORS
  const further = chance.is(0.6) ? [write(chance.pick(practical), chance, WORDS, known)] : []
  return { excerpt: opening, description: paragraphs([opening, details.join(' '), ...further]) }
}

/** A place and a part of a day, in which one thing happens there. */
function slot(place: string, start: string): string {
  const [day, time = ''] = start.split(' ')
  return `${place} ${day} ${time < '13' ? 'morning' : time < '17' ? 'afternoon' : 'evening'}`
}
