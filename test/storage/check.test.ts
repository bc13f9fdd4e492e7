import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import sharp from 'sharp'
import { clock } from '../support/calendar.ts'
import { runCommand } from '../support/commands.ts'
import { RandomSite, seeded } from '../support/random-site.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const CHANGES = 60
const LIMITS = { rateLimit: '0', userRateLimit: '0', uploadQuota: '0' } as const

interface Calendar {
  readonly service: Service
  readonly data: string
  check(...flags: string[]): ReturnType<typeof runCommand>
  /** Changes the database behind the back of the service, without foreign keys. */
  damage(...statements: string[]): Promise<void>
}

async function start(): Promise<Calendar> {
  const data = mkdtempSync(join(tmpdir(), 'kalends-check-'))
  const service = await startService({ folder: data, writesTables: true, settings: { ...LIMITS, data }, clock })
  const site = new RandomSite(service, seeded(11))
  await site.fill()
  for (let n = 0; n < CHANGES; n++) await site.change()
  await service.expect(201, 'editor', '/events', {
    json: {
      title: 'Zanzibar evening',
      start_date: '2031-06-10',
      end_date: '2031-06-10',
      tags: ['spices'],
      venue: { venue: 'Harbour', geo_lat: 5, geo_lng: 6 },
    },
  })
  const day = { start_date: '2031-06-11', end_date: '2031-06-11', tags: ['guarded'] }
  for (const own of [{ password: 'secret' }, { recurrence: 'FREQ=WEEKLY;COUNT=3' }])
    await service.expect(201, 'editor', '/events', { json: { title: 'Guarded', ...day, ...own } })
  const raw = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'navy' } })
    .png()
    .toBuffer()
  await service.expect(201, 'editor', '/images', { method: 'POST', raw, headers: { 'content-type': 'image/png' } })
  const place = ON_POSTGRES ? ['--database', service.where] : []
  return {
    service,
    data,
    check: (...flags) => runCommand(['check', '--data', data, ...place, ...flags]),
    async damage(...statements) {
      if (!ON_POSTGRES) {
        const database = new DatabaseSync(join(data, 'kalends.sqlite'), { enableForeignKeyConstraints: false })
        for (const statement of statements) database.exec(statement)
        return database.close()
      }
      const client = new pg.Client({ connectionString: service.where })
      await client.connect()
      for (const statement of ['set session_replication_role = replica', ...statements]) await client.query(statement)
      await client.end()
    },
  }
}

describe('kalends check', () => {
  let calendar: Calendar
  before(async () => {
    calendar = await start()
  })
  after(async () => {
    await calendar.service.close()
    rmSync(calendar.data, { recursive: true, force: true })
  })

  it('finds nothing in a calendar that was only changed by the service', async () => {
    const { check } = calendar
    const { code, out, err } = await check()
    assert.deepEqual([code, err], [0, ''], out)
    assert.doesNotMatch(out, /problem/)
    for (const name of ['database', 'broken links', 'counts of terms', 'word index', 'images'])
      assert.match(out, new RegExp(`^ok +${name}`, 'm'))
  })

  const REMOVED_WORDS = ON_POSTGRES ? 'delete from event_texts' : 'delete from event_texts where rowid > 0'
  const cases: [name: string, statements: string[], part: RegExp][] = [
    [
      'counts of terms',
      [`update terms set count = count + 3 where name = 'spices'`],
      /"spices", has the count 4, and 1/,
    ],
    ['a word index that lacks events', [REMOVED_WORDS], /events have other words/],
    [
      'words of an event that was changed by hand',
      [`update events set search = 'quinces', title_search = 'quinces' where title = 'Zanzibar evening'`],
      /1 events have other words/,
    ],
    ['words of names', [`delete from linked_words where kind = 'term'`], /terms have other words/],
    [
      'parents of categories',
      [`update terms set parent = 99999 where name = 'spices'`],
      /by "parent" to rows of terms/,
    ],
    ['images of records', [`update events set image = 99999`], /by "image" to rows of images/],
    ...(ON_POSTGRES
      ? []
      : ([
          ['places', ['delete from venue_places'], /index of places/],
          ['places that moved', ['update venue_places set south = 50, north = 50'], /index of places/],
          ['parts of words', [`delete from event_words where rowid > 0`], /index of parts of words/],
          ['ids that would be used again', [`update sequences set last = 1`], /next id of records/],
        ] as [string, string[], RegExp][])),
    ['series that are gone', ['delete from series'], /by "series" to rows of series/],
    // Last: they remove what others need.
    ['links to records that are gone', [`delete from venues`], /refer by "linked" to rows of venues/],
    ['tickets and terms of events that are gone', [`delete from events`], /refer by "event" to rows of events/],
  ]

  for (const [name, statements, told] of cases) {
    it(`finds and repairs ${name}`, async () => {
      const { check, damage, service } = calendar
      await damage(...statements)
      const found = await check()
      assert.equal(found.code, 1, found.out)
      assert.match(found.out, told)
      assert.match(found.err, /^kalends: \d+ problems?; --repair/)
      assert.equal((await check()).code, 1, 'a check changes nothing')
      const repaired = await check('--repair')
      assert.equal(repaired.code, 0, repaired.out)
      assert.match(repaired.out, /^repaired /m)
      const again = await check()
      assert.deepEqual([again.code, again.err], [0, ''], again.out)
      if (name.startsWith('a word index')) {
        const { events } = await service.expect(200, null, '/events?search=zanzib&start_date=2031-01-01')
        assert.equal(events.length, 1)
      }
    })
  }

  it('finds files that no image has, and images that lack files', async () => {
    const { check, data } = calendar
    mkdirSync(join(data, 'images/zz'), { recursive: true })
    writeFileSync(join(data, 'images/zz/zz00.jpg'), 'left over')
    const found = await check()
    assert.deepEqual([found.code, /images\/zz\/zz00\.jpg belongs to no image/.test(found.out)], [1, true], found.out)
    assert.equal((await check('--repair')).code, 0)
    assert.deepEqual(readdirSync(join(data, 'images/zz')), [])
    for (const name of readdirSync(join(data, 'images'))) rmSync(join(data, 'images', name), { recursive: true })
    const lost = await check('--repair')
    assert.deepEqual([lost.code, /problem +images: image \d+ lacks/.test(lost.out)], [1, true], lost.out)
    assert.match(lost.out, /restore the files from a backup/)
  })

  it('makes no database where there is none', { skip: ON_POSTGRES }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-check-'))
    const { code, err } = await runCommand(['check', '--data', folder])
    assert.deepEqual([code, err], [1, `kalends: there is no database in ${folder}\n`])
    assert.deepEqual(readdirSync(folder), [])
    rmSync(folder, { recursive: true })
  })
})
