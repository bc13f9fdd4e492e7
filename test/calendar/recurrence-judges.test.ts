import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import ICAL from 'ical.js'
import { RRuleTemporal } from 'rrule-temporal'
import { fromWall, toWall } from '../../src/calendar/civil.ts'
import { expand } from '../../src/calendar/recurrence.ts'
import { readRule } from '../../src/calendar/recurrence-rule.ts'
import fc from '../support/property.ts'
import { pattern, plainPattern } from '../support/rules.ts'
import { IS_THOROUGH } from '../support/thorough.ts'

/**
 * Two other implementations judge ours. They run on a clock without a zone; `Temporal` says which times a zone's clock
 * skips, and the count begins with the start, as RFC 5545 §3.8.5.3 wants.
 */

/** Zones whose clocks change by an hour, two hours or half an hour, at night or at midnight, in spring or in Ramadan; or never. */
const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'America/Santiago',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'America/Havana',
  'Pacific/Apia',
  'Asia/Kolkata',
]

/** Times compared for one rule, and years in which they are looked for. */
const MOST = 20
const YEARS = 5

type Judge = (rule: string, start: string, horizon: string, most: number) => string[]

const compact = (wall: string) => wall.replace(/[-:]/g, '').replace(' ', 'T')
const asDate = (wall: string) => new Date(`${wall.replace(' ', 'T')}Z`)

/** Times of a rule after its start, by rrule-temporal. */
const byTemporal: Judge = (rule, start, horizon, most) => {
  const rruleString = `DTSTART:${compact(start)}Z\nRRULE:${rule}`
  return new RRuleTemporal({ rruleString, maxIterations: 5000 })
    .between(asDate(start), asDate(horizon), true)
    .slice(0, most + 1)
    .map((one) => toWall(Math.floor(one.epochMilliseconds / 1000)))
    .filter((at) => at > start)
    .slice(0, most)
}

/** Times of a rule after its start, by ical.js, which has no bound of its own: it is asked for no more than there are. */
const byIcal: Judge = (rule, start, horizon, most) => {
  const found: string[] = []
  if (most === 0) return found
  const [year, month, day, hour, minute, second] = start.split(/[- :]/).map(Number)
  const times = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromData({ year, month, day, hour, minute, second }))
  for (let next = times.next(); next; next = times.next()) {
    const at = next.toString().replace('T', ' ')
    if (at > horizon) break
    if (at > start) found.push(at)
    if (found.length >= most) break
  }
  return found
}

/**
 * Where rrule-temporal 2.2 differs from RFC 5545 §3.3.10.
 * - A BYDAY that limits BYYEARDAY is ignored (note 2 of the table), and so is BYMONTHDAY beside a numbered BYDAY by the year.
 * - A 53rd weekday of a year that has 52 is looked for in the next year.
 * - Of BYWEEKNO, days that lie in the neighbouring year are counted to another year for BYSETPOS, which the RFC leaves open.
 */
function temporalDiffers(rule: string): boolean {
  return (
    /BYYEARDAY.*BYDAY/.test(rule) ||
    /YEARLY;BYMONTHDAY=.*BYDAY=[^;]*\d/.test(rule) ||
    /53(MO|TU|WE|TH|FR|SA|SU)/.test(rule) ||
    /BYWEEKNO.*BYSETPOS/.test(rule)
  )
}

/** ical.js 2.2 takes 31 February for 3 March, where a day comes from the start; RFC 5545 §3.3.10 leaves it out. */
function icalDiffers(rule: string, start: string): boolean {
  return /^FREQ=YEARLY(;BYMONTH=[\d,]+)?;INTERVAL/.test(rule) && Number(start.slice(8, 10)) > 28
}

function ours(rule: string, start: string, horizon: string, zone: string, isDate: boolean): string[] {
  const rules = [readRule(rule, zone)]
  const recurrence = { start: fromWall(start), isDate, zone, rules, also: [], except: new Set<number>() }
  return expand(recurrence, fromWall(horizon)).starts.map(toWall)
}

function isShown(wall: string, zone: string): boolean {
  try {
    Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation: 'reject' })
    return true
  } catch {
    // A time that comes twice is rejected, too.
    const [early, late] = (['earlier', 'later'] as const).map((disambiguation) =>
      Temporal.PlainDateTime.from(wall).toZonedDateTime(zone, { disambiguation }).toPlainDateTime(),
    )
    return early !== undefined && late !== undefined && early.equals(late)
  }
}

/** The start of a series, often a few periods before the clock of its zone changes, at a time that it may skip. */
const place = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    day: fc.integer({ min: 0, max: 9000 }),
    back: fc.constantFrom(0, 1, 2, 7, 14, 28, 30, 31, 365, 366, null),
    time: fc.constantFrom('02:30:00', '00:00:00', '00:30:00', '02:00:00', '09:00:00', '23:59:59'),
  })
  .map(({ zone, day, back, time }) => {
    const any = Temporal.PlainDate.from('2011-01-01').add({ days: day })
    const change = any.toZonedDateTime(zone).getTimeZoneTransition('next')
    const start = back === null || change === null ? any : change.toPlainDate().subtract({ days: back })
    return { zone, start: `${start} ${time}` }
  })

function compare(judge: Judge, rule: string, { zone, start }: { zone: string; start: string }, count: number): void {
  const horizon = `${Number(start.slice(0, 4)) + YEARS}-06-30 00:00:00`
  const floating = ours(rule, start, horizon, 'UTC', true).slice(0, MOST + 1)
  const judged = [start, ...judge(rule, start, horizon, floating.length === MOST + 1 ? MOST : floating.length - 1)]
  assert.deepEqual(floating, judged, `${rule} from ${start}`)
  // The clock skips some of these, which do not count.
  const shown = judged.filter((at) => isShown(at, zone))
  const last = judged.at(-1) ?? start
  const isWhole = floating.length <= MOST
  const counted = ours(`${rule};COUNT=${count}`, start, isWhole ? horizon : last, zone, false)
  assert.deepEqual(counted, shown.slice(0, count), `${rule};COUNT=${count} from ${start} in ${zone}`)
  const until = shown.at(Math.floor(shown.length / 2))
  if (until === undefined) return
  const instant = Temporal.PlainDateTime.from(until).toZonedDateTime(zone).toInstant()
  const utc = instant.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '')
  assert.deepEqual(
    ours(`${rule};UNTIL=${utc}`, start, horizon, zone, false),
    shown.filter((at) => at <= until),
    `${rule};UNTIL=${utc} from ${start} in ${zone}`,
  )
}

const count = fc.integer({ min: 1, max: 15 })
const numRuns = IS_THOROUGH ? 10_000 : 150

describe('recurrence rules in zones with changing clocks', () => {
  it('give the times that rrule-temporal gives', () => {
    fc.assert(
      fc.property(pattern, place, count, (rule, at, times) => {
        if (!temporalDiffers(rule)) compare(byTemporal, rule, at, times)
      }),
      { numRuns },
    )
  })

  // ical.js gives other times than RFC 5545 §3.3.10 for other combinations of parts: see plainPattern.
  it('give the times that ical.js gives', () => {
    fc.assert(
      fc.property(plainPattern, place, count, (rule, at, times) => {
        if (!icalDiffers(rule, at.start)) compare(byIcal, rule, at, times)
      }),
      { numRuns },
    )
  })
})
