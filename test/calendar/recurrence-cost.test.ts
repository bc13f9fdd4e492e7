import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromWall } from '../../src/calendar/civil.ts'
import { expand, MAX_OCCURRENCES } from '../../src/calendar/recurrence.ts'
import { readRule } from '../../src/calendar/recurrence-rule.ts'
import { threadTime } from '../support/cost.ts'

const all = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => n + from)
    .filter((n) => n !== 0)
    .join()
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const everyNth = DAYS.flatMap((day) => [1, 2, 3, 4, 5, -1, -2, -3, -4, -5].map((nth) => `${nth}${day}`)).join()

/** Rules that give nothing, or too much, or name everything. */
const RULES = [
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYMONTH=4,6,9,11;BYMONTHDAY=31;BYDAY=MO',
  'FREQ=WEEKLY;BYMONTH=2;BYSETPOS=366;BYDAY=MO',
  'FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1',
  'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=7;BYDAY=MO',
  'FREQ=YEARLY;BYDAY=53MO;BYMONTH=2',
  'FREQ=YEARLY;INTERVAL=999999999',
  'FREQ=DAILY;INTERVAL=999999999;COUNT=999999999',
  'FREQ=DAILY;COUNT=999999999',
  'FREQ=YEARLY;COUNT=999999999;BYMONTH=2;BYMONTHDAY=30',
  `FREQ=YEARLY;BYYEARDAY=${all(-366, 366)};COUNT=999999999`,
  `FREQ=YEARLY;BYMONTH=${all(1, 12)};BYMONTHDAY=${all(-31, 31)};BYDAY=${everyNth};BYSETPOS=${all(-366, 366)}`,
  `FREQ=MONTHLY;BYMONTHDAY=${all(-31, 31)};BYDAY=${everyNth};BYHOUR=${all(0, 23)};BYMINUTE=${all(0, 59)};BYSECOND=${all(0, 59)}`,
  `FREQ=DAILY;BYHOUR=${all(0, 23)};BYMINUTE=${all(0, 59)};BYSECOND=${all(0, 59)};BYSETPOS=-1`,
  `FREQ=YEARLY;BYWEEKNO=${all(-53, 53)};BYDAY=${DAYS};BYHOUR=${all(0, 23)};BYSETPOS=1`,
]

const ZONE = 'America/New_York'

function expandOnce(rule: string, start: string): number {
  const recurrence = {
    start: fromWall(start),
    isDate: false,
    zone: ZONE,
    rules: [readRule(rule, ZONE)],
    also: [],
    except: new Set<number>(),
  }
  return expand(recurrence, fromWall('2033-06-02 00:00:00'), fromWall('2031-06-02 00:00:00')).starts.length
}

describe('the worst rules', () => {
  for (const rule of RULES)
    it(`cost less than 100 ms: ${rule.slice(0, 70)}`, () => {
      for (const start of ['0001-01-01 00:00:00', '2031-06-02 09:00:00']) {
        // The first run compiles the code.
        const costs = [0, 1, 2].map(() => {
          const before = threadTime()
          assert.ok(expandOnce(rule, start) <= MAX_OCCURRENCES)
          return threadTime() - before
        })
        assert.ok(Math.min(...costs) < 100, `${Math.min(...costs)} ms from ${start}`)
      }
    })

  it('need no more memory than their times', () => {
    globalThis.gc?.()
    const before = process.memoryUsage()
    for (const rule of RULES) expandOnce(rule, '2031-06-02 09:00:00')
    const after = process.memoryUsage()
    assert.ok(after.heapUsed + after.external - before.heapUsed - before.external < 64 * 1024 * 1024)
  })
})
