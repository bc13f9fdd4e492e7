import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromWall, toWall } from '../../src/calendar/civil.ts'
import { expand } from '../../src/calendar/recurrence.ts'
import { readRule } from '../../src/calendar/recurrence-rule.ts'

const ZONE = 'America/New_York'

/**
 * All examples of RFC 5545 §3.8.5.3, in its order: rule, start, and its times as `year-month: days`. Where a rule has no
 * end, the times go as far as the RFC lists them.
 */
const EXAMPLES: [rule: string, start: string, ...times: string[]][] = [
  ['FREQ=DAILY;COUNT=10', '1997-09-02', '1997-09: 2-11'],
  [
    'FREQ=DAILY;UNTIL=19971224T000000Z',
    '1997-09-02',
    '1997-09: 2-30',
    '1997-10: 1-31',
    '1997-11: 1-30',
    '1997-12: 1-23',
  ],
  [
    'FREQ=DAILY;INTERVAL=2',
    '1997-09-02',
    '1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30',
    '1997-10: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30',
    '1997-11: 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29',
    '1997-12: 1 3',
  ],
  ['FREQ=DAILY;INTERVAL=10;COUNT=5', '1997-09-02', '1997-09: 2 12 22', '1997-10: 2 12'],
  [
    'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
    '1998-01-01',
    '1998-01: 1-31',
    '1999-01: 1-31',
    '2000-01: 1-31',
  ],
  ['FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1', '1998-01-01', '1998-01: 1-31', '1999-01: 1-31', '2000-01: 1-31'],
  ['FREQ=WEEKLY;COUNT=10', '1997-09-02', '1997-09: 2 9 16 23 30', '1997-10: 7 14 21 28', '1997-11: 4'],
  [
    'FREQ=WEEKLY;UNTIL=19971224T000000Z',
    '1997-09-02',
    '1997-09: 2 9 16 23 30',
    '1997-10: 7 14 21 28',
    '1997-11: 4 11 18 25',
    '1997-12: 2 9 16 23',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
    '1997-09-02',
    '1997-09: 2 16 30',
    '1997-10: 14 28',
    '1997-11: 11 25',
    '1997-12: 9 23',
    '1998-01: 6 20',
    '1998-02: 3 17',
  ],
  [
    'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
    '1997-09-02',
    '1997-09: 2 4 9 11 16 18 23 25 30',
    '1997-10: 2',
  ],
  ['FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH', '1997-09-02', '1997-09: 2 4 9 11 16 18 23 25 30', '1997-10: 2'],
  [
    'FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR',
    '1997-09-01',
    '1997-09: 1 3 5 15 17 19 29',
    '1997-10: 1 3 13 15 17 27 29 31',
    '1997-11: 10 12 14 24 26 28',
    '1997-12: 8 10 12 22',
  ],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH', '1997-09-02', '1997-09: 2 4 16 18 30', '1997-10: 2 14 16'],
  [
    'FREQ=MONTHLY;COUNT=10;BYDAY=1FR',
    '1997-09-05',
    ...['1997-09: 5', '1997-10: 3', '1997-11: 7', '1997-12: 5', '1998-01: 2'],
    ...['1998-02: 6', '1998-03: 6', '1998-04: 3', '1998-05: 1', '1998-06: 5'],
  ],
  [
    'FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR',
    '1997-09-05',
    '1997-09: 5',
    '1997-10: 3',
    '1997-11: 7',
    '1997-12: 5',
  ],
  [
    'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
    '1997-09-07',
    ...['1997-09: 7 28', '1997-11: 2 30', '1998-01: 4 25', '1998-03: 1 29', '1998-05: 3 31'],
  ],
  [
    'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
    '1997-09-22',
    ...['1997-09: 22', '1997-10: 20', '1997-11: 17', '1997-12: 22', '1998-01: 19', '1998-02: 16'],
  ],
  [
    'FREQ=MONTHLY;BYMONTHDAY=-3',
    '1997-09-28',
    ...['1997-09: 28', '1997-10: 29', '1997-11: 28', '1997-12: 29', '1998-01: 29', '1998-02: 26'],
  ],
  [
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
    '1997-09-02',
    ...['1997-09: 2 15', '1997-10: 2 15', '1997-11: 2 15', '1997-12: 2 15', '1998-01: 2 15'],
  ],
  [
    'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
    '1997-09-30',
    ...['1997-09: 30', '1997-10: 1 31', '1997-11: 1 30', '1997-12: 1 31', '1998-01: 1 31', '1998-02: 1'],
  ],
  ['FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15', '1997-09-10', '1997-09: 10-15', '1999-03: 10-13'],
  [
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
    '1997-09-02',
    ...['1997-09: 2 9 16 23 30', '1997-11: 4 11 18 25', '1998-01: 6 13 20 27', '1998-03: 3 10 17 24 31'],
  ],
  [
    'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
    '1997-06-10',
    ...[1997, 1998, 1999, 2000, 2001].flatMap((year) => [`${year}-06: 10`, `${year}-07: 10`]),
  ],
  [
    'FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3',
    '1997-03-10',
    '1997-03: 10',
    ...[1999, 2001, 2003].flatMap((year) => [`${year}-01: 10`, `${year}-02: 10`, `${year}-03: 10`]),
  ],
  [
    'FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200',
    '1997-01-01',
    ...['1997-01: 1', '1997-04: 10', '1997-07: 19', '2000-01: 1', '2000-04: 9', '2000-07: 18'],
    ...['2003-01: 1', '2003-04: 10', '2003-07: 19', '2006-01: 1'],
  ],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19', '1997-05: 19', '1998-05: 18', '1999-05: 17'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12', '1997-05: 12', '1998-05: 11', '1999-05: 17'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH', '1997-03-13', '1997-03: 13 20 27', '1998-03: 5 12 19 26', '1999-03: 4 11 18 25'],
  [
    'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
    '1997-06-05',
    ...['1997-06: 5 12 19 26', '1997-07: 3 10 17 24 31', '1997-08: 7 14 21 28'],
    ...['1998-06: 4 11 18 25', '1998-07: 2 9 16 23 30', '1998-08: 6 13 20 27'],
    ...['1999-06: 3 10 17 24', '1999-07: 1 8 15 22 29', '1999-08: 5 12 19 26'],
  ],
  [
    'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;EXDATE=1997-09-02',
    '1997-09-02',
    ...['1998-02: 13', '1998-03: 13', '1998-11: 13', '1999-08: 13', '2000-10: 13'],
  ],
  [
    'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
    '1997-09-13',
    ...['1997-09: 13', '1997-10: 11', '1997-11: 8', '1997-12: 13', '1998-01: 10', '1998-02: 7', '1998-03: 7'],
    ...['1998-04: 11', '1998-05: 9', '1998-06: 13'],
  ],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05',
    ...['1996-11: 5', '2000-11: 7', '2004-11: 2'],
  ],
  ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04', '1997-09: 4', '1997-10: 7', '1997-11: 6'],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
    '1997-09-29',
    ...['1997-09: 29', '1997-10: 30', '1997-11: 27', '1997-12: 30', '1998-01: 29', '1998-02: 26', '1998-03: 30'],
  ],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05', '1997-08: 5 10 19 24'],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05', '1997-08: 5 17 19 31'],
  ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5', '2007-01-15', '2007-01: 15 30', '2007-02: 15', '2007-03: 15 30'],
]

