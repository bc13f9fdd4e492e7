import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, phpDates } from '../../scripts/php-dates.ts'
import { instantIn, isBeyondYears, readDate } from '../../src/calendar/date-text.ts'
import { formatOffset, offsetMinutes, toWallClock, type WallClock, type Zone } from '../../src/calendar/zone.ts'
import fc, { CHARACTER } from '../support/property.ts'

const { tables, exceptions } = phpDates()

function read(text: string, now: WallClock, zone: Zone): Answer {
  const date = readDate(text, () => now)
  if (date === null) return null
  const instant = instantIn(date, zone)
  // As PHP writes it: of an offset with seconds, those are left out.
  return `${toWallClock(instant, zone).replace(' ', 'T')}${formatOffset(offsetMinutes(instant, zone), ':')}`
}

describe('dates as PHP reads them', () => {
  it('are at least 400', () => assert.ok(new Set(tables.flatMap(({ dates }) => Object.keys(dates))).size >= 400))

  for (const { about, now, zone, dates } of tables)
    describe(`${about}, ${now} in ${zone}`, () => {
      for (const [text, expected] of Object.entries(dates))
        it(`${expected === null ? 'refuses' : 'reads'} ${JSON.stringify(text)}`, () =>
          assert.equal(read(text, now, zone), expected))
    })

  for (const { reason, now, zone, dates } of exceptions)
    describe(`except: ${reason}`, () => {
      for (const [text, { php, kalends }] of Object.entries(dates))
        it(`${kalends === null ? 'refuses' : 'reads'} ${JSON.stringify(text)}`, () => {
          assert.equal(read(text, now, zone), kalends)
          assert.notEqual(kalends, php, 'is no exception')
        })
    })
})

describe('the same date', () => {
  const pad = (value: number, width = 2) => String(value).padStart(width, '0')
  const moment = fc.record({
    year: fc.integer({ min: 1000, max: 9999 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
    second: fc.integer({ min: 0, max: 59 }),
  })

  it('is read from padded and unpadded spellings', () =>
    fc.assert(
      fc.property(moment, ({ year, month, day, hour, minute, second }) => {
        const wall = `${year}-${pad(month)}-${pad(day)} ${pad(hour)}:${pad(minute)}:${pad(second)}`
        const half = `${hour % 12 || 12}:${pad(minute)}:${pad(second)} ${hour < 12 ? 'am' : 'pm'}`
        const name = new Date(Date.UTC(2000, month - 1)).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
        const dates = [
          `${year}-${month}-${day}`,
          `${year}-${pad(month)}-${pad(day)}`,
          `${year}/${month}/${day}`,
          `${month}/${day}/${year}`,
          `${pad(month)}/${pad(day)}/${year}`,
          `${day}.${month}.${year}`,
          `${pad(day)}.${pad(month)}.${year}`,
          `${day}-${month}-${year}`,
          `${pad(day)}-${pad(month)}-${year}`,
          `${day} ${name} ${year}`,
          `${pad(day)} ${name.slice(0, 3)} ${year}`,
          `${name} ${day}, ${year}`,
          `${name.toUpperCase()} ${pad(day)} ${year}`,
        ]
        const times = [`${hour}:${minute}:${second}`, wall.slice(11), half]
        for (const date of dates)
          for (const time of times)
            assert.deepEqual(
              readDate(`${date} ${time}`, () => ''),
              { wall },
              `${date} ${time}`,
            )
      }),
    ))
})

describe('a hostile date', () => {
  const NOW = '2026-11-11 14:30:00'
  const words = [
    'first monday of ',
    '+1 week ',
    'monday ',
    '1 ',
    '+',
    '-',
    '1.',
    '1-',
    '(',
    'may ',
    '9',
    'T',
    '@',
    ' of',
    '\u0130',
  ]
  const texts = [
    ...words.flatMap((word) => [word.repeat(6), word.repeat(100).slice(0, 100), word.repeat(5000)]),
    '+99999999999 weekdays',
    '-99999999999 weekdays',
    `+${'9'.repeat(90)} weeks`,
    `-${'9'.repeat(90)} months`,
    `+${'9'.repeat(90)} years ago`,
    `@${'9'.repeat(90)}`,
    `${'9'.repeat(90)} seconds`,
    `${'9'.repeat(19)}-01-01`,
    `+${'9'.repeat(40)} days -${'9'.repeat(40)} days`,
    `2026-11-05 09:03:07.${'9'.repeat(70)}`,
    `last day of ${'9'.repeat(30)} months`,
    '9999-12-31 23:59:59 +1 second',
    '0001-01-01 -1 second',
    '9999-12-31T23:59:59-01:00',
  ]

  it('is read or refused, in no time', () => {
    const start = performance.now()
    for (const text of texts) {
      const date = readDate(text, () => NOW)
      if (date !== null) assert.ok(Number.isSafeInteger(instantIn(date, 'UTC')), text)
    }
    assert.ok(performance.now() - start < 50 * texts.length)
  })

  it('of any characters and words never throws', () => {
    const word = fc.constantFrom(
      'monday',
      'first',
      'last',
      'day',
      'of',
      'ago',
      '+',
      '-',
      '7',
      '2026',
      ':',
      '.',
      'T',
      'nov',
      'week',
      'pm',
      'UTC',
    )
    const text = fc.oneof(
      fc.string({ unit: CHARACTER, maxLength: 120 }),
      fc.array(word, { maxLength: 20 }).map((all) => all.join(' ')),
    )
    fc.assert(fc.property(text, (written) => void readDate(written, () => NOW)))
  })

  for (const text of ['+99999999999 weekdays', '-3000 years', '10000-01-01', '@99999999999999', '9999-12-31 +1 day'])
    it(`says that ${text} leaves the years`, () => assert.ok(isBeyondYears(text, () => NOW)))
})
