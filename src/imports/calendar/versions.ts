import { type Component, first } from '../../calendar/components.ts'
import { readIcalTime } from '../../calendar/ical-values.ts'
import type { WallClock } from '../../calendar/zone.ts'

/** What tells the versions of an entry apart. */
export interface Version {
  readonly sequence: number
  readonly modified: WallClock
  readonly stamped: WallClock
  /** Line of the entry. */
  readonly line: number
}

export function versionOf(component: Component): Version {
  const time = (name: string) => readIcalTime(first(component, name)?.value.slice(0, 40) ?? '')?.wall ?? ''
  const sequence = /^\s*\+?(\d{1,15})\s*$/.exec(first(component, 'SEQUENCE')?.value.slice(0, 40) ?? '')?.[1]
  return {
    sequence: Number(sequence ?? 0),
    modified: time('LAST-MODIFIED'),
    stamped: time('DTSTAMP'),
    line: component.line,
  }
}

/** Whether a version replaces another: by its SEQUENCE, then by the later time of change. Of equal ones, the first stays. */
export function isNewer(one: Version, other: Version): boolean {
  if (one.sequence !== other.sequence) return one.sequence > other.sequence
  const isDated = one.modified !== '' && other.modified !== '' && one.modified !== other.modified
  return isDated ? one.modified > other.modified : one.stamped > other.stamped
}
