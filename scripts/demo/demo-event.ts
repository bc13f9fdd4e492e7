import type { Motif } from './posters.ts'

/** The days that a year of the demonstration covers, from today. */
export const WINDOW = { first: -61, last: 304 } as const

/** An event as it is planned: by names, before anything has an id. */
export interface DemoEvent {
  readonly title: string
  /** `YYYY-MM-DD HH:MM`, by the city's clock. */
  readonly start: string
  readonly end: string
  readonly allDay: boolean
  readonly category: string
  readonly tags: readonly string[]
  readonly place: string
  readonly organizers: readonly string[]
  readonly motif: Motif
  readonly cost: string
  readonly excerpt: string
  readonly description: string
  readonly featured: boolean
  /** The share of chance with which it gets tickets, if it costs something. */
  readonly ticketed: number
  readonly password?: string
  readonly status?: 'draft' | 'pending'
}

/** The day so many days from another, both `YYYY-MM-DD`. */
export function dayFrom(today: string, days: number): string {
  return Temporal.PlainDate.from(today).add({ days }).toString()
}

/** When something begins and ends that begins on a day at a time and takes so many minutes. */
export function span(day: string, start: string, minutes: number): Pick<DemoEvent, 'start' | 'end'> {
  const from = Temporal.PlainDateTime.from(`${day}T${start}`)
  const write = (time: Temporal.PlainDateTime) => time.toString().slice(0, 16).replace('T', ' ')
  return { start: write(from), end: write(from.add({ minutes })) }
}

/** Whole days, the last one included. */
export function wholeDays(day: string, days: number): Pick<DemoEvent, 'start' | 'end'> {
  return { start: `${day} 00:00`, end: `${dayFrom(day, days - 1)} 23:59` }
}

/** Paragraphs as HTML; the texts are ours and hold no markup. */
export function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p>${text}</p>`).join('\n')
}
