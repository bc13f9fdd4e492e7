import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import ICAL from 'ical.js'
import { unprotectText } from '../../src/lib/table-cells.ts'
import { runCommand } from '../support/commands.ts'
import { type Json, startService } from '../support/service.ts'

const HOSTILE = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  "'=1",
  "'quoted",
  'a "b", c',
  'two\nlines',
  ' space ',
  '日本 🎷',
  ';,\\',
]

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-export-'))
})
after(() => rmSync(folder, { recursive: true }))

const run = (args: string[]) => runCommand(['export', ...args])

/** Reads comma-separated values as RFC 4180 says, by rules of its own. */
function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    if (end !== ',') rows.push([])
  }
  const [names = [], ...cells] = rows.slice(0, -1)
  return cells.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n] ?? ''])))
}

describe('kalends export', () => {
  let data: string[]
  before(async () => {
    const own = join(folder, 'events')
    const service = await startService({ folder: own })
    const create = (json: object) => service.expect(201, 'administrator', '/events', { json })
    for (const [n, title] of HOSTILE.entries()) {
      await create({
        title,
        start_date: `2031-06-${10 + n} 19:00`,
        end_date: `2031-06-${10 + n} 22:00`,
        timezone: 'Europe/Paris',
        description: `<p>About <b>this</b></p>`,
        tags: [`Tag, ${n}`, 'shared'],
        venue: { venue: `Hall ${n}`, city: title, geo_lat: -33.5, geo_lng: 151 },
        organizer: [{ organizer: `Ann ${n}`, email: 'a@example.org' }, { organizer: `Bob ${n}` }],
        tickets: [{ name: 'Seat', price: '5' }],
      })
    }
    const dates = { start_date: '2001-01-01', end_date: '2001-01-02', all_day: true }
    await create({ title: 'Past', ...dates })
    await create({ title: 'A draft', status: 'draft', ...dates })
    await create({ title: 'Protected', password: 'secret', ...dates })
    await create({ title: 'Unlisted', hide_from_listings: true, ...dates })
    await create({ title: 'Trashed', status: 'trash', ...dates })
    await service.close()
    data = ['--data', own, '--base-url', 'https://example.org', '--timezone', 'America/New_York']
  })
  const isKept = process.env.KALENDS_TEST_DATABASE_URL ? 'needs the embedded database' : false

  it('writes what everybody sees, past and future, in each format', { skip: isKept }, async () => {
    const csv = readCsv((await run(['--format', 'csv', ...data])).out)
    const { events } = JSON.parse((await run(['--format', 'json', ...data])).out) as Json
    const calendar = new ICAL.Component(ICAL.parse((await run(['--format', 'ics', ...data])).out))
    const entries = calendar.getAllSubcomponents('vevent')
    assert.equal(csv.length, HOSTILE.length + 1)
    assert.equal(events.length, csv.length)
    assert.equal(entries.length, csv.length)
    assert.equal(csv[0]?.title, 'Past')
    assert.equal(events[0].title, 'Past')
    assert.equal(events[0].url, 'https://example.org/event/past/')
  })

  it('writes all that an administrator sees when told so', { skip: isKept }, async () => {
    const titles = async (...args: string[]) =>
      readCsv((await run(['--format', 'csv', ...args, ...data])).out).map(({ title }) => title)
    assert.deepEqual(await titles('--all', '--end-date', '2001-12-31'), ['Past', 'A draft', 'Protected', 'Unlisted'])
    assert.deepEqual(await titles('--all', '--status', 'draft,trash'), ['A draft', 'Trashed'])
    // Without its password it must not come back open to all.
    const secret = readCsv((await run(['--format', 'csv', '--all', '--search', 'protected', ...data])).out)
    assert.equal(secret[0]?.status, 'private')
    assert.deepEqual(await titles('--search', 'PAST'), ['Past'])
    assert.equal((await titles('--tags', 'shared', '--start-date', '2031-06-12')).length, HOSTILE.length - 2)
    const { code, err } = await run(['--format', 'csv', '--status', 'draft', '--venue', '99', ...data])
    assert.equal(code, 1)
    assert.match(err, /^kalends: Invalid parameters: status, venue\. .*no venue with the id 99[^\n]*\n$/)
  })

  it('keeps every text, and lets no spreadsheet take one for a formula', { skip: isKept }, async () => {
    const { out } = await run(['--format', 'csv', '--tags', 'shared', ...data])
    const rows = readCsv(out)
    assert.deepEqual(
      rows.map(({ title = '' }) => unprotectText(title)),
      HOSTILE.map((title) => title.trim()),
    )
    for (const row of rows) for (const cell of Object.values(row)) assert.doesNotMatch(cell, /^[=+@\-\t\r]/)
    assert.equal(rows[0]?.tags, 'shared, "Tag, 0"')
    assert.equal(rows[0]?.organizer, 'Ann 0 | Bob 0')
    assert.equal(rows[0]?.start_date, '2031-06-10 19:00:00')
  })

  it('puts into a calendar what no property is made for, to be taken in again', { skip: isKept }, async () => {
    const { out } = await run(['--format', 'ics', '--tags', 'shared', ...data])
    const [first] = new ICAL.Component(ICAL.parse(out)).getAllSubcomponents('vevent')
    const fields = JSON.parse(String(first?.getFirstPropertyValue('x-kalends-fields')))
    assert.deepEqual(fields.venue[0].venue, 'Hall 0')
    assert.equal(fields.organizer[1].organizer, 'Bob 0')
    assert.equal(fields.organizer[1].slug, 'bob-0')
    assert.deepEqual(fields.tickets, [{ name: 'Seat', price: '5' }])
  })

  it('replaces a file by a whole one, or not at all', { skip: isKept }, async () => {
    const file = join(folder, 'out.csv')
    writeFileSync(file, 'old')
    assert.equal((await run(['--format', 'csv', '--status', 'draft', '--output', file, ...data])).code, 1)
    assert.equal(readFileSync(file, 'utf8'), 'old')
    const { code, out, err } = await run(['--format', 'csv', '--output', file, ...data])
    assert.deepEqual([code, out], [0, ''])
    assert.equal(err, `Exported ${HOSTILE.length + 1} events to ${file}.\n`)
    assert.match(readFileSync(file, 'utf8'), /^id,title,/)
    assert.equal((await run(['--format', 'csv', '--output', join(folder, 'no/such/folder'), ...data])).code, 1)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('partial')),
      [],
    )
  })
})
