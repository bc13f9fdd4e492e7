import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from '../support/property.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

/** 2031-01-01 00:00:00 UTC. */
const NOW = 1_924_992_000

const START = 'DTSTART:20310610T190000Z'
const entry = (uid: string, ...lines: string[]) => ['BEGIN:VEVENT', `UID:${uid}`, ...lines, 'END:VEVENT']
const calendar = (...entries: string[][]) => ['BEGIN:VCALENDAR', ...entries.flat(), 'END:VCALENDAR', ''].join('\r\n')

describe('an imported calendar', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({ clock: () => NOW, settings: { timezone: 'Europe/Berlin' } })
  })
  afterEach(() => service.close())
  const bring = (...entries: string[][]): Promise<Json> =>
    service.expect(200, 'editor', '/import', {
      raw: calendar(...entries),
      headers: { 'content-type': 'text/calendar; charset=utf-8' },
    })
  const events = async (): Promise<Json[]> => {
    const query = { start_date: '1900-01-01', end_date: '2040-01-01', per_page: 50 }
    return (await service.expect(200, 'editor', '/events', { query })).events
  }
  const shown = async () => (await events()).map(({ title, start_date, end_date }) => [title, start_date, end_date])
  const told = ({ notes }: Json): string[] => notes.map(({ uid, message }: Json) => `${uid}: ${message}`)

  it('keeps an entry whose end lies before its start, and tells that the end is left out', async () => {
    const cases: Record<string, readonly [lines: readonly string[], end: string]> = {
      utc: [[START, 'DTEND:20310610T180000Z'], '2031-06-10 21:00:00'],
      days: [[START, 'DTEND;VALUE=DATE:20310610'], '2031-06-10 21:00:00'],
      zones: [
        ['DTSTART;TZID=America/New_York:20310610T190000', 'DTEND;TZID=Europe/Berlin:20310611T005959'],
        '2031-06-10 19:00:00',
      ],
      length: [[START, 'DTEND:20310610T180000Z', 'DURATION:PT1H'], '2031-06-10 22:00:00'],
      day: [['DTSTART;VALUE=DATE:20310610', 'DTEND;VALUE=DATE:20310609'], '2031-06-10 23:59:59'],
      time: [['DTSTART;VALUE=DATE:20310610', 'DTEND:20310609T100000Z'], '2031-06-10 23:59:59'],
      gap: [
        ['DTSTART;TZID=Europe/Berlin:20310330T023000', 'DTEND;TZID=Europe/Berlin:20310330T030000'],
        '2031-03-30 03:30:00',
      ],
      twice: [
        ['DTSTART;TZID=Europe/Berlin:20311026T023000', 'DTEND;TZID=Europe/Berlin:20311026T021000'],
        '2031-10-26 02:30:00',
      ],
    }
    const report = await bring(...Object.entries(cases).map(([uid, [lines]]) => entry(uid, `SUMMARY:${uid}`, ...lines)))
    assert.deepEqual([report.created, report.skipped], [8, 0], told(report).join('\n'))
    const ends = Object.fromEntries((await events()).map(({ title, end_date }) => [title, end_date]))
    for (const [uid, [, end]] of Object.entries(cases)) {
      assert.equal(ends[uid], end, uid)
      assert.match(told(report).join('\n'), new RegExp(`^${uid}: DTEND lies before the start, and is left out: 2`, 'm'))
    }
  })

  it('keeps the date of a changed occurrence whose end lies before its start', async () => {
    const report = await bring(
      entry('choir', 'SUMMARY:Choir', START, 'DTEND:20310610T200000Z', 'RRULE:FREQ=WEEKLY;COUNT=3'),
      entry(
        'choir',
        'SUMMARY:Guests',
        'RECURRENCE-ID:20310617T190000Z',
        'DTSTART:20310617T180000Z',
        'DTEND:20310617T170000Z',
      ),
    )
    assert.equal(report.skipped, 0)
    assert.match(told(report).join(), /^choir: DTEND lies before the start[^,]*, and is left out: 20310617T170000Z$/)
    assert.deepEqual(await shown(), [
      ['Choir', '2031-06-10 21:00:00', '2031-06-10 22:00:00'],
      ['Guests', '2031-06-17 20:00:00', '2031-06-17 20:00:00'],
      ['Choir', '2031-06-24 21:00:00', '2031-06-24 22:00:00'],
    ])
  })

  it('keeps the occurrences that a change of all following ones moves to an hour that the clock skips', async () => {
    const berlin = (time: string) => `TZID=Europe/Berlin:${time}`
    const report = await bring(
      entry(
        'n',
        'SUMMARY:Night',
        `DTSTART;${berlin('20310316T010000')}`,
        'DURATION:PT30M',
        'RRULE:FREQ=WEEKLY;COUNT=4',
      ),
      entry(
        'n',
        'SUMMARY:Later',
        `RECURRENCE-ID;RANGE=THISANDFUTURE;${berlin('20310323T010000')}`,
        `DTSTART;${berlin('20310323T023000')}`,
        'DURATION:PT30M',
      ),
    )
    assert.deepEqual([report.created, report.skipped], [4, 0], told(report).join())
    assert.deepEqual(
      (await events()).map(({ start_date }) => start_date.slice(5)),
      ['03-16 01:00:00', '03-23 02:30:00', '03-30 03:30:00', '04-06 02:30:00'],
    )
  })

  it('gives an entry without SUMMARY a title of what else it says, and tells it', async () => {
    const cases: Record<string, readonly [lines: readonly string[], title: string]> = {
      text: [['DESCRIPTION:\\n  First line \\nsecond', 'LOCATION:Hall'], 'First line'],
      html: [
        ['X-ALT-DESC;FMTTYPE=text/html:<html><body><ul><li>One &amp; <b>all</b></li><li>Two</li></ul></body></html>'],
        'One & all',
      ],
      place: [['SUMMARY:', 'LOCATION:Old Hall\\, yard', 'CATEGORIES:Music'], 'Old Hall, yard'],
      kind: [['SUMMARY:  ', 'DESCRIPTION: ', 'CATEGORIES:Music,Jazz'], 'Music'],
      nothing: [['SUMMARY:\\n'], 'Event'],
      long: [[`DESCRIPTION:${'word '.repeat(200)}`], 'word '.repeat(100).trim()],
    }
    const all = Object.entries(cases)
    const report = await bring(
      ...all.map(([uid, [lines]], n) => entry(uid, `DTSTART:203106${10 + n}T190000Z`, ...lines)),
      entry('choir', 'DTSTART:20310701T190000Z', 'RRULE:FREQ=DAILY;COUNT=2', 'LOCATION:Church'),
      entry('choir', 'RECURRENCE-ID:20310702T190000Z', 'DTSTART:20310702T180000Z'),
    )
    assert.deepEqual([report.created, report.skipped], [all.length + 2, 0], told(report).join('\n'))
    const found = await events()
    assert.deepEqual(
      found.map(({ title }) => title.replace('&#038;', '&')),
      [...all.map(([, [, title]]) => title), 'Church', 'Event'],
    )
    assert.match(found[0].description, /First line.*second/s)
    for (const [uid] of all) assert.match(told(report).join('\n'), new RegExp(`^${uid}: The entry has no SUMMARY`, 'm'))
    assert.equal(report.notes.length, all.length + 2)
    // A cancelled entry needs no title.
    const off = await bring(entry('text', 'DTSTART:20310610T190000Z', 'STATUS:CANCELLED'))
    assert.deepEqual([off.removed, off.notes], [1, []])
  })

  it('cuts a SUMMARY of more than 500 characters, and puts the rest before the description', async () => {
    const long = 'a'.repeat(499)
    const report = await bring(
      entry('text', START, `SUMMARY:${long}bcd`, 'DESCRIPTION:Below <here>'),
      entry('html', START, `SUMMARY:${long}b<i> & more`, 'X-ALT-DESC;FMTTYPE=text/html:<p>Below</p>'),
      entry('letter', START, `SUMMARY:${long}🎷 rest`),
      entry('signs', START, `SUMMARY:${'&lt;'.repeat(120)}`),
      entry('huge', START, `SUMMARY:${'word '.repeat(30_000)}`),
      entry('exact', START, `SUMMARY:${long}b`),
    )
    assert.deepEqual([report.created, report.skipped], [6, 0], told(report).join('\n'))
    const found = await events()
    const has = (title: string, description: RegExp) =>
      assert.ok(
        found.some((event) => event.title === title && description.test(event.description)),
        `${title} ${description}`,
      )
    has(`${long}b`, /^<p>cd<\/p>\n<p>Below &lt;here&gt;<\/p>$/)
    has(`${long}b`, /^<p>&lt;i&gt; &amp; more<\/p>\s*<p>Below<\/p>$/)
    has(long, /^<p>🎷 rest<\/p>$/)
    has(`${long}b`, /^$/)
    // A title is measured as it is written.
    assert.ok(found.some(({ title }) => title.startsWith('&#038;lt;'.repeat(55))))
    const notes = told(report)
    for (const uid of ['text', 'html', 'letter', 'signs', 'huge'])
      assert.ok(
        notes.some((note) => note.startsWith(`${uid}: The SUMMARY is too long for a title`)),
        notes.join('\n'),
      )
    assert.ok(
      notes.some((note) => note.startsWith('huge: The description is too long')),
      notes.join('\n'),
    )
    assert.equal(notes.length, 6)
  })

  it('keeps an entry with a description that is too long, and tells that it is cut', async () => {
    const report = await bring(
      entry('text', START, 'SUMMARY:Text', `DESCRIPTION:${'&'.repeat(60_000)}`),
      entry('html', START, 'SUMMARY:Html', `X-ALT-DESC;FMTTYPE=text/html:${'<b>bold</b> &amp; '.repeat(10_000)}`),
    )
    assert.deepEqual([report.created, report.skipped], [2, 0])
    assert.equal(told(report).filter((note) => note.includes('The description is too long')).length, 2)
    for (const { description } of await events()) assert.ok(description.length > 80_000)
  })

  it('does not bring a changed occurrence back that its series, which is newer, has no longer', async () => {
    const master = (...lines: string[]) => entry('choir', 'SUMMARY:Choir', START, 'SEQUENCE:3', ...lines)
    const change = (day: string, sequence: number, ...lines: string[]) =>
      entry(
        'choir',
        'SUMMARY:Guests',
        `SEQUENCE:${sequence}`,
        `RECURRENCE-ID:${day}T190000Z`,
        `DTSTART:${day}T180000Z`,
        ...lines,
      )
    const days = async () => (await events()).map(({ title, start_date }) => `${title} ${start_date.slice(5, 10)}`)
    const outcomes = async (...entries: string[][]) => {
      const report = await bring(...entries)
      return [(await days()).join(', '), told(report).join()]
    }
    const gone = 'choir: A newer version of the entry is in the file.'
    const changed = ['Choir 06-10, Guests 06-17, Choir 06-24', '']
    const week = 'RRULE:FREQ=WEEKLY'
    assert.deepEqual(await outcomes(master(`${week};COUNT=3`), change('20310617', 2)), changed)
    // Excluded, and older: it is dead, whichever comes first in the file.
    const excluded = master(`${week};COUNT=3`, 'EXDATE:20310617T190000Z')
    const left = ['Choir 06-10, Choir 06-24', gone]
    assert.deepEqual(await outcomes(excluded, change('20310617', 2)), left)
    assert.deepEqual(await outcomes(change('20310617', 2), excluded), left)
    // As new as its series, it is an occurrence that was excluded because it was changed.
    assert.deepEqual(await outcomes(excluded, change('20310617', 3)), changed)
    // Past the end of the rule.
    const ended = ['Choir 06-10', gone]
    assert.deepEqual(await outcomes(master(`${week};UNTIL=20310616T000000Z`), change('20310617', 2)), ended)
    assert.deepEqual(await outcomes(master(`${week};COUNT=1`), change('20310617', 2)), ended)
    assert.deepEqual(await outcomes(master(), change('20310617', 2)), ended)
    assert.deepEqual(await outcomes(master(`${week};UNTIL=20310616T000000Z`), change('20310617', 3)), [
      'Choir 06-10, Guests 06-17',
      '',
    ])
    // Cancelled, or for all that follow, it is as dead.
    assert.deepEqual(await outcomes(master(`${week};COUNT=1`), change('20310617', 2, 'STATUS:CANCELLED')), ended)
    // A date of its own stays.
    assert.deepEqual(
      await outcomes(master(`${week};UNTIL=20310616`, 'RDATE:20310617T190000Z'), change('20310617', 2)),
      ['Choir 06-10, Guests 06-17', ''],
    )
  })

  it('tells which of several versions of a changed occurrence it leaves out', async () => {
    const change = (title: string, id: string, ...lines: string[]) =>
      entry('choir', `SUMMARY:${title}`, `RECURRENCE-ID${id}`, 'DTSTART:20310611T180000Z', ...lines)
    const report = await bring(
      entry('choir', 'SUMMARY:Choir', 'DTSTART;TZID=Europe/Berlin:20310610T190000', 'RRULE:FREQ=DAILY;COUNT=2'),
      change('New', ':20310611T170000Z', 'SEQUENCE:4'),
      change('Old', ':20310611T170000Z', 'SEQUENCE:3'),
      change('Same, by its day', ';VALUE=DATE:20310611', 'SEQUENCE:4'),
      change('Older, by its zone', ';TZID=Europe/Berlin:20310611T190000', 'SEQUENCE:2'),
    )
    assert.deepEqual(
      (await events()).map(({ title }) => title),
      ['Choir', 'Same, by its day'],
    )
    assert.deepEqual(
      [report.skipped, told(report)],
      [3, Array(3).fill('choir: A newer version of the entry is in the file.')],
    )
  })

  it('brings a change of all following occurrences, also where the rule gives none', async () => {
    const report = await bring(
      entry('choir', 'SUMMARY:Choir', START, 'RRULE:FREQ=WEEKLY;COUNT=2'),
      entry('choir', 'SUMMARY:Last', 'RECURRENCE-ID;RANGE=THISANDFUTURE:20310701T190000Z', 'DTSTART:20310702T190000Z'),
    )
    assert.deepEqual(
      (await events()).map(({ title, start_date }) => [title, start_date.slice(5, 10)]),
      [
        ['Choir', '06-10'],
        ['Choir', '06-17'],
        ['Last', '07-02'],
      ],
    )
    assert.deepEqual(report.notes, [])
  })

  it('tells of an entry all of whose dates are excluded, and of changes to one that recurs no longer', async () => {
    const off = await bring(entry('off', 'SUMMARY:Off', START, 'RRULE:FREQ=DAILY;COUNT=1', 'EXDATE:20310610T190000Z'))
    assert.deepEqual(
      [off.created, off.skipped, told(off)],
      [0, 1, ['off: None of its dates is left: all are excluded.']],
    )
    const single = await bring(
      entry('one', 'SUMMARY:Now single', START, 'SEQUENCE:5'),
      entry('one', 'SUMMARY:Was a series', START, 'SEQUENCE:1', 'RRULE:FREQ=DAILY;COUNT=3'),
      entry('one', 'SUMMARY:Changed', 'RECURRENCE-ID:20310611T190000Z', 'DTSTART:20310611T180000Z', 'SEQUENCE:2'),
    )
    assert.deepEqual([single.created, single.skipped, single.notes.length], [1, 2, 2])
  })

  it('loses no entry untold, whatever is wrong with it', async () => {
    const moments = fc.constantFrom(
      ...[':20310610T190000Z', ':20310611T190000Z', ':20310612T190000', ';VALUE=DATE:20310611', ';VALUE=DATE:20310610'],
      ...[
        ';TZID=Asia/Tokyo:20310612T040000',
        ';TZID=America/New_York:20310610T150000',
        ':99991231T235959Z',
        ':nonsense',
      ],
    )
    const maybe = (lines: fc.Arbitrary<string>) => fc.option(lines, { nil: '', freq: 2 })
    const prefixed = (name: string, values: fc.Arbitrary<string>) => values.map((value) => `${name}${value}`)
    const lengths = fc.constantFrom('PT1H', '-PT1H', 'P1D', 'P999999D', 'x')
    const rules = fc.constantFrom(
      ...[
        'DAILY;COUNT=3',
        'DAILY;COUNT=-1;UNTIL=20310612T190000Z',
        'DAILY;UNTIL=20310601',
        'YEARLY',
        'NEVER',
        'DAILY;COUNT=1',
      ],
    )
    const sequence = prefixed('SEQUENCE:', fc.constantFrom('0', '1', '2', 'x'))
    const entries = fc.array(
      fc.record({
        uid: fc.constantFrom('a', 'b', 'c', 'd'),
        lines: fc.tuple(
          prefixed('DTSTART', moments),
          maybe(prefixed('DTEND', moments)),
          maybe(prefixed('DURATION:', lengths)),
          maybe(prefixed('SUMMARY:', fc.constantFrom('', 'Title', 'x'.repeat(501), '<b></b>'))),
          maybe(prefixed('RECURRENCE-ID', moments)),
          maybe(
            prefixed('RECURRENCE-ID;RANGE=THISANDFUTURE', fc.constantFrom(':20310611T190000Z', ':20310614T190000Z')),
          ),
          maybe(prefixed('RRULE:FREQ=', rules)),
          maybe(prefixed('RDATE', moments)),
          maybe(prefixed('EXDATE', moments)),
          maybe(sequence),
          maybe(fc.constant('STATUS:CANCELLED')),
        ),
      }),
      { minLength: 1, maxLength: 6 },
    )
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(entries, { minLength: 10, maxLength: 10 }), async (calendars) => {
        const begun = count
        for (const [round, parts] of calendars.entries()) {
          // The place tells which entries the events are of.
          const all = parts.map(({ uid, lines }) => ({
            uid: `${round} ${uid} of ${begun}`,
            place: `Place ${count++}`,
            lines: lines.filter((line) => line !== ''),
          }))
          const texts = all.map(({ uid, place, lines }) => entry(uid, ...lines, `LOCATION:${place}`))
          const report = await bring(...texts)
          const venues = await service.db.read((tx) => tx.selectFrom('venues').select('venue').execute())
          const brought = new Set(venues.map(({ venue }) => venue))
          const lines = new Set(report.notes.map((note: Json) => note.line))
          const lineOf = (n: number) => 2 + texts.slice(0, n).flat().length
          const known = all.filter(({ place }, n) => brought.has(place) || lines.has(lineOf(n)))
          for (const one of all) {
            // Each occurrence of a series may be changed: then nothing is left of the series itself.
            const isChange = one.lines.some((line) => line.startsWith('RECURRENCE-ID'))
            const isKnown = known.some((other) => other === one || (!isChange && other.uid === one.uid))
            assert.ok(isKnown, `${one.place}\n${calendar(...texts)}\n${told(report).join('\n')}`)
          }
        }
      }),
      { numRuns: times(40, 3) },
    )
  })
})
