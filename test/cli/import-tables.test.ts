import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../support/commands.ts'
import { NewHome } from '../support/site-import.ts'
import { ENCODING_NAMES, ENCODINGS, LAYOUTS, type Told, tableText } from '../support/tables.ts'

const TOLD: Told = {
  title: 'Größe',
  day: '2031-04-23',
  from: '19:30',
  until: '22:00',
  lastDay: '2031-04-23',
  venue: 'Café',
  category: 'Musik',
}

describe('kalends import of a table', () => {
  let home: NewHome
  let folder: string
  before(async () => {
    home = await NewHome.make()
    folder = mkdtempSync(join(tmpdir(), 'kalends-tables-'))
  })
  after(() => {
    home.close()
    rmSync(folder, { recursive: true })
  })
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }

  it('knows a file by its content, whatever its name is', async () => {
    for (const [n, { header, row }] of Object.values(LAYOUTS).entries()) {
      for (const encoding of [ENCODING_NAMES[n % ENCODING_NAMES.length] ?? 'UTF-8']) {
        const path = file('export.txt', ENCODINGS[encoding](tableText([header.split(','), row(TOLD)], '\t')))
        const { code, out, err } = await home.run(path, ['--dry-run'])
        assert.equal(code, 0, err)
        assert.match(out, /^Would be: 1 created, .* 0 skipped\.$/m, `${encoding}: ${header}`)
      }
    }
    const ics = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSUMMARY:A\nDTSTART:20310610\nEND:VEVENT\nEND:VCALENDAR\n'
    for (const [name, content] of [
      ['calendar.csv', ics],
      ['calendar', Buffer.from(ics, 'utf16le').swap16()],
    ] as const)
      assert.match((await home.run(file(name, content), ['--dry-run'])).out, /^Would be: 1 created/m, name)
    const page = await home.run(file('page.txt', '<!doctype html>'))
    assert.match(page.err, /not an iCalendar file.*not a table/)
  })

  it('shows how dates are read, and reads them as it is told', async () => {
    const unclear = file('unclear.csv', 'Subject,Start Date,Start Time\nA,03/04/2031,19:00\n')
    const assumed = await home.run(unclear, ['--dry-run'])
    assert.match(assumed.out, /^line 2: The table does not show .* month\/day\/year: 03\/04\/2031 is 4 March 2031\./m)
    const told = await home.run(unclear, ['--dry-run', '--dates', 'day-first'])
    assert.match(told.out, /^line 2: Dates are read as day\/month\/year: 03\/04\/2031 is 3 April 2031\.$/m)
    assert.match(told.out, /^Would be: 1 created/m)
    const clear = file('clear.csv', 'Subject,Start Date,Start Time\nA,03/04/2031,19:00\nB,13/04/2031,19:00\n')
    const shown = await home.run(clear, ['--dry-run'])
    assert.match(shown.out, /^line 2: Dates are read as day\/month\/year: 03\/04\/2031 is 3 April 2031\.$/m)
    assert.deepEqual(await home.rows('events'), [])
    const wrong = await home.run(unclear, ['--dates', 'sideways'])
    assert.match(wrong.err, /day-first, month-first/)
    const { out } = await runCommand(['import', '--help'])
    assert.match(out, /--dates <order>/)
  })

  it('makes venues and organizers of their tables, before the events that name them', async () => {
    const venues = file('venues.csv', 'Venue Name,Venue City\nHall,Long Beach\n')
    const organizers = file('organizers.csv', 'Organizer Name;Organizer Email\nGuild;info@example.org\n')
    const events = file(
      'events.csv',
      'EVENT NAME,EVENT START DATE,EVENT VENUE NAME,EVENT ORGANIZER NAME(S) OR ID(S)\nA,2031-06-10,Hall,"Guild, Club"\n',
    )
    const dry = await home.run(venues, ['--dry-run'])
    assert.match(dry.out, /^Would be: 1 created/m)
    assert.deepEqual(await home.rows('venues'), [])
    for (const path of [venues, organizers, events]) {
      assert.match((await home.run(path)).out, /^1 created/m, path)
      assert.match((await home.run(path)).out, /^0 created, 0 updated, 1 unchanged/m, path)
    }
    assert.deepEqual(
      (await home.rows('venues')).map(({ venue, city }) => [venue, city]),
      [['Hall', 'Long Beach']],
    )
    assert.deepEqual(
      (await home.rows('organizers')).map(({ organizer, email }) => [organizer, email]),
      [
        ['Guild', 'info@example.org'],
        ['Club', null],
      ],
    )
  })
})
