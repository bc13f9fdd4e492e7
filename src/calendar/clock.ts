import { toWall, type WallSeconds } from './civil.ts'
import { findZone, type Instant, offsetSeconds, skipGap, stretchAt, toInstant, type Zone } from './zone.ts'

/** Change of an offset, in seconds east of UTC. */
export interface OffsetChange {
  readonly at: Instant
  readonly from: number
  readonly to: number
}

/** Clock that a calendar file describes, and that no zone has. */
export interface FileClock {
  /** Name in the file. */
  readonly name: string
  /** In order, at least one. */
  readonly changes: readonly OffsetChange[]
  /** Zones to show its times in, where their offset is the same. */
  readonly like: readonly Zone[]
}

/** What times of a calendar file are by. */
export type Clock = Zone | FileClock

/** Whether two clocks are the same one. */
export function isSameClock(one: Clock, other: Clock): boolean {
  return clockName(one) === clockName(other)
}

/** Name of a clock. It does not depend on the time of the import. */
export function clockName(clock: Clock): string {
  return typeof clock === 'string' ? clock : clock.name
}

/** The instant at which a clock shows a time. In a gap the offset before it holds; of two instants, the first is meant. */
export function instantAt(wall: WallSeconds, clock: Clock): Instant {
  if (clock === 'UTC') return wall
  if (typeof clock === 'string') return toInstant(toWall(wall), clock)
  // A day on either side lies behind the change, whatever the offset is.
  const [before, after] = [offsetOf(clock, wall - 86_400), offsetOf(clock, wall + 86_400)]
  const isRight = (offset: number) => offsetOf(clock, wall - offset) === offset
  return wall - (!isRight(before) && isRight(after) ? after : before)
}

/** The time that a clock shows at an instant. */
export function wallAt(instant: Instant, clock: Clock): WallSeconds {
  return instant + (typeof clock === 'string' ? offsetSeconds(instant, clock) : offsetOf(clock, instant))
}

/** Whether a time comes before another. A clock that is put forward or back may show them in the other order. */
export function isBefore(one: WallSeconds, other: WallSeconds, clock: Clock): boolean {
  return instantAt(one, clock) < instantAt(other, clock)
}

/** Whether a clock never shows a time. */
export function isInGap(wall: WallSeconds, clock: Clock): boolean {
  if (typeof clock !== 'string') return wallAt(instantAt(wall, clock), clock) !== wall
  // No offset is as long as a day: where the clock does not change in the day before and after, it skips nothing.
  const { from, to } = stretchAt(wall, clock)
  if (wall - 86_400 >= from && wall + 86_400 < to) return false
  const text = toWall(wall)
  return skipGap(text, clock) !== text
}

/** The zone to show a time in: one whose clock shows the same and, failing that, the offset itself. */
export function zoneToShow(instant: Instant, clock: Clock): Zone {
  if (typeof clock === 'string') return clock
  const offset = offsetOf(clock, instant)
  const [fallback = 'UTC'] = clock.like
  return clock.like.find((zone) => offsetSeconds(instant, zone) === offset) ?? fixedZone(offset) ?? fallback
}

/** `UTC+5.5` for an offset in seconds; null if no such name is exact. */
export function fixedZone(offset: number): Zone | null {
  // Names have two decimals of an hour.
  return offset % 180 === 0 ? findZone(`UTC${offset < 0 ? '-' : '+'}${Math.abs(offset) / 3600}`) : null
}

function offsetOf({ changes }: FileClock, instant: Instant): number {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((changes[middle]?.at ?? 0) <= instant) low = middle + 1
    else high = middle
  }
  return changes[low - 1]?.to ?? changes[0]?.from ?? 0
}
