import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { runCommand } from '../support/commands.ts'
import type { Result } from '../support/processes.ts'

const run = (...args: string[]): Promise<Result> => runCommand(args)

const ICS = `BEGIN:VCALENDAR
BEGIN:VEVENT
UID:a
SUMMARY:A \u001b[31mred
DTSTART:20310610T190000Z
END:VEVENT
BEGIN:VEVENT
UID:b\u001b[2J
SUMMARY:B
END:VEVENT
END:VCALENDAR
`

const CSV = `title,start_date,end_date,venue,categories,featured,colour,slug
"Wine, cheese
and ""more""",2031-06-10 19:00,2031-06-10 22:00,"Hall, upper",Music,Yes,red,wine
Talk,2031-06-11,,,"Music,Talks",,,
Bad,not a date,,,,,,
Café,2031-06-12,,Hall | Yard,,maybe,,
`

describe('kalends import', () => {
  let folder: string
  let data: string[]
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-import-'))
    data = ['--data', folder]
    await run('user', 'add', 'ed', '--role', 'editor', '--email', 'ed@example.org', ...data)
    await run('user', 'add', 'al', '--role', 'author', '--email', 'al@example.org', ...data)
  })
  after(() => rmSync(folder, { recursive: true }))

  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const titles = async () => {
    const db: Database = openDatabase(folder)
    const rows = await db.read((tx) => tx.selectFrom('events').select(['title', 'start_local']).orderBy('id').execute())
    await db.close()
    return rows.map((row) => row.title)
  }

  it('brings a calendar, tells what it skipped, and knows it again', async () => {
    const ics = file('a.ics', ICS)
    const dry = await run('import', ics, '--dry-run', '--user', 'ed', ...data)
    assert.match(dry.out, /^Would be: 1 created, .*, 1 skipped\.$/m)
    assert.deepEqual(await titles(), [])
    const first = await run('import', ics, '--user', 'ed', ...data)
    assert.equal(first.code, 0, first.err)
    assert.match(first.out, /^line 7, b \[2J: The entry has no DTSTART\.$/m)
    assert.match(first.out, /^1 created, 0 updated, 0 unchanged, 0 moved to the trash, 1 skipped\.$/m)
    assert.ok(!first.out.includes('\u001b'))
    assert.match((await run('import', ics, '--user', 'ed', ...data)).out, /^0 created, 0 updated, 1 unchanged/m)
  })

  it('brings entries of unknown zones and bad rules, and says so', async () => {
    const entry = (uid: string, ...lines: string[]) =>
      ['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${uid}`, ...lines, 'END:VEVENT', ''].join('\r\n')
    const zone = entry('zone', 'DTSTART;TZID=Mars/Olympus:20320610T190000')
    const rule = entry('rule', 'DTSTART:20320611T190000Z', 'RRULE:FREQ=')
    const ics = file('doubts.ics', `BEGIN:VCALENDAR\r\n${zone}${rule}END:VCALENDAR\r\n`)
    const { code, out } = await run('import', ics, '--dry-run', '--user', 'ed', '--timezone', 'Europe/Paris', ...data)
    assert.equal(code, 0)
    assert.match(out, /^line 2, zone: The time zone Mars\/Olympus is not known, .* those of Europe\/Paris\.$/m)
    assert.match(out, /^line 7, rule: The recurrence rule cannot be followed, .*: FREQ=$/m)
    assert.match(out, /^Would be: 2 created, .*, 0 skipped\.$/m)
  })

  it('brings a table, with the lines of bad rows', async () => {
    const csv = file('a.csv', CSV)
    const { code, out } = await run('import', csv, '--user', 'ed', ...data)
    assert.equal(code, 0)
    assert.match(out, /^line 1, colour: This column is not read/m)
    assert.match(out, /^line 5, no-uid-\S+: .*start_date: This must be a date/m)
    assert.match(out, /^line 6, .*featured: This must be true or false/m)
    assert.match(out, /^2 created, 0 updated, 0 unchanged, 0 moved to the trash, 2 skipped\.$/m)
    const again = file('b.csv', CSV.replace('2031-06-10 22:00', '2031-06-10 23:00').replace('maybe', 'no'))
    assert.match((await run('import', again, '--user', 'ed', ...data)).out, /^1 created, 1 updated, 1 unchanged/m)
    // A table of semicolons, of an old Windows, that names an event by its slug.
    const slug = file('c.csv', Buffer.from('Title;Start date;Slug\r\nK\xe4se;2031-06-10 19:00;wine\r\n', 'latin1'))
    assert.match((await run('import', slug, '--user', 'ed', ...data)).out, /^0 created, 1 updated/m)
    assert.deepEqual(
      await titles(),
      ['A [31mred', 'Käse', 'Talk', 'Café'].map((title) => title.replace('A ', 'A \u001b')),
    )
  })

  it('tells of a row that is too long, and brings the others', async () => {
    const csv = file(
      'long.csv',
      `title,start_date,description\nLong,2031-01-01,"${'x'.repeat(1_100_000)}"\nShort,2031-01-02,y\n`,
    )
    const { out } = await run('import', csv, '--user', 'ed', ...data)
    assert.match(out, /^line 2: The entry is too large\.$/m)
    assert.match(out, /^1 created, .*, 1 skipped\.$/m)
  })

  it('reports a row whose first cell is too long', async () => {
    const csv = file('long-title.csv', `title,start_date\n"${'x'.repeat(1_100_000)}",2031-01-01\nNext,2031-01-02\n`)
    const { out } = await run('import', csv, '--user', 'ed', ...data)
    assert.match(out, /^line 2: The entry is too large\.$/m)
    assert.match(out, /^1 created, .*, 1 skipped\.$/m)
  })

  it('reports rows with a quote that is not closed or with more cells than columns', async () => {
    const csv = file(
      'broken.csv',
      'title,start_date,cost\nSurplus,2031-01-01,5,6\nEmpty cells,2031-01-02,5,,\nOpen,2031-01-03,"5\nLost,2031-01-04,5\n',
    )
    const { out } = await run('import', csv, '--user', 'ed', ...data)
    assert.match(out, /^line 2: The row has more cells than there are columns\.$/m)
    assert.match(out, /^line 4: A quotation mark is not closed\.$/m)
    assert.match(out, /^1 created, .*, 2 skipped\.$/m)
  })

  it('says in one sentence what cannot be done', async () => {
    const cases: [string[], RegExp][] = [
      [[join(folder, 'none.ics')], /no such file/],
      [[file('page.ics', '<html>')], /not an iCalendar file/],
      [[file('empty.csv', '')], /the table is empty/],
      [[file('odd.csv', 'a,b\n1,2\n')], /no column "title"/],
      [[file('x.ics', ICS), '--user', 'nobody'], /there is no user "nobody"/],
      [[file('x.ics', ICS), '--user', 'al'], /may not import/],
      [[file('x.ics', ICS)], /there is no administrator/],
      [['http://127.0.0.1:1/a.ics', '--user', 'ed'], /may not be fetched/],
    ]
    for (const [args, expected] of cases) {
      const user = args.includes('--user') || /administrator/.test(String(expected)) ? [] : ['--user', 'ed']
      const { code, err } = await run('import', ...args, ...user, ...data)
      assert.equal(code, 1, args.join(' '))
      assert.match(err, expected)
      assert.equal(err.trim().split('\n').length, 1, err)
    }
    const { code } = await run('import', file('bad.ics', ICS.replace('DTSTART', 'X-START')), '--user', 'ed', ...data)
    assert.equal(code, 1)
  })
})
