import { runSynchronously } from '../lib/time-slices.ts'
import { fixedZone, type OffsetChange } from './clock.ts'
import { type Component, first } from './components.ts'
import { changesDescribed, readObservances, type Years, yearStart } from './observances.ts'
import { MAX_STEPS } from './recurrence.ts'
import { WINDOWS_ZONES } from './windows-zones.ts'
import { findZone, type Instant, stretchAt, toWallClock, type Zone } from './zone.ts'
import { zoneNamed } from './zone-names.ts'

export { zoneNamed } from './zone-names.ts'

/** The zone that a VTIMEZONE describes for the years around now; `preferred` is looked at first. */
export function zoneDescribed(description: Component, preferred: Zone, now: Instant): Zone | null {
  const year = Number(toWallClock(now, 'UTC').slice(0, 4))
  const years = { first: year - 1, last: year + 1 }
  const observances = runSynchronously(readObservances(description)) ?? []
  const changes = runSynchronously(changesDescribed(observances, years, { left: MAX_STEPS }))
  if (changes === null) return zonesMeant(description)[0] ?? null
  return runSynchronously(zoneLike(changes, years, [...zonesMeant(description), preferred]))
}

/** The zones that a VTIMEZONE says it is, by its own name or another. */
export function zonesMeant(description: Component): Zone[] {
  return ['TZID', 'X-LIC-LOCATION', 'TZID-ALIAS-OF', 'X-WR-TIMEZONE'].flatMap((name) => {
    const line = first(description, name)
    return (line === undefined ? null : zoneNamed(line.value)) ?? []
  })
}

/**
 * A zone whose offsets are those of a description at every instant of some years: a preferred one, the offset itself if
 * it does not change, or one that many people live in. Null if there is none. Yields between short steps.
 */
export function* zoneLike(
  changes: readonly OffsetChange[],
  years: Years,
  preferred: readonly Zone[],
): Generator<void, Zone | null> {
  const stretches = stretchesOf(changes, yearStart(years.first), yearStart(years.last + 1))
  const [{ offset } = { offset: 0 }] = stretches
  const fixed = stretches.length === 1 ? fixedZone(offset) : null
  for (const candidate of [...preferred, ...(fixed === null ? [] : [fixed]), ...COMMON]) {
    const zone = findZone(candidate)
    if (zone !== null && stretches.every((stretch) => hasOffset(zone, stretch))) return zone
    yield
  }
  return null
}

interface Stretch {
  readonly from: Instant
  readonly to: Instant
  readonly offset: number
}

/** The times between changes, from one instant to another. */
function stretchesOf(changes: readonly OffsetChange[], begin: Instant, end: Instant): Stretch[] {
  const inside = changes.filter(({ at }) => at > begin && at < end)
  const offset = changes.findLast(({ at }) => at <= begin)?.to ?? changes[0]?.from ?? 0
  const onsets = [{ at: begin, to: offset }, ...inside]
  return onsets.map(({ at, to }, place) => ({ from: at, to: onsets[place + 1]?.at ?? end, offset: to }))
}

function hasOffset(zone: Zone, { from, to, offset }: Stretch): boolean {
  for (let at = from; at < to; ) {
    const stretch = stretchAt(at, zone)
    if (stretch.offset !== offset) return false
    at = stretch.to
  }
  return true
}

/** Zones that many people live in come before those of the same offsets that few do. */
const COMMON = new Set([
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'Europe/Moscow',
  'Europe/Istanbul',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/Mexico_City',
  'America/Sao_Paulo',
  'Australia/Sydney',
  ...Object.values(WINDOWS_ZONES),
  ...Intl.supportedValuesOf('timeZone'),
])
