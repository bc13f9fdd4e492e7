import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it, type TestContext } from 'node:test'
import sharp from 'sharp'
import { type App, createApp } from '../../src/app.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { API, FIXED, type Received, receive, recordPaths } from '../support/answers.ts'
import { clock } from '../support/calendar.ts'
import { runCommand } from '../support/commands.ts'
import { runKalends } from '../support/processes.ts'
import { RandomSite, seeded } from '../support/random-site.ts'
import { basic, PASSWORD, type Service, startService } from '../support/service.ts'
import { signIn } from '../support/staff.ts'
import { emptyStore, ON_POSTGRES } from '../support/store.ts'
import { times } from '../support/thorough.ts'

const LIMITS = { rateLimit: '0', userRateLimit: '0', loginLimit: '0', uploadQuota: '0', maxPerPage: '500' } as const
const CHANGES = times(40, 15)

describe('a backup', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-backup-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  /** A calendar with its data in a folder, and the flags of commands for it. */
  async function start(t: TestContext, name: string): Promise<{ service: Service; flags: string[]; data: string }> {
    const data = join(folder, name)
    const service = await startService({ folder: data, settings: { ...LIMITS, data }, clock })
    t.after(() => service.close())
    return { service, data, flags: ['--data', data, ...(ON_POSTGRES ? ['--database', service.where] : [])] }
  }

  /** Restores a backup to a place of its own, and starts a service there. */
  async function restored(t: TestContext, file: string, config: Service['config']): Promise<{ url: string; app: App }> {
    const data = mkdtempSync(join(folder, 'restored-'))
    const store = await emptyStore(data)
    const flags = ON_POSTGRES ? ['--database', store.where] : []
    const { code, err } = await runCommand(['restore', file, '--data', data, ...flags])
    assert.deepEqual([code, err], [0, ''])
    const db = openDatabase(store.where)
    await db.migrate()
    const app = await createApp({ ...config, data }, db, { clock, logger: false })
    t.after(async () => {
      await app.close()
      await store.drop()
    })
    return { app, url: await app.server.listen({ port: 0, host: '127.0.0.1' }) }
  }

  it('that is made under load has one moment of everything, and gives the same answers elsewhere', async (t) => {
    const { service, flags } = await start(t, 'busy')
    const site = new RandomSite(service, seeded(24))
    await site.fill()
    for (let n = 0; n < CHANGES; n++) await site.change()
    const load = new Load(service)
    await load.reached(5, 2)
    const before = load.drafts
    const file = join(folder, 'busy.tar')
    const made = await runKalends(['backup', file, ...flags])
    assert.deepEqual([made.code, made.err], [0, ''])
    assert.match(made.out, /^Backed up to .*busy\.tar: .*, checked\.\n$/)
    await load.stop()
    const { url, app } = await restored(t, file, service.config)
    const source = await service.listen()
    for (const path of [...FIXED, ...recordPaths(site)])
      assert.deepEqual(
        withoutVersion(await receive(url + path, {})),
        withoutVersion(await receive(source + path, {})),
        path,
      )
    // Drafts were written one after the other: those of the backup are the first ones.
    const list = `${API}/events?status=draft&search=load&per_page=500&_fields=events.title,total`
    const { body } = await receive(url + list, { authorization: basic('administrator') })
    const numbers = (JSON.parse(body).events as { title: string }[]).map(({ title }) => Number(title.split(' ')[1]))
    assert.ok(numbers.length >= before && before > 0, `${numbers.length} of ${before}`)
    assert.deepEqual(
      numbers.sort((one, other) => one - other),
      numbers.map((_, n) => n),
    )
    await everyImageIsThere(app)
    const next = { title: 'Later', start_date: '2031-07-01', end_date: '2031-07-01' }
    const created = await app.server.inject({
      method: 'POST',
      url: `${API}/events`,
      headers: { authorization: basic('administrator', PASSWORD), 'content-type': 'application/json' },
      payload: JSON.stringify(next),
    })
    assert.equal(created.statusCode, 201)
    assert.ok(created.json().id > Math.max(...site.events.keys()))
  })

  it('has the sessions and links of the site', async (t) => {
    const { service, flags } = await start(t, 'sessions')
    const { cookie } = await signIn(service, 'editor')
    const file = join(folder, 'sessions.tar')
    await runCommand(['backup', file, ...flags])
    const { app } = await restored(t, file, service.config)
    for (const server of [service, app.server])
      assert.equal((await server.inject({ url: '/manage', headers: { cookie } })).statusCode, 200)
  })

  it('ends the tokens of changes, those from before it and those from after it', async (t) => {
    const { service, flags } = await start(t, 'changes')
    const next = async () => (await service.expect(200, null, '/changes')).next as string
    const tokens = [await next()]
    await service.expect(201, 'editor', '/venues', { json: { venue: 'Before' } })
    tokens.push(await next())
    const file = join(folder, 'changes.tar')
    await runCommand(['backup', file, ...flags])
    await service.expect(201, 'editor', '/venues', { json: { venue: 'After' } })
    tokens.push(await next())
    const { app } = await restored(t, file, service.config)
    const ask = (query: string) => app.server.inject({ url: `${API}/changes${query}` })
    for (const token of tokens) {
      const { statusCode, body } = await ask(`?since=${token}`)
      assert.deepEqual([statusCode, JSON.parse(body).code], [410, 'changes-token-expired'])
    }
    const fresh = JSON.parse((await ask('')).body).next
    assert.equal((await ask(`?since=${fresh}`)).statusCode, 200)
  })

  it('of an earlier version ends the tokens of changes, too', { skip: ON_POSTGRES }, async (t) => {
    const { service, flags, data } = await start(t, 'earlier')
    const { next } = await service.expect(200, null, '/changes')
    const database = new DatabaseSync(join(data, 'kalends.sqlite'))
    database.exec(`delete from kysely_migration where name = '0033-start-of-links'`)
    database.close()
    const file = join(folder, 'earlier.tar')
    assert.equal((await runCommand(['backup', file, ...flags])).code, 0)
    const { app } = await restored(t, file, service.config)
    assert.equal((await app.server.inject({ url: `${API}/changes?since=${next}` })).statusCode, 410)
  })

  it('is written to a new file of a folder, and replaces no file that is not a backup', async (t) => {
    const { flags } = await start(t, 'targets')
    const target = join(folder, 'all')
    mkdirSync(target)
    for (let n = 0; n < 2; n++) assert.equal((await runCommand(['backup', target, ...flags])).code, 0)
    const names = readdirSync(target)
    assert.equal(names.length, 2)
    for (const name of names) assert.match(name, /^kalends-\d{4}-\d\d-\d\dT\d{6}Z(-2)?\.tar$/)
    const again = await runCommand(['backup', join(target, names[0] ?? ''), ...flags])
    assert.equal(again.code, 0, again.err)
    const other = join(folder, 'thesis.txt')
    writeFileSync(other, 'years of work')
    const { code, err } = await runCommand(['backup', other, ...flags])
    assert.deepEqual([code, /^kalends: .*is not a backup/.test(err)], [1, true], err)
    assert.equal(readFileSync(other, 'utf8'), 'years of work')
  })

  it('that is damaged, cut off or of a later version is refused in words, and leaves nothing behind', async (t) => {
    const { service, flags } = await start(t, 'whole')
    await new RandomSite(service, seeded(3)).fill()
    const file = join(folder, 'whole.tar')
    await runCommand(['backup', file, ...flags])
    const bytes = readFileSync(file)
    const place = mkdtempSync(join(folder, 'place-'))
    const refused = async (content: Buffer, why: RegExp) => {
      const bad = join(folder, 'bad.tar')
      writeFileSync(bad, content)
      const { code, err } = await runCommand(['restore', bad, '--data', join(place, 'new')])
      assert.equal(code, 1)
      assert.match(err, /^kalends: [^\n]+\n$/)
      assert.match(err, why)
      assert.deepEqual(readdirSync(place), [])
    }
    for (const position of [40, 700, bytes.length >> 1, bytes.length - 5000, bytes.length - 1900, bytes.length - 3]) {
      const copy = Buffer.from(bytes)
      copy[position] = (copy[position] ?? 0) ^ 1
      await refused(copy, /not a backup|damaged/)
    }
    for (const length of [0, 100, 1024, bytes.length >> 1, bytes.length - 512, bytes.length - 1])
      await refused(bytes.subarray(0, length), /not complete|not a backup|damaged/)
    await refused(Buffer.concat([bytes, Buffer.alloc(512)]), /damaged/)
    await refused(Buffer.from('nothing'), /not a backup/)
  })

  it('replaces a calendar only by force, and never one that is in use', { skip: ON_POSTGRES }, async (t) => {
    const { service, flags, data } = await start(t, 'first')
    await service.expect(201, 'editor', '/events', {
      json: { title: 'Kept', start_date: '2031-06-10', end_date: '2031-06-10' },
    })
    const file = join(folder, 'first.tar')
    await runCommand(['backup', file, ...flags])
    const inUse = await runCommand(['restore', file, ...flags, '--force'])
    assert.deepEqual([inUse.code, /is in use: stop the service/.test(inUse.err)], [1, true], inUse.err)
    const other = join(folder, 'second')
    await runCommand(['user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--data', other])
    const { code, err } = await runCommand(['restore', file, '--data', other])
    assert.deepEqual([code, /has a calendar: .*--force/.test(err)], [1, true], err)
    assert.match((await runCommand(['user', 'list', '--data', other])).out, /zoe/)
    const forced = await runCommand(['restore', file, '--data', other, '--force'])
    assert.deepEqual([forced.code, forced.err], [0, ''])
    assert.doesNotMatch((await runCommand(['user', 'list', '--data', other])).out, /zoe/)
    assert.deepEqual(readdirSync(other), ['kalends.sqlite'])
    assert.ok(readdirSync(data).includes('kalends.sqlite'))
  })

  it('of a later version is refused with its name', { skip: ON_POSTGRES }, async () => {
    const data = join(folder, 'later')
    await runCommand(['user', 'add', 'zoe', '--role', 'editor', '--email', 'zoe@example.org', '--data', data])
    const database = new DatabaseSync(join(data, 'kalends.sqlite'))
    database.exec(`insert into kysely_migration (name, timestamp) values ('9999-later', '')`)
    database.close()
    for (const args of [
      ['backup', join(folder, 'later.tar')],
      ['user', 'list'],
    ]) {
      const { code, err } = await runCommand([...args, '--data', data])
      assert.deepEqual([code, /later version.*9999-later/.test(err)], [1, true], err)
    }
  })

  it('is refused on PostgreSQL where there are tables, unless by force', { skip: !ON_POSTGRES }, async (t) => {
    const { service, flags } = await start(t, 'server')
    const file = join(folder, 'server.tar')
    await runCommand(['backup', file, ...flags])
    await service.expect(201, 'editor', '/venues', { json: { venue: 'Later' } })
    const { code, err } = await runCommand(['restore', file, ...flags])
    assert.deepEqual([code, /not empty: .*--force/.test(err)], [1, true], err)
    await service.expect(200, null, '/venues?search=later')
    const forced = await runCommand(['restore', file, ...flags, '--force'])
    assert.deepEqual([forced.code, forced.err], [0, ''])
    const embedded = await runCommand(['restore', file, '--data', join(folder, 'embedded')])
    // By pg_dump, if it is here in the version of the server.
    if (readFileSync(file).includes('database.dump')) {
      assert.deepEqual([embedded.code, /has a dump of PostgreSQL/.test(embedded.err)], [1, true], embedded.err)
      return
    }
    assert.deepEqual([embedded.code, embedded.err], [0, ''])
    assert.match((await runCommand(['user', 'list', '--data', join(folder, 'embedded')])).out, /editor/)
  })

  async function everyImageIsThere(app: App): Promise<void> {
    const { body } = await app.server.inject({
      url: `${API}/images?per_page=50`,
      headers: { authorization: basic('administrator') },
    })
    const { images } = JSON.parse(body) as { images: { url: string; filesize: number }[] }
    assert.ok(images.length > 0)
    for (const { url, filesize } of images) {
      const answer = await app.server.inject({ url: new URL(url).pathname })
      assert.deepEqual([answer.statusCode, answer.rawPayload.length], [200, filesize], url)
    }
  }
})

