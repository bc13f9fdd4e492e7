import type { Insertable } from 'kysely'
import type { Tables } from '../src/storage/tables.ts'
import { eventRow, FIRST_EVENT, hours, linksOf, REACH } from './rows.ts'
import { inSeries, isOccurrence, seriesMaker } from './series-rows.ts'
import { generator, rareWord, rareWords } from './words.ts'

/** Rows of events, and of what links them, for one insert into each table. */
export interface Batch {
  readonly events: Insertable<Tables['events']>[]
  readonly event_venues: Insertable<Tables['event_venues']>[]
  readonly event_organizers: Insertable<Tables['event_organizers']>[]
  readonly event_terms: Insertable<Tables['event_terms']>[]
  readonly series: Insertable<Tables['series']>[]
}

/** How many of the events have a text of their own. */
export function singlesOf(events: number, hasSeries: boolean): number {
  return hasSeries ? events - inSeries(events) : events
}

/**
 * Makes batches of events: every other one is past, the rest lie in the two years ahead; each has a venue, an organizer, a
 * category and two tags. With series, half of them are occurrences.
 */
export function* batches(events: number, size: number, now: number, hasSeries = false): Generator<Batch> {
  const random = generator(7)
  const times = hours(now)
  const rare = rareWords(singlesOf(events, hasSeries))
  const rareOf = (number: number) => rareWord(number % rare)
  const occurrence = seriesMaker(now, rareOf, random)
  let singles = FIRST_EVENT
  const single = (id: number) => {
    const hour = random(REACH) * (id % 2 === 0 ? -1 : 1)
    const event = eventRow(id, now, times(hour), rareOf(singles++), random)
    return { event, links: linksOf(random), series: null }
  }
  for (let from = 0; from < events; from += size) {
    const batch: Batch = { events: [], event_venues: [], event_organizers: [], event_terms: [], series: [] }
    for (let id = FIRST_EVENT + from; id < FIRST_EVENT + Math.min(events, from + size); id++) {
      const { event, links, series } = hasSeries && isOccurrence(id, events) ? occurrence(id) : single(id)
      batch.events.push(event)
      batch.event_venues.push({ event: id, linked: links.venue, position: 0 })
      batch.event_organizers.push({ event: id, linked: links.organizer, position: 0 })
      for (const term of links.terms) batch.event_terms.push({ event: id, term })
      if (series !== null) batch.series.push(series)
    }
    yield batch
  }
}
