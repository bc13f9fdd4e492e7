import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import ICAL from 'ical.js'
import { basic, describeZone, type ZoneDescription } from '../../src/calendar/vtimezone.ts'
import { type Instant, offsetSeconds, plainSpan, toWallClock, transition, type Zone } from '../../src/calendar/zone.ts'
import { threadTime } from '../support/cost.ts'
import { VARIED_ZONES } from '../support/zones.ts'

const at = (text: string): Instant => Date.parse(`${text}Z`) / 1000
const HOUR = 3600
const MINUTE = 60

/** Reads a description as another program does. */
function reader({ text }: ZoneDescription): (instant: Instant, zone: Zone) => number {
  const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(text.trim())))
  return (instant, name) => {
    const wall = toWallClock(instant, name).replace(' ', 'T')
    return zone.utcOffset(ICAL.Time.fromDateTimeString(wall))
  }
}

/** Whether the clock of a zone shows the time of this instant twice. */
function isShownTwice(instant: Instant, zone: Zone): boolean {
  const { from, until } = plainSpan(instant, zone)
  return instant < from || instant >= until
}

/** The instants around every change, where a mistake would show; not those whose clock shows a time twice, which no TZID can tell apart. */
function* instants(zone: Zone, from: Instant, to: Instant): Generator<Instant> {
  yield from
  for (let change = transition(from, zone, 'next'); change !== null && change < to; ) {
    for (const distance of [-1, -30 * MINUTE - 1, -HOUR - 1, -2 * HOUR - 1, 0, 30 * MINUTE, HOUR, 2 * HOUR]) {
      const instant = change + distance
      if (instant >= from && instant < to && !isShownTwice(instant, zone)) yield instant
    }
    const next = transition(change, zone, 'next')
    if (next === null || next - change > 20 * 86_400) yield change + 10 * 86_400
    change = next
  }
  yield to - 3 * HOUR
}

function check(zone: Zone, from: Instant, to: Instant, described = describeZone(zone, from, to)): number {
  const offset = reader(described)
  let checked = 0
  for (const instant of instants(zone, from, to)) {
    // The other program does not read the seconds of local mean times.
    if (offsetSeconds(instant, zone) % 60 !== 0 || offsetSeconds(instant - 60, zone) % 60 !== 0) continue
    assert.equal(offset(instant, zone), offsetSeconds(instant, zone), `${zone} at ${toWallClock(instant, zone)}`)
    checked++
  }
  return checked
}

