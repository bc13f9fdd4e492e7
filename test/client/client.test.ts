import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { type Event, Kalends, KalendsError } from '../../packages/client/src/index.ts'
import { FILE, generate } from '../../scripts/generate-client.ts'
import * as users from '../../src/domain/users.ts'
import { endpoints } from '../../src/rest/endpoints.ts'
import { PASSWORD, type Service, startService } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'

const WHEN = { start_date: '2031-06-10 12:00', end_date: '2031-06-10 15:00' }

describe('@kalends/client', () => {
  let service: Service
  let url: string
  let kalends: Kalends
  before(async () => {
    service = await startService()
    url = await service.listen()
    kalends = new Kalends({ url, username: 'editor', password: PASSWORD })
  })
  after(() => service.close())

  it('has the types of the document', () => {
    assert.equal(readFileSync(FILE, 'utf8'), generate(), 'run npm run generate')
  })

  it('has every resource', () => {
    const lists = endpoints.filter(({ name }) => name.endsWith('.list')).map(({ name }) => name.split('.')[0] ?? '')
    const missing = lists.filter((list) => !(list in kalends))
    assert.deepEqual(missing, [], 'add them to the class Kalends in packages/client/src/index.ts')
  })

  it('creates, reads, changes and removes', async () => {
    const created: Event = await kalends.events.create({
      title: 'Typed',
      ...WHEN,
      tags: ['Rock, pop & more'],
      venue: { venue: 'Hall' },
    })
    assert.equal((await kalends.events.get({ slug: 'typed' })).id, created.id)
    const changed = await kalends.events.update(created.id, { featured: true, cost: null })
    assert.deepEqual([changed.featured, changed.title], [true, 'Typed'])
    const found = await kalends.events.list({ start_date: '2031-01-01', tags: ['Rock, pop & more'] })
    assert.deepEqual([found.total, found.items[0]?.id, found.hasNext], [1, created.id, false])
    assert.equal((await kalends.events.remove(created.id)).status, 'trash')
    await kalends.events.remove(created.id, { force: true })
    await assert.rejects(kalends.events.get(created.id), { code: 'rest-event-not-found', status: 404 })
  })

  it('goes through every page', async () => {
    for (let n = 0; n < 7; n++) await kalends.tags.create({ name: `Tag ${n}` })
    const names: string[] = []
    for await (const tag of kalends.tags.all({ hide_empty: false, per_page: 2, search: 'Tag ' })) names.push(tag.name)
    assert.deepEqual(names, ['Tag 0', 'Tag 1', 'Tag 2', 'Tag 3', 'Tag 4', 'Tag 5', 'Tag 6'])
  })

  it('tells what went wrong', async () => {
    const error = await kalends.events
      .create({ title: '', start_date: 'never', end_date: '2031-01-01' })
      .catch((reason) => reason)
    assert.ok(error instanceof KalendsError)
    assert.deepEqual(
      [error.code, error.status, Object.keys(error.params)],
      ['rest_invalid_param', 400, ['title', 'start_date']],
    )
    const french = new Kalends({ url, language: 'fr' })
    await assert.rejects(french.venues.create({ venue: 'x' }), { status: 401, message: /connect/ })
  })

  it('signs in with a token, and uploads pictures', async () => {
    const token = await users.createToken({ db: service.db, clock: () => 0 }, 'author', '')
    const author = new Kalends({ url: `${url}/`, token })
    const bytes = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#888' } })
      .png()
      .toBuffer()
    const image = await author.images.create(new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
    assert.deepEqual([image.width, (await author.images.get(image.id)).id], [20, image.id])
  })

  it('does what its README shows', async () => {
    const token = await users.createToken({ db: service.db, clock: () => 0 }, 'author', '')
    const readme = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8')
    const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    assert.equal(example.trim().split('\n').length, 5)
    const folder = mkdtempSync(join(tmpdir(), 'kalends-client-'))
    const file = join(folder, 'example.ts')
    writeFileSync(
      file,
      example
        .replace("'@kalends/client'", JSON.stringify(join(ROOT, 'packages/client/src/index.ts')))
        .replace('http://localhost:8080', url),
    )
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, KALENDS_TOKEN: token },
    })
    assert.match(stdout, /^Picnic$/m)
    rmSync(folder, { recursive: true })
  })

  it('needs no other package', () => {
    const source = readFileSync(join(ROOT, 'packages/client/src/index.ts'), 'utf8')
    assert.deepEqual(
      [...source.matchAll(/from '([^']+)'/g)].map(([, name]) => name).filter((name) => !name?.startsWith('./')),
      [],
    )
  })
})
