import ICAL from 'ical.js'
import qs from 'qs'
import { RRuleTemporal } from 'rrule-temporal'
import sanitizeHtml from 'sanitize-html'
import { readEntry } from '../src/calendar/calendar-entry.ts'
import { fromWall } from '../src/calendar/civil.ts'
import { ComponentReader } from '../src/calendar/components.ts'
import { linesOf } from '../src/calendar/content-lines.ts'
import { expand } from '../src/calendar/recurrence.ts'
import { readRule } from '../src/calendar/recurrence-rule.ts'
import { fieldsOf, pairsOf } from '../src/http/form.ts'
import { sanitize } from '../src/lib/html.ts'

/**
 * Compares our parsers with the libraries that check them in tests, in processor time of one thread. The results are in
 * docs/decisions. Run it with `node bench/libraries.ts`.
 */

const ROUNDS = 7

function cpu(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The median, in milliseconds. */
function median(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const began = cpu()
    work()
    return cpu() - began
  })
  return times.sort((former, latter) => former - latter)[Math.floor(ROUNDS / 2)] ?? 0
}

function compare(what: string, library: string, ours: () => unknown, theirs: () => unknown): void {
  const [a, b] = [median(ours), median(theirs)]
  process.stdout.write(`${what}: ${a.toFixed(1)} ms, ${library} ${b.toFixed(1)} ms (${(b / a).toFixed(1)} times)\n`)
}

const ZONE = 'America/New_York'
for (const [rule, rounds] of [
  ['FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=500', 20],
  ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=300', 20],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=20', 20],
] as const) {
  const start = '2000-01-03 09:00:00'
  const ours = () =>
    expand(
      {
        ...{ start: fromWall(start), isDate: false, zone: ZONE, rules: [readRule(rule, ZONE)], also: [] },
        except: new Set(),
      },
      fromWall('2200-01-01 00:00:00'),
    ).starts.length
  const rruleString = `DTSTART;TZID=${ZONE}:20000103T090000\nRRULE:${rule}`
  const theirs = () => new RRuleTemporal({ rruleString, maxIterations: 100_000 }).all().length
  const repeat = (work: () => number) => () => Array.from({ length: rounds }, work)
  compare(`recurrence ${rule} (${ours()}, ${theirs()})`, 'rrule-temporal', repeat(ours), repeat(theirs))
}

const entry = (n: number) =>
  `BEGIN:VEVENT\r\nUID:${n}@example.org\r\nDTSTAMP:20310101T000000Z\r\nDTSTART;TZID=${ZONE}:20310310T193000\r\nDTEND;TZID=${ZONE}:20310310T210000\r\nSUMMARY:Concert\\, number ${n}\r\nDESCRIPTION:Two sets of new music by the harbour\\, with an interval of twen\r\n ty minutes\\; the bar opens an hour before.\\nDoors at seven.\r\nLOCATION:Halyard Hall\r\nCATEGORIES:Music,Classical\r\nEND:VEVENT\r\n`
const zone = `BEGIN:VTIMEZONE\r\nTZID:${ZONE}\r\nBEGIN:STANDARD\r\nDTSTART:20071104T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU\r\nTZOFFSETFROM:-0400\r\nTZOFFSETTO:-0500\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:20070311T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n`
const calendarOf = (count: number) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\n${zone}${Array.from({ length: count }, (_, n) => entry(n)).join('')}END:VCALENDAR\r\n`
const zones = { named: (name: string) => name, floating: ZONE, shown: ZONE }

function readOurs(calendar: string): number {
  const reader = new ComponentReader()
  let read = 0
  for (const line of linesOf(calendar)) {
    const component = reader.push(line)
    if (component?.name === 'VEVENT' && readEntry(component, zones).title !== '') read++
  }
  return read
}

function readTheirs(calendar: string): number {
  const components = new ICAL.Component(ICAL.parse(calendar)).getAllSubcomponents('vevent')
  return components.filter((component) => {
    const { summary, description, startDate, endDate } = new ICAL.Event(component)
    return [summary, description, startDate.toString(), endDate.toString()].every((value) => value !== '')
  }).length
}

for (const count of [500, 2000]) {
  const calendar = calendarOf(count)
  const both = `${readOurs(calendar)}, ${readTheirs(calendar)}`
  compare(
    `iCalendar, ${count} entries (${both})`,
    'ical.js',
    () => readOurs(calendar),
    () => readTheirs(calendar),
  )
}

const paragraph =
  '<p>Two sets of <em>new</em> music &amp; an <a href="https://example.org/?a=1&amp;b=2">interval</a>.</p>\n'
for (const [what, html] of [
  ['a description of 10 KB', paragraph.repeat(100)],
  ['100,000 ampersands', '&'.repeat(100_000)],
  ['100,000 opening brackets', '<'.repeat(100_000)],
] as const)
  compare(
    `sanitiser, ${what}`,
    'sanitize-html',
    () => sanitize(html),
    () => sanitizeHtml(html),
  )

for (const [what, rounds, text] of [
  ['1,000 forms of 20 fields', 1000, Array.from({ length: 20 }, (_, n) => `field${n}=value+${n}`).join('&')],
  ['5,000 items of one list', 1, Array.from({ length: 5000 }, (_, n) => `tags[]=t${n}`).join('&')],
] as const)
  compare(
    `form, ${what}`,
    'qs',
    () => Array.from({ length: rounds }, () => fieldsOf(pairsOf(text, 10_000) ?? [])),
    () =>
      Array.from({ length: rounds }, () => qs.parse(text, { arrayLimit: 10_000, depth: 5, parameterLimit: 10_000 })),
  )