const workday = ['09', '10', '11', '12', '13', '14', '15', '16'].flatMap((hour) =>
  ['00', '20', '40'].map((minute) => `${hour}:${minute}`),
)

/** Those that repeat within a day: rule, and times of 2 September 1997; of the last two, of the day after as well. */
const WITHIN_A_DAY: [rule: string, days: number, ...times: string[]][] = [
  // The RFC lists 15:00 as well, which is after 17:00 UTC: an erratum says that 21:00 UTC was meant.
  ['FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z', 1, '09:00', '12:00'],
  ['FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z', 1, '09:00', '12:00', '15:00'],
  ['FREQ=MINUTELY;INTERVAL=15;COUNT=6', 1, '09:00', '09:15', '09:30', '09:45', '10:00', '10:15'],
  ['FREQ=MINUTELY;INTERVAL=90;COUNT=4', 1, '09:00', '10:30', '12:00', '13:30'],
  ['FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40', 2, ...workday],
  ['FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16', 2, ...workday],
]

/** The days of `1997-09: 2-4 9`. */
function daysOf(line: string): string[] {
  const [month = '', list = ''] = line.split(': ')
  return list.split(' ').flatMap((span) => {
    const [from = 0, to = from] = span.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => `${month}-${String(from + at).padStart(2, '0')}`)
  })
}

function times(text: string, start: string, horizon: string): string[] {
  const [rule = '', except] = text.split(';EXDATE=')
  const { starts } = expand(
    {
      start: fromWall(start),
      isDate: false,
      zone: ZONE,
      rules: [readRule(rule, ZONE)],
      also: [],
      except: new Set(except === undefined ? [] : [fromWall(`${except} 09:00:00`)]),
    },
    fromWall(horizon),
  )
  return starts.map(toWall)
}

describe('the examples of RFC 5545', () => {
  for (const [rule, start, ...lines] of EXAMPLES)
    it(`${rule} from ${start}`, () => {
      const wanted = lines.flatMap(daysOf).map((day) => `${day} 09:00:00`)
      const hasEnd = /COUNT|UNTIL/.test(rule)
      assert.deepEqual(times(rule, `${start} 09:00:00`, hasEnd ? '2030-01-01 00:00:00' : (wanted.at(-1) ?? '')), wanted)
    })

  for (const [rule, days, ...wanted] of WITHIN_A_DAY)
    it(`${rule} on 2 September 1997`, () => {
      assert.deepEqual(
        times(rule, '1997-09-02 09:00:00', `1997-09-0${days + 1} 23:59:59`),
        Array.from({ length: days }, (_, day) => wanted.map((time) => `1997-09-0${2 + day} ${time}:00`)).flat(),
      )
    })
})
