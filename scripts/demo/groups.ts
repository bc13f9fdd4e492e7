import { type DemoEvent, dayFrom, paragraphs, span, WINDOW, wholeDays } from './demo-event.ts'
import { FESTIVALS, type Festival } from './festivals.ts'
import { write } from './grammar.ts'
import { ORGANIZERS } from './organizers.ts'
import { PLACES } from './places.ts'
import type { Chance } from './random.ts'
import { SERIES, type Series } from './series.ts'
import { SINGULAR } from './singular.ts'
import { WORDS } from './words.ts'

/** What an organizer of a theme is called; the same each time it is asked about the same thing. */
const organizerOf = (theme: keyof typeof ORGANIZERS, seed: string): string => {
  const names = ORGANIZERS[theme]
  return names[seed.length % names.length] ?? names[0] ?? ''
}

/** Those that are written by hand, each by itself. */
export function singularGroups(today: string): DemoEvent[][] {
  return SINGULAR.map((one) => [
    {
      ...span(dayFrom(today, one.in), one.start, one.minutes),
      ...one,
      start: span(dayFrom(today, one.in), one.start, one.minutes).start,
      allDay: false,
      organizers: [organizerOf(one.by, one.title)],
      excerpt: '',
      description: paragraphs(one.text.split('\n\n')),
      featured: one.featured === true,
      ticketed: 0.5,
    },
  ])
}

const FESTIVAL_NOTES = [
  'There is no booking: come as you are, and a little early.',
  'The programme of all days is in the blue tent, and on every tram.',
  'Volunteers in yellow scarves know where everything is.',
  'If it rains, ask at the information desk: nearly everything has a roof in reserve.',
  'Children under twelve come in free with a grown-up.',
  'A quiet room and an accessible toilet are signposted from the entrance.',
]

/** Festivals with their sessions, each in the year in which it falls into the window. */
export function festivalGroups(today: string, chance: Chance): DemoEvent[][] {
  return FESTIVALS.flatMap((festival) => {
    const first = firstDay(festival, today)
    return first === null ? [] : [[umbrella(festival, first), ...sessions(festival, first, chance)]]
  })
}

/** The Friday nearest to the day, or the day itself for those of a week and longer; null when it is out of sight. */
function firstDay({ month, day, days }: Festival, today: string): string | null {
  const [earliest, latest] = [dayFrom(today, WINDOW.first), dayFrom(today, WINDOW.last - days)]
  const year = Number(today.slice(0, 4))
  for (const candidate of [year - 1, year, year + 1]) {
    const date = Temporal.PlainDate.from({ year: candidate, month, day })
    const toFriday = ((5 - date.dayOfWeek + 10) % 7) - 3
    const first = (days < 7 ? date.add({ days: toFriday }) : date).toString()
    if (first >= earliest && first <= latest) return first
  }
  return null
}

function umbrella(festival: Festival, first: string): DemoEvent {
  return {
    ...wholeDays(first, festival.days),
    title: festival.title,
    allDay: true,
    category: festival.category,
    tags: festival.tags,
    place: festival.place,
    organizers: ['City of Port Lorcan'],
    motif: festival.motif,
    cost: '',
    excerpt: festival.text.split('. ')[0]?.concat('.') ?? '',
    description: paragraphs([festival.text, 'Most of it is free. What costs something says so.']),
    featured: true,
    ticketed: 0,
  }
}

function sessions(festival: Festival, first: string, chance: Chance): DemoEvent[] {
  return festival.sessions.map((text) => {
    const [, day = '', start = '', minutes = '', place = '', cost = '', title = ''] =
      /^(\d+) (\S+) (\d+) ([^|]+)\|([^|]*)\|(.+)$/.exec(text) ?? []
    return {
      ...span(dayFrom(first, Number(day) - 1), start, Number(minutes)),
      title,
      allDay: false,
      category: festival.category,
      tags: festival.tags,
      place,
      organizers: ['City of Port Lorcan'],
      motif: chance.is(0.3) ? 'festival' : festival.motif,
      cost,
      excerpt: '',
      description: paragraphs([`Part of ${festival.title}, at ${place}.`, ...chance.some(FESTIVAL_NOTES, 2)]),
      featured: false,
      ticketed: 0.6,
    }
  })
}

/** Every occurrence of every series in the window; the first is the parent of the others. */
export function seriesGroups(today: string): DemoEvent[][] {
  return SERIES.map((series) => occurrences(series, today)).filter((group) => group.length > 0)
}

function occurrences(series: Series, today: string): DemoEvent[] {
  const days = []
  const from = Temporal.PlainDate.from(dayFrom(today, WINDOW.first))
  let day = from.add({ days: (series.day - from.dayOfWeek + 7) % 7 })
  for (; day.toString() <= dayFrom(today, WINDOW.last); day = day.add({ weeks: series.every })) {
    if (inSeason(series.months, day.month)) days.push(day.toString())
  }
  return days.map((date) => ({
    ...(series.allDay ? wholeDays(date, 1) : span(date, series.start, series.minutes)),
    title: series.title,
    allDay: series.allDay === true,
    category: series.category,
    tags: series.tags,
    place: series.place,
    organizers: [organizerOf(series.by, series.title)],
    motif: series.motif,
    cost: series.cost,
    excerpt: '',
    description: paragraphs([series.text]),
    featured: false,
    ticketed: 0,
  }))
}

/** A season may reach over the turn of the year. */
function inSeason(months: Series['months'], month: number): boolean {
  if (months === undefined) return true
  const [first, last] = months
  return first <= last ? month >= first && month <= last : month >= first || month <= last
}

/** How many exhibitions a year has. */
const EXHIBITIONS = 34

/** Exhibitions, which last for weeks. */
export function exhibitionGroups(today: string, chance: Chance): DemoEvent[][] {
  const galleries = PLACES.filter(({ kind }) => kind === 'gallery' || kind === 'museum')
  return Array.from({ length: EXHIBITIONS }, (_, index) => {
    const part = chance.fork(String(index))
    const first = dayFrom(today, WINDOW.first + Math.round((index / EXHIBITIONS) * 300) + part.int(0, 8))
    const [show = '', person, medium] = ['{show}', '{person}', '{medium}'].map((slot) => write(slot, part, WORDS))
    const lower = String(medium).toLowerCase()
    return [
      {
        ...wholeDays(first, 7 * part.int(3, 8)),
        title: part.pick([
          `${show}: ${lower} by ${person}`,
          `${person}: ${show}`,
          `${show}. ${medium} from the collection`,
        ]),
        allDay: true,
        category: 'Exhibitions',
        tags: ['art', 'exhibition'],
        place: part.pick(galleries).name,
        organizers: [part.pick(ORGANIZERS.art)],
        motif: 'art',
        cost: part.pick(['Free', 'Free', '€5', '€7', '€4 – €9']),
        excerpt: '',
        description: paragraphs([
          part.pick([
            `New and older ${lower} by ${person}, who lives between Port Lorcan and the sea.`,
            `Forty works from three decades, many of them lent by people who had them over the kitchen table.`,
            `${person} spent a year in the city, looking. This is what was seen.`,
          ]),
          'Open Tuesday to Sunday, ten to six; Thursdays until nine. Guided tours on Sundays at three.',
        ]),
        featured: index % 11 === 3,
        ticketed: 0,
      } satisfies DemoEvent,
    ]
  })
}
