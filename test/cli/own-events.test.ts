import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { runCommand } from '../support/commands.ts'
import { freePort } from '../support/free-port.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { some } from '../support/thorough.ts'

/** Runs the command, and answers what it told; also when it failed. */
async function kalends(...args: string[]): Promise<string> {
  const { out, err } = await runCommand(args, { KALENDS_FETCH_HOSTS: '127.0.0.1' })
  return out + err
}

const WHEN = { start_date: '2031-06-10 19:00', end_date: '2031-06-10 20:00', timezone: 'UTC' }
const QUERY = { start_date: '2030-01-01', per_page: 50, status: 'publish,draft,private' }

describe('events that were exported', { skip: ON_POSTGRES && 'needs the embedded database' }, () => {
  let folder: string
  let site: Service
  let here: string[]
  let images: number[]
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-own-'))
    const port = await freePort()
    const settings = { baseUrl: `http://127.0.0.1:${port}`, timezone: 'UTC', data: join(folder, 'site') }
    site = await startService({ folder: join(folder, 'site'), settings })
    await site.listen(port)
    here = ['--data', join(folder, 'site'), '--base-url', settings.baseUrl, '--timezone', 'UTC']
    images = []
    for (const background of ['red', 'blue']) {
      const raw = await sharp({ create: { width: 40, height: 30, channels: 3, background } })
        .png()
        .toBuffer()
      images.push((await site.expect(201, 'editor', '/images', { raw, headers: { 'content-type': 'image/png' } })).id)
    }
    const [red, blue] = images
    for (const json of [
      { title: 'Red', image: red, slug: 'the-red-one' },
      { title: 'Red too', image: red, status: 'draft' },
      { title: 'Blue', image: blue, status: 'private' },
      { title: 'Bare' },
    ])
      await site.expect(201, 'administrator', '/events', { json: { ...WHEN, ...json } })
  })
  after(async () => {
    await site.close()
    rmSync(folder, { recursive: true })
  })

  const events = async ({ expect }: Service): Promise<Json[]> =>
    (await expect(200, 'administrator', '/events', { query: QUERY })).events
  const shown = async (service: Service) =>
    (await events(service)).map(({ id, title, status, slug, image }) => ({ id, title, status, slug, image: image.id }))
  const exported = async (format: string) => {
    const file = join(folder, `all.${format}`)
    await kalends('export', '--format', format, '--all', '--output', file, ...here)
    return file
  }

  for (const format of some(['csv', 'ics'] as const, 1)) {
    it(`bring their images to another site as .${format}, each once, and are known again`, async () => {
      const file = await exported(format)
      assert.match(readFileSync(file, 'utf8').replaceAll('\r\n ', ''), /\/images\/[0-9a-f]{64}\.png/)
      const data = join(folder, `other-${format}`)
      const other = await startService({ folder: data, settings: { data } })
      const there = ['--data', data, '--base-url', 'https://other.example.org', '--timezone', 'UTC']
      assert.match(await kalends('import', file, '--dry-run', ...there), /^Would be: 4 created, .*, 0 skipped\.$/m)
      const told = await kalends('import', file, ...there)
      assert.match(told, /^4 created, 0 updated, 0 unchanged, 0 moved to the trash, 0 skipped\.$/m)
      assert.doesNotMatch(told, /brought without/)
      const brought = await events(other)
      const own = await events(site)
      for (const { title, image, status } of own) {
        const same = brought.find((event) => event.title === title)
        assert.equal(same.status, status)
        assert.deepEqual([same.image.width, same.image.height], [image.width, image.height], title)
        const bytes = await other.inject({ url: new URL(same.image.url ?? 'http://x/none').pathname })
        assert.equal(bytes.statusCode, image === false ? 404 : 200, title)
      }
      assert.equal((await other.expect(200, 'editor', '/images')).total, 2)
      assert.match(await kalends('import', file, ...there), /^0 created, 0 updated, 4 unchanged/m)
      await other.close()
    })

    it(`are changed by a .${format} of their own site only with --adopt`, async () => {
      const file = await exported(format)
      const before = await shown(site)
      const [red, , blue] = before
      await site.expect(200, 'administrator', `/events/${red?.id}`, {
        method: 'PATCH',
        json: { title: 'Changed', image: false },
      })
      await site.expect(200, 'administrator', `/events/${blue?.id}`, { method: 'PATCH', json: { status: 'publish' } })
      assert.match(await kalends('import', file, '--dry-run', ...here), /^Would be: 4 created, 0 updated/m)
      assert.match(await kalends('import', file, '--dry-run', '--adopt', ...here), /^Would be: 0 created, 4 updated/m)
      assert.match(await kalends('import', file, '--adopt', ...here), /^0 created, 4 updated, .*, 0 skipped\.$/m)
      assert.deepEqual(await shown(site), before)
      assert.match(await kalends('import', file, '--adopt', ...here), /^0 created, 0 updated, 4 unchanged/m)

      // Even what was adopted before is left alone without the flag.
      assert.match(await kalends('import', file, ...here), /^4 created, 0 updated, 0 unchanged/m)
      assert.match(await kalends('import', file, ...here), /^0 created, 0 updated, 4 unchanged/m)
      const after = await shown(site)
      assert.equal(after.length, 8)
      assert.deepEqual(
        after.filter(({ id }) => before.some((event) => event.id === id)),
        before,
      )
      for (const { id } of after)
        if (!before.some((event) => event.id === id))
          await site.expect(200, 'administrator', `/events/${id}`, { method: 'DELETE', query: { force: true } })
    })
  }

  it('are told of if their own feed is adopted, which says less of them', async () => {
    const told = await kalends('import', `${site.config.baseUrl}/events.ics?start_date=2030-01-01`, '--adopt', ...here)
    assert.match(told, /this very site/)
    assert.match(told, /^0 created, 0 updated, 0 unchanged/m)
    assert.match(
      await kalends('import', `${site.config.baseUrl}/calendar/events/v1`, '--adopt', ...here),
      /--adopt is for calendars and tables/,
    )
  })
})
