import { CITY } from './content.ts'

/** The days that the demonstration covers, counted from today. */
export const WINDOW = { first: -61, last: 304 } as const

/** A planned event. It refers to others by name, since nothing has an id yet. */
export interface DemoEvent {
  readonly title: string
  /** `YYYY-MM-DD HH:MM`, in the time zone of the city. */
  readonly start: string
  readonly end: string
  readonly allDay: boolean
  readonly category: string
  readonly tags: readonly string[]
  readonly venue: string
  readonly organizers: readonly string[]
  readonly motif: string
  readonly cost: string
  readonly excerpt: string
  readonly description: string
  readonly featured: boolean
  /** Probability of tickets, if the event has a price. */
  readonly ticketed: number
  /** Rule of the series that it belongs to, without an end. */
  readonly rule?: string
  readonly password?: string
  readonly status?: string
}

/** What most planned events have in common. */
export const DEFAULTS = { allDay: false, cost: '', excerpt: '', featured: false, ticketed: 0 } as const
/** The organizer of festivals. */
export const CITY_COUNCIL = `City of ${CITY.name}`

/** The day so many days after another, both `YYYY-MM-DD`. */
export function dayFrom(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

/** Start and end of what begins on a day at a time and takes so many minutes. */
export function span(day: string, start: string, minutes: number): Pick<DemoEvent, 'start' | 'end'> {
  const from = Temporal.PlainDateTime.from(`${day}T${start}`)
  const write = (time: Temporal.PlainDateTime) => time.toString().slice(0, 16).replace('T', ' ')
  return { start: write(from), end: write(from.add({ minutes })) }
}

/** Start and end of whole days. */
export function wholeDays(day: string, days: number): Pick<DemoEvent, 'start' | 'end'> {
  return { start: `${day} 00:00`, end: `${dayFrom(day, days - 1)} 23:59` }
}

/** Paragraphs as HTML. The texts are ours and contain no markup. */
export function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p>${text}</p>`).join('\n')
}