/** The tag of a feed is the version of the data, which the drafts change, too. */
function withoutVersion({ status, headers, body }: Received) {
  const { etag, ...others } = headers
  return { status, headers: String(etag).startsWith('W/') ? others : headers, body }
}

/** Writes numbered drafts, one after the other, and uploads and removes images, until it is stopped. */
class Load {
  drafts = 0
  readonly #service: Service
  #images = 0
  #isRunning = true
  readonly #ended: Promise<unknown>

  constructor(service: Service) {
    this.#service = service
    this.#ended = Promise.all([this.#write(), this.#upload()])
  }

  async reached(drafts: number, images: number): Promise<void> {
    while (this.drafts < drafts || this.#images < images) await new Promise((resolve) => setImmediate(resolve))
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await this.#ended
  }

  async #write(): Promise<void> {
    const when = { start_date: '2031-06-10', end_date: '2031-06-11', status: 'draft' }
    for (; this.#isRunning; this.drafts++)
      await this.#service.expect(201, 'administrator', '/events', { json: { title: `Load ${this.drafts}`, ...when } })
  }

  async #upload(): Promise<void> {
    for (let shade = 0; this.#isRunning; shade++) {
      const create = {
        width: 400,
        height: 300,
        channels: 3,
        background: { r: shade % 256, g: shade >> 8, b: 9 },
      } as const
      const raw = await sharp({ create }).png().toBuffer()
      const headers = { 'content-type': 'image/png' }
      const { id } = await this.#service.expect(201, 'administrator', '/images', { method: 'POST', raw, headers })
      if (shade % 2 === 0) this.#images++
      else await this.#service.expect(200, 'administrator', `/images/${id}?force=true`, { method: 'DELETE' })
    }
  }
}
