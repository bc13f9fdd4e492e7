const START = 'DTSTART:20310610T190000Z'
const BERLIN = 'DTSTART;TZID=Europe/Berlin:20310610T190000'

const calendar = (body: string) => `BEGIN:VCALENDAR\r\n${body}END:VCALENDAR\r\n`

/** An entry; `start` may be given with other lines. */
function entry(uid: string | number, ...lines: string[]): string {
  const start = lines.some((line) => line.startsWith('DTSTART')) ? [] : [START]
  return ['BEGIN:VEVENT', `UID:${uid}`, 'SUMMARY:S', ...start, ...lines, 'END:VEVENT', ''].join('\r\n')
}

/** As many pieces as a size in characters has room for, and at most so many. */
function filled(size: number, piece: (n: number) => string, most = Number.POSITIVE_INFINITY): string {
  const pieces: string[] = []
  for (let n = 0, length = 0; n < most; n++) {
    const next = piece(n)
    length += next.length
    if (n > 0 && length > size) break
    pieces.push(next)
  }
  return calendar(pieces.join(''))
}

const repeated = (text: string, size: number) => text.repeat(Math.max(1, Math.floor(size / text.length)))
const two = (number: number) => String(number).padStart(2, '0')

/** The longest value that a line may have. */
const LINE = 990_000

function zone(n: number, more = '', end = ''): string {
  const part = (name: string, month: number, from: string, to: string) =>
    `BEGIN:${name}\r\nDTSTART:1970${two(month)}25T030000\r\nRRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=-1SU\r\n` +
    `TZOFFSETFROM:${from}\r\nTZOFFSETTO:${to}\r\n${more}END:${name}\r\n`
  const parts = part('STANDARD', 10, '+0200', '+0100') + part('DAYLIGHT', 3, '+0100', '+0200')
  return `BEGIN:VTIMEZONE\r\nTZID:Zone ${n}\r\n${parts}${end}END:VTIMEZONE\r\n`
}

const filledEntries = (count: number, start: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => entry(n, start(n))).join('')

const rule = (text: string, start = 'DTSTART;TZID=Europe/Berlin:20200610T190000') => [start, `RRULE:${text}`]
const all = (count: number) => Array.from({ length: count }, (_, n) => n).join()

