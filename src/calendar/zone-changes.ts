import { abbreviation } from './abbreviation.ts'
import { type Instant, offsetAt, toWallClock, transition, type WallClock, type Zone } from './zone.ts'

/** One change of a zone's offset. */
export interface Change {
  readonly at: Instant
  /** What the clock showed that was put forward or back. */
  readonly wall: WallClock
  /** In seconds. */
  readonly offsetFrom: number
  readonly offsetTo: number
  readonly name: string
  readonly daylight: boolean
}

/** A change without what is quickly found from it, and the one after it. */
interface Known extends Omit<Change, 'at' | 'wall'> {
  readonly next: Instant | null
}

/** How many changes of all zones are remembered: asking Temporal takes ten times as long. They take 140 bytes each. */
const MAX_KNOWN = 200_000
const known = new Map<Zone, Map<Instant, Known>>()
let count = 0

/** The most changes that are looked at; events may lie thousands of years apart. */
const MOST = 600

/** Changes between two pauses. */
const BETWEEN_PAUSES = 20

/**
 * The change that was in force at the first instant, and all up to the last; and when the next one after them is, if there
 * is one. Yields where whoever asks may pause.
 */
export function* changesOf(
  zone: Zone,
  first: Instant,
  last: Instant,
): Generator<void, { changes: Change[]; next: Instant | null }> {
  const changes: Change[] = []
  let at = transition(first + 1, zone, 'previous') ?? transition(first, zone, 'next')
  while (at !== null && (at <= last || changes.length === 0) && changes.length < MOST) {
    const { next, ...change } = changeAt(zone, at)
    changes.push({ ...change, at, wall: toWallClock(at + change.offsetFrom, 'UTC') })
    at = next
    if (changes.length % BETWEEN_PAUSES === 0) yield
  }
  return { changes, next: at }
}

function changeAt(zone: Zone, at: Instant): Known {
  let changes = known.get(zone)
  const found = changes?.get(at)
  if (found !== undefined) return found
  if (count >= MAX_KNOWN) {
    known.clear()
    changes = undefined
    count = 0
  }
  changes ??= new Map()
  const change = findChange(zone, at)
  changes.set(at, change)
  known.set(zone, changes)
  count++
  return change
}

/** A clock that is put forward and back again within about a year shows daylight time in between. */
const MAX_SUMMER = 400 * 86_400

function findChange(zone: Zone, at: Instant): Known {
  const offsetFrom = offsetAt(at - 1, zone)
  const offsetTo = offsetAt(at, zone)
  const next = transition(at, zone, 'next')
  const goesBack = next !== null && next - at < MAX_SUMMER && offsetAt(next, zone) < offsetTo
  return { next, offsetFrom, offsetTo, name: abbreviation(at, zone), daylight: offsetTo > offsetFrom && goesBack }
}
