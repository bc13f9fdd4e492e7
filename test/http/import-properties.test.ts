import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import ICAL from 'ical.js'
import { basic, describeZone } from '../../src/calendar/vtimezone.ts'
import { type Instant, plainSpan, toWallClock, type Zone } from '../../src/calendar/zone.ts'
import { threadTime } from '../support/cost.ts'
import fc from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

/** 2031-01-01 00:00:00 UTC. */
const NOW = 1_924_992_000
const YEAR = 365 * 86_400
const at = (year: number): Instant => Date.UTC(year, 0) / 1000

const zones = Intl.supportedValuesOf('timeZone')

/** An event in a zone that only the file knows. */
interface Case {
  readonly zone: Zone
  readonly instant: Instant
  /** How far the description reaches beyond the event, in seconds. */
  readonly before: number
  readonly after: number
  /** What is added to all offsets, in minutes, so that no zone is like it. */
  readonly shift: number
}

const cases = fc.array(
  fc.record({
    zone: fc.constantFrom(...zones),
    instant: fc.integer({ min: at(1976), max: at(2033) }),
    before: fc.integer({ min: 0, max: 20 * YEAR }),
    after: fc.integer({ min: 0, max: 5 * YEAR }),
    shift: fc.constantFrom(0, 0, 0, 6, 9, -33),
  }),
  { minLength: 40, maxLength: 40 },
)

/** Whether a clock shows a time once, so that it means one instant. */
function isShownOnce({ instant, zone }: Case): boolean {
  const { from, until } = plainSpan(instant, zone)
  return instant >= from && instant < until
}

function seconds(offset: string): number {
  const [, sign, hours, minutes, rest = '0'] = /([+-])(\d\d)(\d\d)(\d\d)?/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(rest))
}

