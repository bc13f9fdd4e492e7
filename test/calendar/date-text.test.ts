import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDate } from '../../src/calendar/date-text.ts'
import { toInstant } from '../../src/calendar/zone.ts'

const TODAY = '2026-11-15 14:30:00'
const utc = (wall: string) => ({ instant: toInstant(wall, 'UTC') })
const wall = (text: string) => ({ wall: text })

describe('a written date', () => {
  const read: [string, ReturnType<typeof wall> | ReturnType<typeof utc>][] = [
    ['2031-06-10', wall('2031-06-10 00:00:00')],
    ['2031-06-10 19:00', wall('2031-06-10 19:00:00')],
    ['2031-06-10T19:00:01', wall('2031-06-10 19:00:01')],
    ['2031-06-10T19:00:00.000Z', utc('2031-06-10 19:00:00')],
    ['2031-06-10T19:00:00+09:00', utc('2031-06-10 10:00:00')],
    ['2031-06-10 19:00:00 -0330', utc('2031-06-10 22:30:00')],
    ['2031-06-10 19:00+02', utc('2031-06-10 17:00:00')],
    ['2031-06-10 7pm', wall('2031-06-10 19:00:00')],
    ['2031/6/1 12:00 am', wall('2031-06-01 00:00:00')],
    ['20310610', wall('2031-06-10 00:00:00')],
    ['20310610T190000Z', utc('2031-06-10 19:00:00')],
    ['1938884400', utc('2031-06-10 19:00:00')],
    ['6/10/2031 7:00 PM', wall('2031-06-10 19:00:00')],
    ['6/10/2031 12 am', wall('2031-06-10 00:00:00')],
    ['6/10/2031', wall('2031-06-10 00:00:00')],
    ['June 10 2031 7pm', wall('2031-06-10 19:00:00')],
    ['10 June 2031 22:00', wall('2031-06-10 22:00:00')],
    ['June 10th, 2031 at 7:30 p.m.', wall('2031-06-10 19:30:00')],
    ['Tue, 10 Jun 2031 19:00:00 +0200', utc('2031-06-10 17:00:00')],
    ['Tue, 10 Jun 2031 19:00:00 GMT', utc('2031-06-10 19:00:00')],
    ['June 10 7pm', wall('2026-06-10 19:00:00')],
    ['tomorrow', wall('2026-11-16 00:00:00')],
    ['7pm tomorrow', wall('2026-11-16 19:00:00')],
    ['noon tomorrow', wall('2026-11-16 12:00:00')],
    ['tomorrow noon', wall('2026-11-16 12:00:00')],
    ['next friday 20:15', wall('2026-11-20 20:15:00')],
    ['+1 week', wall('2026-11-22 14:30:00')],
    ['now', wall('2026-11-15 14:30:00')],
    ['29 February 2032', wall('2032-02-29 00:00:00')],
    ['0001-01-01', wall('0001-01-01 00:00:00')],
    ['9999-12-31T23:59:59Z', utc('9999-12-31 23:59:59')],
  ]
  for (const [text, expected] of read)
    it(`reads ${text}`, () =>
      assert.deepEqual(
        readDate(text, () => TODAY),
        expected,
      ))

  const refused = [
    '',
    ' ',
    'x',
    'a',
    'z',
    'not a date',
    'never',
    'someday',
    'nope',
    'garbage',
    '24',
    '2031',
    '1234567',
    '2031-02-29',
    '31 February 2031',
    'Feb 30',
    'June 31 2031',
    '2031-13-01',
    '2031-00-10',
    '2031-06-10 24:00',
    '2031-06-10 19:60',
    '2031-06-10 19',
    '13/1/2031',
    '2/30/2031',
    '0/1/2031 7pm',
    '6/10/2031 13:00 PM',
    'June 10 2031 25:00',
    '0000-01-01',
    '10000-01-01',
    '999999999999999',
    '2031-06-10T19:00:00+25:00',
    '2031-06-10T19:00:00+02:75',
    '２０３１-06-10',
    'x'.repeat(200),
    'tomorrow tomorrow pm am',
    'first',
    "'; drop table events",
  ]
  for (const text of refused)
    it(`refuses ${JSON.stringify(text.slice(0, 40))}`, () =>
      assert.equal(
        readDate(text, () => TODAY),
        null,
      ))
})