/** Calendars that are hard to read, by what makes them so, each of about a size in characters or less. */
export const HOSTILE_CALENDARS: Record<string, (size: number) => string> = {
  'empty lines': (size) => calendar(repeated('\r\n', size)),
  'short lines': (size) => calendar(repeated('X:1\n', size)),
  'short lines of an entry': (size) => calendar(`BEGIN:VEVENT\r\n${repeated('X:1\n', size)}END:VEVENT\r\n`),
  'a folded line': (size) => calendar(entry(1, `DESCRIPTION:${repeated('x\r\n ', size)}`)),
  'long lines of escapes': (size) => filled(size, (n) => entry(n, `DESCRIPTION:${repeated('\\,', LINE)}`)),
  'long lines of HTML': (size) =>
    filled(size, (n) => entry(n, `X-ALT-DESC;FMTTYPE=text/html:${repeated('</body>', LINE)}`)),
  'long titles': (size) => filled(size, (n) => entry(n).replace('SUMMARY:S', `SUMMARY:${repeated('<b>', LINE)}`)),
  'long descriptions': (size) =>
    filled(size, (n) => entry(n, `X-ALT-DESC;FMTTYPE=text/html:${repeated('<img src=x>', 98_000)}`)),
  'a series of long descriptions': () =>
    calendar(entry(1, `DESCRIPTION:${repeated('<b></b>', 98_000)}`, ...rule('FREQ=DAILY;COUNT=40'))),
  'many categories': (size) => filled(size, (n) => entry(n, `CATEGORIES:${repeated('a,b\\,c,', LINE)}`)),
  'many lines of categories': (size) => filled(size, (n) => entry(n, repeated('CATEGORIES:a\r\n', LINE).trim())),
  'many parameters': (size) => filled(size, (n) => entry(n, `DTSTART${repeated(';A=1', LINE)}:20310610T190000Z`)),
  'many values of a parameter': (size) =>
    filled(size, (n) => entry(n, `DTSTART;A=1${repeated(',1', LINE)}:20310610T190000Z`)),
  'many times left out': (size) =>
    filled(size, (n) =>
      entry(n, ...rule('FREQ=DAILY;COUNT=3', BERLIN), `EXDATE:${repeated('20310611T190000Z,', LINE)}`),
    ),
  'many times added': (size) =>
    filled(size, (n) => entry(n, BERLIN, `RDATE:${repeated('20310611T190000Z,', LINE)}20310611T190000Z`)),
  'many rules': (size) => filled(size, (n) => entry(n, repeated('RRULE:FREQ=SECONDLY;BYSETPOS=2\r\n', LINE).trim())),
  'a long rule': (size) => filled(size, (n) => entry(n, ...rule(`FREQ=DAILY;BYDAY=${repeated('1MO,', LINE)}TU`))),
  'rules of seconds': () => filled(100, (n) => entry(n, ...rule('FREQ=SECONDLY;BYHOUR=3;BYMINUTE=7,9;COUNT=900'))),
  'rules that never come true': () =>
    filled(5000, (n) => entry(n, ...rule('FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=1'))),
  'rules of positions': () =>
    filled(2000, (n) => entry(n, ...rule(`FREQ=YEARLY;BYHOUR=${all(24)};BYMINUTE=${all(60)};BYSETPOS=-1,1,5`))),
  'rules of all days': () =>
    filled(3000, (n) => entry(n, ...rule(`FREQ=HOURLY;BYYEARDAY=${all(367).slice(2)};BYDAY=MO;BYMONTH=2`))),
  'many changes of one': (size) =>
    filled(size, (n) =>
      n === 0
        ? entry('u', ...rule('FREQ=HOURLY;COUNT=2000', BERLIN))
        : entry('u', `RECURRENCE-ID:20310610T${two(n % 24)}${two(Math.floor(n / 24) % 60)}${two(n % 60)}Z`),
    ),
  'many changes of all that follow': (size) =>
    filled(size, (n) =>
      n === 0
        ? entry('u', ...rule('FREQ=HOURLY;COUNT=2000', BERLIN))
        : entry('u', `RECURRENCE-ID;RANGE=THISANDFUTURE:20310610T${two(n % 24)}${two(Math.floor(n / 24) % 60)}00Z`),
    ),
  'zones of its own': () =>
    calendar(
      Array.from({ length: 420 }, (_, n) => zone(n).replaceAll('+0100', `+0${n % 10}17`)).join('') +
        Array.from({ length: 420 }, (_, n) => entry(n, `DTSTART;TZID=Zone ${n}:20310610T190000`)).join(''),
    ),
  'a zone of many times': (size) =>
    calendar(zone(1, repeated('RDATE:20010101T000000\r\n', size)) + entry(1, 'DTSTART;TZID=Zone 1:20310610T190000')),
  'a zone of many parts': (size) => {
    const part =
      'BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nRRULE:FREQ=SECONDLY\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0117\r\nEND:STANDARD\r\n'
    return calendar(zone(1, '', repeated(part, size)) + entry(1, 'DTSTART;TZID=Zone 1:20310610T190000'))
  },
  'ten thousand zones': () =>
    calendar(
      Array.from({ length: 10_000 }, (_, n) => `BEGIN:VTIMEZONE\r\nTZID:Zone ${n}\r\nEND:VTIMEZONE\r\n`).join('') +
        Array.from({ length: 500 }, (_, n) => entry(n, `DTSTART;TZID=Zone ${n * 20}:20310610T190000`)).join(''),
    ),
  'a zone of many dates': () => {
    const dates = Array.from({ length: 4900 }, (_, n) => `${1500 + (n % 600)}${two((n % 12) + 1)}${two((n % 27) + 1)}`)
    const lines = `RDATE:${dates.map((date) => `${date}T030000`).join()}\r\n`
    return calendar(zone(1, lines) + filledEntries(300, (n) => `DTSTART;TZID=Zone 1:${1700 + n}0610T190000`))
  },
  'zones of many years': () =>
    calendar(
      Array.from({ length: 40 }, (_, n) => zone(n).replaceAll('+0100', `+0${n % 10}17`)).join('') +
        filledEntries(800, (n) => `DTSTART;TZID=Zone ${n % 40}:${1000 + 11 * n}0610T190000`),
    ),
  'a zone of long rules': () =>
    calendar(
      zone(1, `RRULE:FREQ=YEARLY;BYYEARDAY=${all(367).slice(2)};BYHOUR=${all(24)};BYMINUTE=${all(60)}\r\n`) +
        zone(2, 'RRULE:FREQ=SECONDLY\r\n') +
        filledEntries(200, (n) => `DTSTART;TZID=Zone ${1 + (n % 2)}:${2000 + (n % 90)}0610T190000`),
    ),
  'many versions of one': (size) =>
    filled(size, (n) => entry('u', `SEQUENCE:${n}`, ...(n % 2 === 0 ? [] : rule('FREQ=DAILY;COUNT=3'))), 3000),
  'birthdays of centuries': () =>
    filled(200_000, (n) => entry(n, `DTSTART;VALUE=DATE:${1500 + (n % 500)}0228`, 'RRULE:FREQ=YEARLY'), 1000),
  // Every entry is brought, so most of the names are on other lines.
  'names of zones': (size) =>
    filled(
      size,
      (n) => {
        const line = (name: string, place: number) => `${name};TZID=a/b/c/d/Nowhere ${n} ${place}:20310610T190000`
        return entry(n, line('DTSTART', 0), ...[1, 2, 3, 4].map((place) => line('EXDATE', place)))
      },
      1000,
    ),
  'many terms': (size) =>
    filled(size, (n) => entry(n, repeated(`X-KALENDS-TERM:{"kind":"tag"\\,"slug":"${n}"}\r\n`, LINE).trim())),
  'many fields': (size) => {
    const places = Array.from({ length: 9 }, (_, n) => ({ venue: `V${n}`, description: repeated('<i></i>', 90_000) }))
    const fields = JSON.stringify({ excerpt: repeated('<b></b>', 90_000), venue: places }).replaceAll(',', '\\,')
    return filled(size, (n) => entry(n, `X-KALENDS-FIELDS:${fields}`))
  },
  'beginnings without an end': (size) => calendar(repeated('BEGIN:VEVENT\r\n', size / 4)),
  'parts of parts': (size) => calendar(`BEGIN:VTIMEZONE\r\n${repeated('BEGIN:X\r\n', size)}`),
  'parents to come': (size) => filled(size, (n) => entry(n, `RELATED-TO:${n + 1}`), 1000),
  'many entries': (size) => filled(size, (n) => entry(n, `LOCATION:Hall ${n}`, `CATEGORIES:C${n % 50}`), 1000),
}