function instantOf(text: string): Instant {
  return Date.parse(text.replace(/(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5Z')) / 1000
}

function described({ zone, instant, before, after, shift }: Case, name: string): string {
  return (
    describeZone(zone, instant - before, instant + after)
      .text.replace(/TZID:.*/, `TZID:${name}`)
      // A clock that is ahead changes sooner.
      .replace(/(?<=UNTIL=)\d{8}T\d{6}(?=Z)/g, (until) => basic(toWallClock(instantOf(until) - shift * 60, 'UTC')))
      .replace(/(?<=TZOFFSET(?:FROM|TO):).*/g, (offset) => {
        const total = seconds(offset) + shift * 60
        const pad = (value: number) => String(value).padStart(2, '0')
        const size = Math.abs(total)
        const text = `${total < 0 ? '-' : '+'}${pad(Math.floor(size / 3600))}${pad(Math.floor(size / 60) % 60)}`
        return size % 60 === 0 ? text : `${text}${pad(size % 60)}`
      })
  )
}

/** The instant that another program reads. */
function judged(description: string, wall: string): Instant {
  const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(description.trim())))
  const time = ICAL.Time.fromDateTimeString(wall.replace(' ', 'T'))
  return Date.parse(`${wall.replace(' ', 'T')}Z`) / 1000 - zone.utcOffset(time)
}

describe('any calendar', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ clock: () => NOW })
  })
  afterEach(() => service.close())
  const send = (raw: string, query: Json = {}) =>
    service.expect(200, 'editor', '/import', { raw, query, headers: { 'content-type': 'text/calendar' } })
  const calendar = (lines: readonly string[]) => `BEGIN:VCALENDAR\r\n${lines.join('')}END:VCALENDAR\r\n`
  const entry = (uid: string, ...lines: string[]) =>
    `BEGIN:VEVENT\r\nUID:${uid}\r\nSUMMARY:${uid}\r\n${lines.join('\r\n')}\r\nEND:VEVENT\r\n`

  it('comes back at the same instants, whatever it calls its zones', async () => {
    let round = 0
    let checked = 0
    await fc.assert(
      fc.asyncProperty(cases, async (all) => {
        const mark = `r${round++}`
        const kept = all.filter(isShownOnce)
        const wall = ({ instant, zone }: Case) => toWallClock(instant, zone)
        const descriptions = kept.map((one, n) => described(one, `Zone ${mark} ${n}`))
        const entries = kept.map((one, n) =>
          entry(`${mark}-${n}`, `DTSTART;TZID=Zone ${mark} ${n}:${basic(wall(one))}`, `CATEGORIES:${mark}`),
        )
        const report = await send(calendar([...descriptions, ...entries]))
        assert.deepEqual([report.created, report.notes], [kept.length, []])
        const query = { per_page: 50, categories: mark, start_date: '1960-01-01', end_date: '2040-01-01' }
        const { events }: { events: Json[] } = await service.expect(200, 'editor', '/events', { query })
        const found = new Map(events.map((event) => [event.title, event]))
        for (const [n, one] of kept.entries()) {
          const wanted = toWallClock(one.instant - one.shift * 60, 'UTC')
          const event = found.get(`${mark}-${n}`)
          assert.equal(event?.utc_start_date, wanted, `${JSON.stringify(one)}\n${descriptions[n]}`)
          const isWhole = !/TZOFFSET(FROM|TO):.\d{6}/.test(descriptions[n] ?? '')
          if (!isWhole) continue
          assert.equal(toWallClock(judged(descriptions[n] ?? '', wall(one)), 'UTC'), wanted, JSON.stringify(one))
          checked++
        }
      }),
      { numRuns: times(8, 3) },
    )
    assert.ok(checked > times(200, 60), String(checked))
  })

  it('loses no entry to its rule, and takes bounded time, whatever the rule says', async () => {
    const word = fc.constantFrom(
      ...['FREQ', 'COUNT', 'UNTIL', 'INTERVAL', 'BYDAY', 'BYMONTH', 'BYSETPOS', 'BYHOUR', 'WKST', 'RSCALE', 'X', ''],
      ...['DAILY', 'SECONDLY', 'YEARLY', 'WEEKLY', 'SOMETIMES', '0', '-1', '1', '99999999999', 'MO', '5TH', '20310101'],
      ...['=', ';', ',', ':', '"', '\\', 'é', ' '],
    )
    const garbage = fc.oneof(
      fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ' ')),
      fc.array(word, { maxLength: 20 }).map((words) => words.join('')),
      fc.array(fc.tuple(word, word), { maxLength: 8 }).map((parts) => parts.map((part) => part.join('=')).join(';')),
    )
    // A rule that can be followed is bounded, so that its events do not use up what a request may bring.
    const rules = fc.array(
      garbage.map((rule) => (/FREQ=(DAILY|SECONDLY|WEEKLY)/.test(rule) ? `${rule};UNTIL=20310611` : rule)),
      { minLength: 100, maxLength: 100 },
    )
    const began = threadTime()
    await fc.assert(
      fc.asyncProperty(rules, async (all) => {
        const entries = all.map((rule, n) => entry(`e${n}`, 'DTSTART:20310610T190000Z', `RRULE:${rule}`))
        const report = await send(calendar(entries), { dry_run: 1 })
        assert.equal(report.skipped, 0, JSON.stringify(report.notes))
        assert.ok(report.created >= all.length)
        for (const note of report.notes) assert.match(note.message, /cannot be followed|was cut off/)
      }),
      { numRuns: times(6, 2) },
    )
    assert.ok(threadTime() - began < 60_000)
  })

  it('loses no entry to its zone, whatever the file says of it', async () => {
    const offset = fc.constantFrom('+0100', '-0330', '+0545', '0200', '+2', '+9999', '', 'x', '-000015')
    const moment = fc.constantFrom('16010101T000000', '19700329T020000', '20310101T000000Z', '20311340', '', 'x')
    const rule = fc.constantFrom(
      ...['FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'FREQ=YEARLY;COUNT=5', 'FREQ=MONTHLY', 'FREQ=SECONDLY', 'FREQ=DAILY'],
      ...['FREQ=YEARLY;UNTIL=20300101T000000Z', 'FREQ=YEARLY;INTERVAL=7;BYYEARDAY=366', '', 'x'],
    )
    const line = fc.oneof(
      fc.tuple(fc.constantFrom('TZOFFSETFROM:', 'TZOFFSETTO:', 'TZOFFSETTO:'), offset),
      fc.tuple(fc.constantFrom('DTSTART:', 'RDATE:', 'RDATE:20310601T000000,'), moment),
      fc.tuple(fc.constantFrom('RRULE:'), rule),
      fc.tuple(fc.constantFrom('BEGIN:', 'END:'), fc.constantFrom('STANDARD', 'DAYLIGHT', 'X')),
      fc.tuple(fc.constantFrom('X-LIC-LOCATION:'), fc.constantFrom('Europe/Berlin', 'Nowhere')),
    )
    const part = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((one) => `${one.join('')}\r\n`).join(''))
    const bodies = fc.array(
      fc
        .array(part, { maxLength: 4 })
        .map((parts) => parts.map((one) => `BEGIN:STANDARD\r\n${one}END:STANDARD\r\n`).join('')),
      { minLength: 60, maxLength: 60 },
    )
    const tzids = ['Made up', '(UTC+01:00) Berlin', 'tzone://Microsoft/Custom', 'Eastern', 'ZE1', 'x\\, y']
    await fc.assert(
      fc.asyncProperty(bodies, async (all) => {
        const zones = all.map((body, n) => `BEGIN:VTIMEZONE\r\nTZID:${tzids[n % 6]} ${n}\r\n${body}END:VTIMEZONE\r\n`)
        const entries = all.map((_, n) =>
          entry(`e${n}`, `DTSTART;TZID=${tzids[n % 6]} ${n}:${1990 + n}0610T190000`, 'RRULE:FREQ=DAILY;COUNT=2'),
        )
        const report = await send(calendar([...zones, ...entries]), { dry_run: 1 })
        assert.equal(report.skipped, 0, JSON.stringify(report.notes))
        assert.ok(report.created >= all.length)
        for (const note of report.notes) assert.match(note.message, /is not known/)
      }),
      { numRuns: times(6, 2) },
    )
  })
})
