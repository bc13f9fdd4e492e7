import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Service, startService } from '../support/service.ts'
import { some } from '../support/thorough.ts'

/** 2031-01-01 00:00:00 UTC. */
const NOW = 1_924_992_000

describe('an imported rule', () => {
  let service: Service
  let count = 0
  before(async () => {
    service = await startService({ clock: () => NOW, settings: { timezone: 'Europe/Berlin', rateLimit: '0' } })
  })
  after(() => service.close())

  /** The days that an entry brings, and what is told of it. */
  async function days(...lines: string[]): Promise<{ days: string[]; notes: string[]; rule: string | undefined }> {
    const title = `rule ${count++} end`
    const raw = [
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      `UID:${title}`,
      `SUMMARY:${title}`,
      ...lines,
      'END:VEVENT',
      '',
    ].join('\r\n')
    const headers = { 'content-type': 'text/calendar; charset=utf-8' }
    const { notes }: Json = await service.expect(200, 'editor', '/import', { raw, headers })
    const events: Json[] = []
    for (let page = 1; ; page++) {
      const query = { search: title, start_date: '1900-01-01', end_date: '2040-01-01', per_page: 50, page }
      const found = await service.expect(200, 'editor', '/events', { query })
      events.push(...found.events)
      if (page >= found.total_pages) break
    }
    return {
      days: events.map(({ start_date }) => start_date.slice(0, 16)),
      notes: notes.map(({ message }: Json) => message),
      rule: events[0]?.recurrence?.rule,
    }
  }

  it('by the year that gives several dates a year keeps its past', async () => {
    const thursdays = await days('DTSTART:20290607T170000Z', 'RRULE:FREQ=YEARLY;BYMONTH=6,7,8;BYDAY=TH')
    const weekly = await days('DTSTART:20290607T170000Z', 'RRULE:FREQ=WEEKLY;BYMONTH=6,7,8;BYDAY=TH')
    assert.deepEqual([thursdays.days, thursdays.notes], [weekly.days, []])
    assert.equal(thursdays.days.filter((day) => day < '2030').length, 13)
    const several = [
      ['FREQ=YEARLY;BYMONTHDAY=15'],
      ['FREQ=YEARLY;BYMONTH=1,7'],
      ['FREQ=YEARLY;BYHOUR=9,17'],
      ['FREQ=YEARLY;BYYEARDAY=1,200'],
      ['FREQ=YEARLY;BYWEEKNO=10,30'],
      ['FREQ=MONTHLY;INTERVAL=12;BYDAY=TH'],
      ['FREQ=WEEKLY;INTERVAL=52;BYDAY=MO,TU'],
      ['FREQ=DAILY;INTERVAL=365;BYHOUR=9,17'],
      ['FREQ=YEARLY', 'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24'],
      ['FREQ=YEARLY;BYDAY=MO;UNTIL=20320101T000000Z'],
    ]
    for (const rules of some(several, 4)) {
      const found = await days('DTSTART:20280615T070000Z', ...rules.map((rule) => `RRULE:${rule}`))
      assert.deepEqual(found.notes, [], rules.join())
      for (const year of ['2028', '2029', '2030', '2031'])
        assert.ok(found.days.filter((day) => day.startsWith(year)).length >= 1, `${rules} in ${year}`)
    }
  })

  it('that gives one date a year tells how many of them are left out', async () => {
    const note = (n: number) => [`Dates before 1 January 2030 are left out, as it recurs by the year: ${n}.`]
    const cases = [
      ['DTSTART;VALUE=DATE:19500503', 'FREQ=YEARLY', 80, '2030-05-03 00:00'],
      ['DTSTART;VALUE=DATE:16040503', 'FREQ=YEARLY', 426, '2030-05-03 00:00'],
      ['DTSTART;VALUE=DATE:19960229', 'FREQ=YEARLY', 9, '2032-02-29 00:00'],
      ['DTSTART:20101125T180000Z', 'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', 20, '2030-11-28 19:00'],
      ['DTSTART:20101102T180000Z', 'FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8', 20, '2030-11-05 19:00'],
      ['DTSTART:20101231T100000Z', 'FREQ=YEARLY;BYYEARDAY=-1', 20, '2030-12-31 11:00'],
      ['DTSTART:20100517T100000Z', 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', 20, '2030-05-13 12:00'],
      ['DTSTART:20100813T100000Z', 'FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=13;BYSETPOS=1', 20, '2030-09-13 12:00'],
      ['DTSTART;VALUE=DATE:20000812', 'FREQ=YEARLY;COUNT=40', 30, '2030-08-12 00:00'],
      ['DTSTART;VALUE=DATE:20001001', 'FREQ=WEEKLY;INTERVAL=52', 30, '2030-08-25 00:00'],
      // Twice in 2000, on its first day and its last but one.
      ['DTSTART;VALUE=DATE:19990102', 'FREQ=WEEKLY;INTERVAL=52', 32, '2030-11-23 00:00'],
    ] as const
    for (const [start, rule, left, first] of cases) {
      const found = await days(start, `RRULE:${rule}`)
      assert.deepEqual([found.days[0], found.notes], [first, note(left)], `${start} ${rule}`)
    }
    // What is excluded, or listed, is not left out.
    const listed = await days(
      'DTSTART;VALUE=DATE:20100503',
      'RRULE:FREQ=YEARLY',
      'EXDATE;VALUE=DATE:20110503,20120503',
      'RDATE;VALUE=DATE:20130503,20130601',
    )
    assert.deepEqual(
      [listed.days.slice(0, 3), listed.notes],
      [['2013-05-03 00:00', '2013-06-01 00:00', '2030-05-03 00:00'], note(17)],
    )
    assert.deepEqual((await days('DTSTART;VALUE=DATE:20300503', 'RRULE:FREQ=YEARLY')).notes, [])
    assert.deepEqual((await days('DTSTART;VALUE=DATE:20100503', 'RRULE:FREQ=YEARLY;COUNT=3')).notes, [])
  })

  it('is followed as it is meant, with COUNT=-1 for no number and with escaped signs', async () => {
    const start = 'DTSTART:20310610T170000Z'
    const three = ['2031-06-10 19:00', '2031-06-11 19:00', '2031-06-12 19:00']
    for (const [rule, wanted, first] of [
      ['FREQ=DAILY;COUNT=-1;UNTIL=20310612T170000Z', three, 'FREQ=DAILY;UNTIL=20310612T170000Z'],
      ['FREQ=DAILY;UNTIL=20310612T170000Z;COUNT=-1', three, 'FREQ=DAILY;UNTIL=20310612T170000Z'],
      ['freq=daily;count=-1;interval=1;until=20310612t170000z', three, 'FREQ=DAILY;INTERVAL=1;UNTIL=20310612T170000Z'],
      ['COUNT=-1;FREQ=DAILY\\;UNTIL=20310612T170000Z', three, 'FREQ=DAILY;UNTIL=20310612T170000Z'],
      ['FREQ=DAILY\\;COUNT=3', three, 'FREQ=DAILY;COUNT=3'],
      ['FREQ=WEEKLY\\;BYDAY=TU\\,WE\\,TH\\;COUNT=3', three, 'FREQ=WEEKLY;BYDAY=TU,WE,TH;COUNT=3'],
    ] as const) {
      const found = await days(start, `RRULE:${rule}`)
      assert.deepEqual([found.days, found.notes, found.rule], [wanted, [], first], rule)
    }
    const endless = await days(start, 'RRULE:FREQ=MONTHLY;COUNT=-1')
    assert.deepEqual([endless.days.length > 20, endless.notes], [true, []])
    const none = await days(start, 'RRULE:FREQ=DAILY;COUNT=0')
    assert.deepEqual(
      [none.days.length, none.notes],
      [1, ['The recurrence rule cannot be followed, so the entry is brought without it: COUNT=0']],
    )
  })

  it('of a zone is followed with escaped signs, too', async () => {
    const part = (kind: string, from: string, to: string, rule: string) =>
      `BEGIN:${kind}\r\nDTSTART:19700101T020000\r\nTZOFFSETFROM:${from}\r\nTZOFFSETTO:${to}\r\nRRULE:${rule}\r\nEND:${kind}`
    const raw = [
      'BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Club',
      part('STANDARD', '+0236', '+0136', 'FREQ=YEARLY\\;BYMONTH=10\\;BYDAY=-1SU'),
      part('DAYLIGHT', '+0136', '+0236', 'FREQ=YEARLY\\;BYMONTH=3\\;BYDAY=-1SU;COUNT=-1'),
      'END:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:club\r\nSUMMARY:Club time\r\nDTSTART;TZID=Club:20310610T120000\r\nEND:VEVENT',
      'BEGIN:VEVENT\r\nUID:winter\r\nSUMMARY:Club time\r\nDTSTART;TZID=Club:20311210T120000\r\nEND:VEVENT\r\n',
    ].join('\r\n')
    await service.expect(200, 'editor', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
    const { events } = await service.expect(200, 'editor', '/events', { query: { search: 'Club time' } })
    assert.deepEqual(
      events.map(({ utc_start_date }: Json) => utc_start_date),
      ['2031-06-10 09:24:00', '2031-12-10 10:24:00'],
    )
  })
})