describe('VTIMEZONE', () => {
  for (const zone of VARIED_ZONES) {
    it(`tells another program every change of ${zone}, from its local mean time on`, () => {
      assert.ok(check(zone, at('1840-01-01T00:00:00'), at('2045-01-01T00:00:00')) > 2)
    })

    it(`is as right for a single event in ${zone}`, () => {
      for (const day of ['1884-06-01', '1942-07-01', '1975-12-31', '2016-03-27', '2031-06-10']) {
        const start = at(`${day}T10:00:00`)
        check(zone, start, start + 5 * HOUR)
      }
    })
  }

  it('goes on beyond the last event where a rule does', () => {
    for (const zone of ['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Asia/Tokyo']) {
      const described = describeZone(zone, at('2026-01-05T00:00:00'), at('2026-02-01T00:00:00'))
      assert.equal(described.until, Number.POSITIVE_INFINITY, zone)
      check(zone, at('2026-01-05T00:00:00'), at('2090-01-01T00:00:00'), described)
    }
  })

  it('says how long it is true where no rule goes on', () => {
    const described = describeZone('Asia/Jerusalem', at('2026-01-05T00:00:00'), at('2026-02-01T00:00:00'))
    assert.ok(described.until > at('2036-01-01T00:00:00') && described.until < at('2040-01-01T00:00:00'))
    check('Asia/Jerusalem', described.from, described.until, described)
  })

  it('stays small and quick for events thousands of years apart', () => {
    const started = threadTime()
    for (const zone of VARIED_ZONES) {
      const { text } = describeZone(zone, at('0001-06-01T00:00:00'), at('9999-06-01T00:00:00'))
      assert.ok(text.length < 100_000, `${zone} takes ${text.length}`)
    }
    assert.ok(threadTime() - started < 2000)
    check('Europe/Paris', at('1700-01-01T00:00:00'), at('2150-01-01T00:00:00'))
    const far = describeZone('Europe/Paris', at('9000-01-01T00:00:00'), at('9999-06-01T00:00:00'))
    assert.equal(far.until, Number.POSITIVE_INFINITY)
  })

  it('describes an offset without a name', () => {
    const { text } = describeZone('UTC+5.75', at('2031-06-10T00:00:00'), at('2031-06-11T00:00:00'))
    assert.match(text, /TZID:UTC\+5\.75\r\n/)
    assert.match(text, /TZOFFSETTO:\+0545\r\n/)
    check('UTC+5.75', at('1900-06-10T00:00:00'), at('2031-06-11T00:00:00'))
  })

  it('has observances that begin a year before the first event, and before every event that can use it', () => {
    for (const zone of VARIED_ZONES) {
      for (const [first, last] of [
        ['1960-06-10', '2031-06-10'],
        ['1985-01-10', '1985-01-11'],
        ['2006-06-10', '2007-06-10'],
        ['2031-03-31', '2031-04-30'],
        ['2031-11-05', '2060-11-05'],
      ] as const) {
        const described = describeZone(zone, at(`${first}T10:00:00`), at(`${last}T12:00:00`))
        const calendar = new ICAL.Component(ICAL.parse(described.text.trim()))
        const starts = calendar.getAllSubcomponents().map((part) => String(part.getFirstPropertyValue('dtstart')))
        const yearBefore = new Date((at(`${first}T10:00:00`) - 365 * 86_400) * 1000).toISOString()
        assert.ok(
          starts.some((start) => start < yearBefore),
          `${zone} from ${first}: ${starts}`,
        )
        // By the clock: one that is put back shows its change a little later than the next times.
        const usable = new Date((described.from + 15 * HOUR) * 1000).toISOString()
        assert.ok(
          starts.every((start) => start < usable),
          `${zone} from ${first}: ${starts}`,
        )
        assert.ok(described.until > at(`${last}T12:00:00`), `${zone} until ${last}`)
      }
    }
  })

  it('has no rule with an end, which readers take for UTC, for local time, or for a fault', () => {
    for (const zone of VARIED_ZONES) {
      const { text } = describeZone(zone, at('1970-01-10T00:00:00'), at('2031-02-01T00:00:00'))
      assert.doesNotMatch(text, /UNTIL|COUNT/, zone)
    }
  })

  it('leaves out times that a clock shows twice, which no zone can tell apart', () => {
    const change = at('2031-10-26T01:00:00')
    const found = [-3601, -3600, -1, 0, 3599, 3600].map((distance) => isShownTwice(change + distance, 'Europe/Paris'))
    assert.deepEqual(found, [false, true, true, true, true, false])
    assert.equal(isShownTwice(at('2031-03-30T01:00:00'), 'Europe/Paris'), false)
  })

  it('writes rules where there are rules', () => {
    const { text } = describeZone('Europe/Paris', at('2030-06-10T00:00:00'), at('2032-06-11T00:00:00'))
    assert.equal(
      text,
      [
        'BEGIN:VTIMEZONE',
        'TZID:Europe/Paris',
        'BEGIN:DAYLIGHT',
        'DTSTART:20290325T020000',
        'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
        'TZOFFSETFROM:+0100',
        'TZOFFSETTO:+0200',
        'TZNAME:CEST',
        'END:DAYLIGHT',
        'BEGIN:STANDARD',
        'DTSTART:20291028T030000',
        'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
        'TZOFFSETFROM:+0200',
        'TZOFFSETTO:+0100',
        'TZNAME:CET',
        'END:STANDARD',
        'END:VTIMEZONE',
        '',
      ].join('\r\n'),
    )
    assert.equal(basic('2031-06-10 19:00:00'), '20310610T190000')
  })
})
