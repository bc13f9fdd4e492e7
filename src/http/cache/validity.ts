import { type Instant, toInstant, toWallClock } from '../../calendar/zone.ts'
import type { Scope } from '../../domain/scope.ts'
import type { Clock } from '../../lib/clock.ts'

/** The time at which an answer is made: it notices whether the answer looks at it, and so for how long it stays true. */
export class Moment {
  /** When time alone may change the answer. */
  until: Instant = Number.POSITIVE_INFINITY
  readonly clock: Clock

  constructor({ clock, site }: Pick<Scope, 'clock' | 'site'>) {
    this.clock = (precision) => {
      const now = clock()
      this.until = Math.min(this.until, precision === 'day' ? midnightAfter(now, site.timezone) : now + 1)
      return now
    }
  }
}

let known = { zone: '', from: 0, to: 0 }

/** The first instant of the next day. */
function midnightAfter(now: number, zone: string): number {
  if (zone !== known.zone || now < known.from || now >= known.to) {
    const tomorrow = Temporal.PlainDate.from(toWallClock(now, zone).slice(0, 10)).add({ days: 1 })
    known = { zone, from: now, to: toInstant(`${tomorrow} 00:00:00`, zone) }
  }
  return known.to
}
