import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { abbreviation } from '../../src/calendar/abbreviation.ts'
import { toWall } from '../../src/calendar/civil.ts'
import { findZone, skipGap, toInstant, toIso, toWallClock, transition } from '../../src/calendar/zone.ts'
import fc from '../support/property.ts'

describe('zones', () => {
  it('are found in any case, and manual offsets in two spellings', () => {
    const found = ['europe/paris', 'utc', 'UTC+5.5', 'UTC+5:30', 'utc-3', 'UTC+0', 'UTC-9.5'].map(findZone)
    assert.deepEqual(found, ['Europe/Paris', 'UTC', 'UTC+5.5', 'UTC+5.5', 'UTC-3', 'UTC', 'UTC-9.5'])
    for (const name of ['Mars/Olympus', '+05:30', 'UTC+15', 'UTC+5.333', '', 'UTC+', '../etc'])
      assert.equal(findZone(name), null, name)
  })

  it('move a time in a gap forward, and take the first of two in an overlap', () => {
    assert.equal(skipGap('2031-03-09 02:30:00', 'America/New_York'), '2031-03-09 03:30:00')
    assert.equal(
      toIso(toInstant('2031-11-02 01:30:00', 'America/New_York'), 'America/New_York'),
      '2031-11-02T01:30:00-04:00',
    )
  })

  it('convert as Temporal does, around every change of a clock', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    const when = fc.integer({ min: -5_000_000_000, max: 5_000_000_000 })
    const near = fc.integer({ min: -20_000, max: 20_000 })
    fc.assert(
      fc.property(when, near, fc.constantFrom(...zones), (instant, seconds, zone) => {
        const wall = toWall((transition(instant, zone, 'next') ?? instant) + seconds)
        const asked = Temporal.PlainDateTime.from(wall.replace(' ', 'T')).toZonedDateTime(zone)
        assert.equal(toInstant(wall, zone), Math.floor(asked.epochMilliseconds / 1000), `${wall} ${zone}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('convert there and back at any instant', () => {
    const zones = Intl.supportedValuesOf('timeZone')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253370764800 }), fc.constantFrom(...zones), (instant, zone) => {
        const wall = toWallClock(instant, zone)
        // The same wall clock: another instant only inside an overlap, and then an earlier one.
        const back = toInstant(wall, zone)
        assert.equal(toWallClock(back, zone), wall)
        assert.ok(back <= instant && instant - back <= 86_400)
      }),
    )
  })
})

describe('abbreviations', () => {
  const cases: [string, string, string][] = [
    ['2031-06-10 12:00:00', 'America/New_York', 'EDT'],
    ['2031-01-10 12:00:00', 'Europe/Paris', 'CET'],
    ['2031-01-10 12:00:00', 'Asia/Tokyo', 'JST'],
    ['2031-01-10 12:00:00', 'Asia/Kathmandu', '+0545'],
    ['2031-06-10 12:00:00', 'Asia/Calcutta', 'IST'],
    ['2031-06-10 12:00:00', 'Europe/Dublin', 'IST'],
    ['2031-06-10 12:00:00', 'UTC+3', 'UTC+3'],
    ['2031-06-10 12:00:00', 'UTC', 'UTC'],
    ['2431-07-10 12:00:00', 'Europe/Berlin', 'CEST'],
    ['2431-01-10 12:00:00', 'Pacific/Auckland', 'NZDT'],
  ]
  for (const [wall, zone, expected] of cases) {
    it(`call ${zone} ${expected} at ${wall}`, () => assert.equal(abbreviation(toInstant(wall, zone), zone), expected))
  }

  it('exist for every zone at every time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5_000_000_000, max: 253370764800 }),
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        (instant, zone) => {
          assert.match(abbreviation(instant, zone), /^([A-Za-z]{2,5}|[+-]\d{2,4})$/)
        },
      ),
    )
  })
})
