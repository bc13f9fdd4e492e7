import { type Instant, toInstant, toWallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import type { Clock } from '../../lib/clock.ts'

/** Records how a handler reads the clock, to know how long its answer is valid. */
export class ObservedClock {
  /** Expiry of the answer by the clock. */
  until: Instant = Number.POSITIVE_INFINITY
  readonly clock: Clock

  constructor({ clock, site }: Pick<Scope, 'clock' | 'site'>) {
    const observed: Clock = (precision) => {
      const now = clock()
      this.until = Math.min(this.until, precision === 'day' ? midnightAfter(now, site.timezone) : now + 1)
      return now
    }
    // Not written as one assignment: V8 allocates such functions among the old objects, and all that they refer to outlives the request.
    this.clock = observed
  }
}

let currentDay = { zone: '', from: 0, to: 0 }

/** First instant of the next day in a time zone. */
function midnightAfter(now: number, zone: string): number {
  if (zone !== currentDay.zone || now < currentDay.from || now >= currentDay.to) {
    const tomorrow = Temporal.PlainDate.from(toWallClock(now, zone).slice(0, 10)).add({ days: 1 })
    currentDay = { zone, from: now, to: toInstant(`${tomorrow} 00:00:00`, zone) }
  }
  return currentDay.to
}
