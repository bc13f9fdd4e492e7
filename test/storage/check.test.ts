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
import { IS_THOROUGH, times } from '../support/thorough.ts'

const CHANGES = times(60, 20)
const LIMITS = { rateLimit: '0', userRateLimit: '0', uploadQuota: '0' } as const

interface Calendar {
  readonly service: Service
  readonly data: string
  check(...flags: string[]): ReturnType<typeof runCommand>
  /** Changes the database behind the back of the service, without foreign keys. */
  damage(...statements: string[]): Promise<void>
}

interface Damage {
  /** `npm test` tries all of a round at once. */
  readonly round: number
  readonly name: string
  readonly statement: string
  /** What the check tells. */
  readonly told: RegExp
}

const DAMAGE_OF_SQLITE: readonly Damage[] = [
  { round: 1, name: 'places', statement: 'delete from venue_places', told: /index of places/ },
  {
    round: 2,
    name: 'places that moved',
    statement: 'update venue_places set south = 50, north = 50',
    told: /index of places/,
  },
  {
    round: 2,
    name: 'parts of words',
    statement: 'delete from event_words where rowid > 0',
    told: /index of parts of words/,
  },
  {
    round: 1,
    name: 'ids that would be used again',
    statement: 'update sequences set last = 1',
    told: /next id of rec/,
  },
]

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

  const cases: Damage[] = [
    {
      round: 1,
      name: 'counts of terms',
      statement: `update terms set count = count + 3 where name = 'spices'`,
      told: /"spices", has the count 4, and 1/,
    },
    {
      round: 1,
      name: 'a word index that lacks events',
      statement: ON_POSTGRES ? 'delete from event_texts' : 'delete from event_texts where rowid > 0',
      told: /events have other words/,
    },
    {
      round: 2,
      name: 'words of an event that was changed by hand',
      statement: `update events set search = 'quinces', title_search = 'quinces' where title = 'Zanzibar evening'`,
      told: /1 events have other words/,
    },
    {
      round: 1,
      name: 'words of names',
      statement: `delete from linked_words where kind = 'term'`,
      told: /terms have other words/,
    },
    {
      round: 2,
      name: 'parents of categories',
      statement: `update terms set parent = 99999 where name = 'spices'`,
      told: /by "parent" to rows of terms/,
    },
    {
      round: 1,
      name: 'authors of categories who are gone',
      statement: `update terms set author = 99999 where name = 'spices'`,
      told: /by "author" to rows of users/,
    },
    {
      round: 1,
      name: 'images of records',
      statement: 'update events set image = 99999',
      told: /by "image" to rows of images/,
    },
    {
      round: 1,
      name: 'what links tell of their events',
      statement: 'update event_terms set shown_end = null',
      told: /index of links to events/,
    },
    ...(ON_POSTGRES ? [] : DAMAGE_OF_SQLITE),
    { round: 2, name: 'series that are gone', statement: 'delete from series', told: /by "series" to rows of series/ },
    // Last: they remove what others need.
    {
      round: 3,
      name: 'links to records that are gone',
      statement: 'delete from venues',
      told: /refer by "linked" to rows of venues/,
    },
    {
      round: 4,
      name: 'tickets and terms of events that are gone',
      statement: 'delete from events',
      told: /refer by "event" to rows of events/,
    },
  ]

  const rounds = IS_THOROUGH ? cases.map((one) => [one]) : Map.groupBy(cases, ({ round }) => round).values()
  for (const round of rounds) {
    it(`finds and repairs ${round.map(({ name }) => name).join(', ')}`, async () => {
      const { check, damage, service } = calendar
      await damage(...round.map(({ statement }) => statement))
      const found = await check()
      assert.equal(found.code, 1, found.out)
      for (const { told } of round) assert.match(found.out, told)
      assert.match(found.err, /^kalends: \d+ problems?; --repair/)
      assert.equal((await check()).code, 1, 'a check changes nothing')
      const repaired = await check('--repair')
      assert.equal(repaired.code, 0, repaired.out)
      assert.match(repaired.out, /^repaired /m)
      const again = await check()
      assert.deepEqual([again.code, again.err], [0, ''], again.out)
      if (round.some(({ name }) => name.startsWith('a word index'))) {
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
