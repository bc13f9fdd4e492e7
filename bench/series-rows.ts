import type { Insertable } from 'kysely'
import { toWallClock } from '../src/calendar/zone.ts'
import { touched } from '../src/domain/series-members.ts'
import { patternColumns } from '../src/domain/series-pattern.ts'
import { columnsOf, type Template, timesAt } from '../src/domain/series-template.ts'
import { byLinkedKind } from '../src/schema/linked.ts'
import type { EventRow } from '../src/storage/events.ts'
import type { Tables } from '../src/storage/tables.ts'
import { CATEGORIES, eventRow, FIRST_EVENT, type Links, linksOf, ZONE } from './rows.ts'

/** Occurrences of each series, one a week. */
const WEEKS = 52
/** Two series take turns with ids, one past and one to come, as single events do. */
const BLOCK = 2 * WEEKS

/** Hours at which series begin: clocks skip none of them. */
const [EARLIEST, HOURS] = [8, 14]

/** An occurrence of a series, its links, and the series if it is the first. */
export interface Occurrence {
  readonly event: Insertable<Tables['events']>
  readonly links: Links
  readonly series: Insertable<Tables['series']> | null
}

/** How many of so many events are in series: half, in whole series. */
export function inSeries(events: number): number {
  return Math.floor(events / BLOCK / 2) * BLOCK
}

/** Whether an event is an occurrence. */
export function isOccurrence(id: number, events: number): boolean {
  const block = Math.floor((id - FIRST_EVENT) / BLOCK)
  return block % 2 === 1 && (block + 1) * BLOCK <= events
}

/** Makes occurrences, called with their ids in ascending order; rows are those that the service would write. */
export function seriesMaker(
  now: number,
  rareOf: (series: number) => string,
  random: (below: number) => number,
): (id: number) => Occurrence {
  const open = new Map<number, { readonly first: EventRow; readonly links: Links }>()
  let made = 0
  return (id) => {
    const place = Math.floor(((id - FIRST_EVENT) % BLOCK) / 2)
    if (place === 0) {
      const event = eventRow(id, now, timesFor(id, now, random), rareOf(made++), random)
      const first = { ...event, series: id, original_start: event.start_local, own_fields: null } as EventRow
      const links = linksOf(random)
      open.set(id % 2, { first, links })
      return { event: first, links, series: seriesRow(first, links) }
    }
    const { first, links } = open.get(id % 2) as { first: EventRow; links: Links }
    const start = `${new Date(Date.parse(`${first.start_local.slice(0, 10)}Z`) + place * 7 * 86_400_000).toISOString().slice(0, 10)}${first.start_local.slice(10)}`
    const slug = `${first.slug}-${start.slice(0, 10)}`
    const event = { ...first, ...timesAt(first, start, false), id, slug, parent: first.id, original_start: start }
    return { event, links, series: null }
  }
}

/** The first of the two years before, or ahead, or the second one, on a random day. */
function timesFor(id: number, now: number, random: (below: number) => number) {
  const week = WEEKS * random(2) - (id % 2 === 0 ? 2 * WEEKS : 0)
  const day = toWallClock(now + (7 * week + random(7) + (id % 2)) * 86_400, ZONE).slice(0, 10)
  const hour = EARLIEST + random(HOURS)
  const wall = (at: number) => `${day} ${String(at).padStart(2, '0')}:00:00`
  const times = timesAt({ timezone: ZONE, start_local: wall(hour), end_local: wall(hour + 2) }, wall(hour), false)
  if (times === null) throw new Error(`${day} is out of the years that are kept`)
  return times
}

function seriesRow(first: EventRow, { venue, organizer, terms }: Links): Insertable<Tables['series']> {
  const template: Template = {
    columns: columnsOf(first),
    linked: { ...byLinkedKind(() => []), venue: [venue], organizer: [organizer] },
    terms: {
      category: terms.filter((term) => term <= CATEGORIES),
      tag: terms.filter((term) => term > CATEGORIES),
    },
    tickets: [],
  }
  return {
    id: first.id,
    author: first.author,
    slug: first.slug,
    timezone: first.timezone,
    start_local: first.start_local,
    end_local: first.end_local,
    ...patternColumns({ rule: `FREQ=WEEKLY;COUNT=${WEEKS}`, dates: [], except: [] }),
    template: JSON.stringify(template),
    occurrences: WEEKS,
    made_until: null,
    trashed: 0,
    ...touched({ clock: () => first.modified_utc }, { sequence: 0 }),
  }
}
