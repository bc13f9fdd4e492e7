import { clockName } from '../../calendar/clock.ts'
import { type Component, first } from '../../calendar/components.ts'
import { type Doubt, tzidOf, type Zones } from '../../calendar/entry-times.ts'
import { readIcalTime } from '../../calendar/ical-values.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { EntryClocks } from './zones.ts'

/** What an entry is read with. */
export interface EntryContext {
  readonly clocks: EntryClocks
  /** Zone of the site. */
  readonly site: Zone
  /** Name of the zone of the calendar (X-WR-TIMEZONE). */
  readonly calendar: string | null
  /** Takes what is told of the entry. */
  readonly doubts: Doubt[]
}

/** The zones of an entry. Times of a zone that nobody knows are taken as if they named none, which is told. */
export function entryZones({ clocks, site, calendar, doubts }: EntryContext): Zones {
  const floating = (calendar === null ? null : clocks.get(calendar)) ?? site
  const told = new Set<string>()
  const named = (tzid: string) => {
    const clock = clocks.get(tzid)
    if (clock !== undefined && clock !== null) return clock
    if (told.size === 0)
      doubts.push({ problem: 'entry_unknown_zone', fill: { zone: tzid.slice(0, 80), used: clockName(floating) } })
    told.add(tzid)
    return floating
  }
  return { named, floating, shown: floating, days: site }
}

/** Whether an entry is read or shown by the zone of its calendar: its times name none, or are in UTC. */
export function followsCalendar(component: Component): boolean {
  const start = first(component, 'DTSTART')
  const moment = start === undefined || tzidOf(start) !== null ? null : readIcalTime(start.value)
  if (moment === null || moment.isDate) return false
  return moment.isUtc || tzidOf(first(component, 'DTEND')) === null
}
