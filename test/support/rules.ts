import fc from './property.ts'

/** Random recurrence rules, as text. */

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const

export const weekday = fc.constantFrom(...WEEKDAYS)

/** A part with one to `most` values, or none. */
export function part(name: string, values: fc.Arbitrary<string | number>, most = 3): fc.Arbitrary<string> {
  const found = fc.uniqueArray(values, { minLength: 1, maxLength: most })
  return fc.option(
    found.map((list) => `;${name}=${list}`),
    { nil: '' },
  )
}

const between = (min: number, max: number) => fc.integer({ min, max })
/** Numbers that count from both ends. */
const ends = (most: number) => between(-most, most).filter((n) => n !== 0)
const nthDay = (most: number) => fc.tuple(ends(most), weekday).map(([nth, day]) => `${nth}${day}`)

const join = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))

const months = part('BYMONTH', between(1, 12))
const monthDays = part('BYMONTHDAY', ends(31))
const weekdays = part('BYDAY', weekday)
const clock = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: join(part('BYHOUR', between(0, 23), 2), part('BYMINUTE', between(0, 59), 2)) },
)

/** Every combination of parts that RFC 5545 §3.3.10 allows with a frequency, without its end. */
export const pattern: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      join(fc.constant('FREQ=DAILY'), months, monthDays, weekdays, clock),
      join(fc.constant('FREQ=WEEKLY'), months, weekdays, clock),
      join(fc.constant('FREQ=MONTHLY'), months, monthDays, fc.oneof(weekdays, part('BYDAY', nthDay(5))), clock),
      join(fc.constant('FREQ=YEARLY'), months, monthDays, fc.oneof(weekdays, part('BYDAY', nthDay(5))), clock),
      join(fc.constant('FREQ=YEARLY'), part('BYDAY', nthDay(53)), clock),
      join(fc.constant('FREQ=YEARLY'), part('BYYEARDAY', ends(366)), weekdays, clock),
      join(fc.constant('FREQ=YEARLY'), part('BYWEEKNO', ends(53)), weekdays, clock),
    ),
    fc.option(fc.uniqueArray(ends(4), { minLength: 1, maxLength: 2 }), { nil: [] }),
    fc.oneof(fc.constant(1), between(1, 4)),
    fc.constantFrom('', '', ';WKST=SU', ';WKST=WE'),
  )
  .map(([parts, places, interval, weeks]) => {
    // BYSETPOS needs another part to choose from.
    const chosen = places.length > 0 && parts.includes(';BY') ? `;BYSETPOS=${places}` : ''
    return `${parts}${chosen}${interval > 1 ? `;INTERVAL=${interval}` : ''}${weeks}`
  })

const sorted = (name: string, least: number, most: number) =>
  fc.option(
    fc.uniqueArray(between(least, most), { minLength: 1, maxLength: 3 }).map((list) => {
      return `;${name}=${list.sort((one, other) => one - other)}`
    }),
    { nil: '' },
  )
const someMonths = sorted('BYMONTH', 1, 12).filter((text) => text !== '')

/**
 * Combinations of parts that ical.js 2.2 expands as RFC 5545 §3.3.10 says. With others it gives other times: lists that
 * are not in order are not sorted; BYMONTH does not limit the first times of WEEKLY and MONTHLY; INTERVAL is lost beside
 * BYMONTHDAY with BYDAY; YEARLY;BYMONTHDAY without BYMONTH stays in the month of the start; numbered days of the year,
 * BYWEEKNO, and BYSETPOS of a start that is no time of the rule are wrong, or do not end; days and weekdays that a month lacks may be of the next.
 */
export const plainPattern: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      join(fc.constant('FREQ=DAILY'), months, weekdays),
      join(fc.constant('FREQ=DAILY'), sorted('BYHOUR', 0, 23), sorted('BYMINUTE', 0, 59)),
      join(fc.constant('FREQ=WEEKLY'), weekdays, sorted('BYHOUR', 0, 23)),
      join(fc.constant('FREQ=MONTHLY'), part('BYDAY', nthDay(4))),
      join(fc.constant('FREQ=MONTHLY'), part('BYMONTHDAY', ends(28))),
      join(fc.constant('FREQ=YEARLY'), someMonths, sorted('BYMONTHDAY', 1, 28)),
      join(fc.constant('FREQ=YEARLY'), someMonths, part('BYDAY', nthDay(5))),
      join(fc.constant('FREQ=YEARLY'), months, weekdays),
      join(fc.constant('FREQ=YEARLY'), part('BYYEARDAY', ends(366))),
    ),
    between(1, 4),
    fc.constantFrom('', ';WKST=SU'),
  )
  .map(([parts, interval, weeks]) => `${parts};INTERVAL=${interval}${weeks}`)

/** Any rule, with any end. */
export const anyRule: fc.Arbitrary<string> = fc
  .tuple(
    pattern,
    fc.oneof(
      fc.constant(''),
      between(1, 40).map((count) => `;COUNT=${count}`),
      between(10, 28).map((day) => `;UNTIL=203106${day}`),
    ),
  )
  .map((parts) => parts.join(''))
