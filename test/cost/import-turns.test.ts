import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LONGEST_HOLD, longestHold } from '../support/holds.ts'
import { HOSTILE_CALENDARS } from '../support/hostile-calendars.ts'
import { HOSTILE_TABLES } from '../support/hostile-tables.ts'
import { type Service, startService } from '../support/service.ts'

/** How long each of the calendars is, in characters; an upload may be ten times as long, and so takes ten times as many turns. */
const SIZE = 1_000_000

describe('an import', () => {
  let folder: string
  let service: Service
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-turns-'))
    service = await startService({ folder })
    // What is loaded for the first one is there then.
    await send(
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:A\r\nDTSTART:20310610\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    )
    for (const table of ['title,start_date\nA,1/2/2031\n', 'Venue Name\nA\n']) await sendTable(table)
  })
  after(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const send = (raw: string) =>
    service.expect(200, 'editor', '/import', {
      raw,
      query: { dry_run: 1 },
      headers: { 'content-type': 'text/calendar' },
    })

  for (const [name, make] of Object.entries(HOSTILE_CALENDARS)) {
    it(`of ${name} keeps nobody waiting`, async () => {
      const raw = make(SIZE)
      const hold = await longestHold(() => send(raw))
      assert.ok(hold <= LONGEST_HOLD, `it kept others waiting for ${hold} ms`)
    })
  }

  const sendTable = (raw: string | Buffer) =>
    service.call('editor', '/import', { raw, query: { dry_run: 1 }, headers: { 'content-type': 'text/csv' } })

  for (const [name, make] of Object.entries(HOSTILE_TABLES)) {
    it(`of a table with ${name} keeps nobody waiting`, async () => {
      const raw = make(SIZE)
      const hold = await longestHold(async () => {
        const { statusCode } = await sendTable(raw)
        assert.ok(statusCode === 200 || statusCode === 400, String(statusCode))
      })
      assert.ok(hold <= LONGEST_HOLD, `it kept others waiting for ${hold} ms`)
    })
  }

  it('tells what is too much for one entry, and for one request', async () => {
    const messages = async (name: string) => (await send(HOSTILE_CALENDARS[name]?.(SIZE) ?? '')).notes[0]?.message
    for (const name of [
      'many times left out',
      'many times added',
      'many rules',
      'many lines of categories',
      'many terms',
    ])
      assert.equal(await messages(name), 'The entry is too large.', name)
    assert.match(await messages('a zone of many parts'), /does not describe it well enough/)
    assert.match(await messages('a long rule'), /cannot be followed/)
  })
})
