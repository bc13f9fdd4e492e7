import * as content from './content.ts'
import { CITY_COUNCIL, DEFAULTS, type DemoEvent, dayFrom, paragraphs, span, WINDOW, wholeDays } from './demo-event.ts'
import type { Random } from './random.ts'
import { fillTemplate } from './template.ts'

/** An organizer of a theme, always the same for the same title. */
function organizerOf(theme: string, title: string): string {
  const { names } = content.named(content.ORGANIZERS, theme)
  return names[title.length % names.length] ?? ''
}

/** The events that are written by hand, each a group of its own. */
export function specialGroups(today: string): DemoEvent[][] {
  return content.SPECIAL_EVENTS.map(({ inDays, start, minutes, theme, text, ...event }) => [
    {
      ...DEFAULTS,
      ...event,
      ...span(dayFrom(today, inDays), start, minutes),
      organizers: [organizerOf(theme, event.title)],
      description: paragraphs(text.split('\n\n')),
      ticketed: 0.5,
    },
  ])
}

/** Festivals with their sessions, each in the year in which it is inside the window. */
export function festivalGroups(today: string, random: Random): DemoEvent[][] {
  return content.FESTIVALS.flatMap((festival) => {
    const first = firstDay(festival, today)
    return first === null ? [] : [[wholeFestival(festival, first), ...sessions(festival, first, random)]]
  })
}

function firstDay({ month, day, days }: content.Festival, today: string): string | null {
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

function wholeFestival(
  { title, category, tags, venue, motif, text, days }: content.Festival,
  first: string,
): DemoEvent {
  return {
    ...DEFAULTS,
    ...wholeDays(first, days),
    ...{ title, category, tags, venue, motif },
    allDay: true,
    organizers: [CITY_COUNCIL],
    excerpt: text.split('. ')[0]?.concat('.') ?? '',
    description: paragraphs([text, 'Most of it is free. What costs something says so.']),
    featured: true,
  }
}

function sessions(festival: content.Festival, first: string, random: Random): DemoEvent[] {
  const { category, tags } = festival
  return festival.sessions.map(({ day, start, minutes, title, venue, cost }) => ({
    ...DEFAULTS,
    ...span(dayFrom(first, day - 1), start, minutes),
    ...{ title, category, tags, venue, cost },
    organizers: [CITY_COUNCIL],
    motif: random.is(0.3) ? 'festival' : festival.motif,
    description: paragraphs([`Part of ${festival.title}, at ${venue}.`, ...random.sample(content.FESTIVAL_NOTES, 2)]),
    ticketed: 0.6,
  }))
}

/** Every occurrence of every series in the window. */
export function seriesGroups(today: string): DemoEvent[][] {
  return content.SERIES.map((series) => occurrences(series, today)).filter((group) => group.length > 0)
}

function occurrences(series: content.Series, today: string): DemoEvent[] {
  const { title, category, tags, venue, motif, cost, start, minutes, allDay = false } = series
  const days = []
  const from = Temporal.PlainDate.from(dayFrom(today, WINDOW.first))
  let day = from.add({ days: (series.weekday - from.dayOfWeek + 7) % 7 })
  for (; day.toString() <= dayFrom(today, WINDOW.last); day = day.add({ weeks: series.everyWeeks })) {
    if (isInSeason(series.season, day.month)) days.push(day.toString())
  }
  return days.map((date) => ({
    ...DEFAULTS,
    ...(allDay ? wholeDays(date, 1) : span(date, start, minutes)),
    ...{ title, category, tags, venue, motif, cost, allDay },
    organizers: [organizerOf(series.theme, title)],
    description: paragraphs([series.text]),
    rule: ruleOf(series),
  }))
}

function ruleOf({ everyWeeks, season }: content.Series): string {
  const months = Array.from({ length: 12 }, (_, at) => at + 1).filter((month) => isInSeason(season, month))
  const interval = everyWeeks === 1 ? '' : `;INTERVAL=${everyWeeks}`
  return `FREQ=WEEKLY${interval}${months.length === 12 ? '' : `;BYMONTH=${months}`}`
}

function isInSeason(season: content.Series['season'], month: number): boolean {
  if (season === undefined) return true
  const { from, to } = season
  return from <= to ? month >= from && month <= to : month >= from || month <= to
}

/** Exhibitions, which last for weeks. */
export function exhibitionGroups(today: string, random: Random): DemoEvent[][] {
  const { count, titles, costs, openings, hours } = content.EXHIBITIONS
  const galleries = content.VENUES.filter(({ kind }) => kind === 'gallery' || kind === 'museum')
  return Array.from({ length: count }, (_, index) => {
    const part = random.fork(String(index))
    const first = dayFrom(today, WINDOW.first + Math.round((index / count) * 300) + part.int(0, 8))
    const [show = '', person = '', Medium = ''] = ['{show}', '{person}', '{medium}'].map((word) =>
      fillTemplate(word, part),
    )
    const words = { show, person, Medium, medium: Medium.toLowerCase() }
    return [
      {
        ...DEFAULTS,
        ...wholeDays(first, 7 * part.int(3, 8)),
        title: fillTemplate(part.pick(titles), part, words),
        allDay: true,
        category: 'Exhibitions',
        tags: ['art', 'exhibition'],
        venue: part.pick(galleries).name,
        organizers: [part.pick(content.named(content.ORGANIZERS, 'art').names)],
        motif: 'art',
        cost: part.pick(costs),
        description: paragraphs([fillTemplate(part.pick(openings), part, words), hours]),
        featured: index % 11 === 3,
      },
    ]
  })
}
