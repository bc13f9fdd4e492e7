import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import sharp from 'sharp'
import { createScope } from '../../src/app.ts'
import * as imageFiles from '../../src/domain/image-files.ts'
import * as images from '../../src/domain/images.ts'
import type { Scope } from '../../src/domain/scope.ts'
import type { FileStore } from '../../src/storage/files.ts'
import { raceImages } from '../support/image-races.ts'
import { startS3 } from '../support/s3.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { times } from '../support/thorough.ts'

const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }
const HOUR = 3600

const picture = (background: string, size = 200): Promise<Buffer> =>
  sharp({ create: { width: size, height: size, channels: 3, background } })
    .png()
    .toBuffer()

async function start(t: TestContext): Promise<Service> {
  const service = await startService()
  t.after(() => service.close())
  return service
}

const upload = (service: Service, raw: Buffer) =>
  service.call('editor', '/images', { raw, headers: { 'content-type': 'image/png' } })
const remove = (service: Service, id: number) =>
  service.call('editor', `/images/${id}`, { method: 'DELETE', query: { force: true } })

/** The files below the data folder of a service. */
function filesOf({ config }: Service): string[] {
  const entries = readdirSync(config.data, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** The URLs of an image, whole and smaller. */
function urlsOf(image: Json): string[] {
  return [image, ...Object.values<Json>(image.sizes)].map(({ url }) => new URL(url).pathname)
}

/** How many images there are, and how many of them have a file that cannot be shown. */
async function count(service: Service): Promise<{ all: number; broken: number }> {
  const { images: listed, total } = await service.expect(200, 'editor', '/images', { query: { per_page: 50 } })
  let broken = 0
  for (const image of listed) {
    const statuses = await Promise.all(urlsOf(image).map(async (url) => (await service.inject({ url })).statusCode))
    if (statuses.some((status) => status !== 200)) broken++
  }
  return { all: total, broken }
}

/** How many times an image is uploaded and removed at once. */
const RACES = times(24, 2)

describe('the same image, uploaded and removed at once', () => {
  it('is never without its files, and leaves none behind', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-races-'))
    const service = await startService({ folder })
    t.after(async () => {
      await service.close()
      rmSync(folder, { recursive: true })
    })
    await raceImages(service, RACES)
    assert.deepEqual(filesOf(service), [])
  })

  it('is never without its files in an S3-compatible store', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-races-'))
    const s3 = await startS3()
    const service = await startService({ folder, settings: s3.settings })
    t.after(async () => {
      await service.close()
      s3.close()
      rmSync(folder, { recursive: true })
    })
    await raceImages(service, RACES)
    assert.equal(s3.files.size, 0)
  })

  it('is never without its files if it is removed by another node between any two steps of the upload', async (t) => {
    const service = await start(t)
    const raw = await picture('#aa3333', 160)
    for (const step of ['put', 'size', 'get', 'remove'] as const) {
      for (let time = 1; time <= 3; time++) {
        const { id } = (await upload(service, raw)).json()
        let calls = 0
        const scope = scopeOf(service)
        const slow = async (...args: unknown[]) => {
          const result = await (scope.files[step] as (...all: unknown[]) => Promise<unknown>)(...args)
          if (++calls === time) await remove(service, id)
          return result
        }
        await images.create(scopeOf(service, { files: { ...scope.files, [step]: slow } }), async () => raw)
        assert.deepEqual(await count(service), { all: 1, broken: 0 })
      }
    }
  })
})

const scopeOf = (service: Service, more: Partial<Scope> = {}): Scope => ({
  ...createScope(service.config, service.db),
  user: { id: service.ids.editor, name: 'editor', role: 'editor' },
  ...more,
})

describe('files that no image names', () => {
  it('are not left by requests that are refused', async (t) => {
    const service = await start(t)
    const form = new FormData()
    form.set('title', '')
    form.set('image', new File([new Uint8Array(await picture('#123456'))], 'x.png', { type: 'image/png' }))
    const { headers, body } = new Request('http://x', { method: 'POST', body: form })
    const raw = Buffer.from(await new Response(body).arrayBuffer())
    await service.expect(400, 'editor', '/events', { raw, headers: Object.fromEntries(headers) })
    assert.deepEqual(filesOf(service), [])
    await service.expect(200, 'editor', '/images')
  })

  it('are swept when they are old, and those of images and of uploads that are under way are not', async (t) => {
    const service = await start(t)
    const kept = (await upload(service, await picture('#000000'))).json()
    const scope = scopeOf(service)
    // The process is killed before there is an image.
    const lost: FileStore = {
      ...scope.files,
      put: async (...args) => {
        if (!args[0].includes('-150x150')) return scope.files.put(...args)
        writeFileSync(join(service.config.data, `${args[0]}.part`), 'half of it')
        throw new Error('killed')
      },
      remove: () => Promise.reject(new Error('killed')),
    }
    const killed = scopeOf(service, { files: lost })
    await assert.rejects(images.create(killed, () => picture('#111111')))
    // Another process is killed after the image was removed and before its files were.
    const removed = (await upload(service, await picture('#222222'))).json()
    await images.remove(killed, removed.id, () => ({}))
    const left = filesOf(service)
    assert.equal(left.length, 6)
    await imageFiles.sweep(scope)
    assert.deepEqual(filesOf(service), left)
    await imageFiles.sweep({ ...scope, clock: () => scope.clock() + 2 * HOUR })
    const names = filesOf(service).map((path) => path.split('/').at(-1))
    assert.deepEqual(
      names.sort(),
      urlsOf(kept)
        .map((url) => url.split('/').at(-1))
        .sort(),
    )
    assert.deepEqual(await count(service), { all: 1, broken: 0 })
  })

  it('are brought again if they were swept while their upload took long', async (t) => {
    const service = await start(t)
    const scope = scopeOf(service)
    let swept = 0
    const slow: FileStore = {
      ...scope.files,
      put: async (...args) => {
        await scope.files.put(...args)
        if (args[0].includes('-150x150') && swept++ === 0)
          await imageFiles.sweep({ ...scope, clock: () => scope.clock() + 2 * HOUR })
      },
    }
    await images.create(scopeOf(service, { files: slow }), () => picture('#333333'))
    assert.equal(swept, 2)
    assert.deepEqual(await count(service), { all: 1, broken: 0 })
  })
})

describe('a file that is not as it was written', () => {
  it('is not sent, and is mended when the image is brought again', async (t) => {
    const service = await start(t)
    const raw = await picture('#777777')
    const image = (await upload(service, raw)).json()
    const event = await service.expect(201, 'editor', '/events', { json: { title: 'Shown', ...WHEN, image: image.id } })
    await service.expect(200, null, `/events/${event.id}`)
    const paths = filesOf(service)
    for (const path of paths) writeFileSync(path, readFileSync(path).subarray(0, 20))
    for (const url of urlsOf(image)) {
      const response = await service.inject({ url })
      assert.equal(response.statusCode, 500)
      assert.equal(response.headers['cache-control'], 'no-store')
    }
    const again = await upload(service, raw)
    assert.deepEqual([again.statusCode, again.json().id], [201, image.id])
    assert.deepEqual(await count(service), { all: 1, broken: 0 })
    const { image: shown } = await service.expect(200, null, `/events/${event.id}`)
    assert.equal((await service.inject({ url: new URL(shown.url).pathname })).statusCode, 200)
    const scope = createScope(service.config, service.db)
    await imageFiles.sweep({ ...scope, clock: () => scope.clock() + 2 * HOUR })
    assert.equal(filesOf(service).length, paths.length)
    // The same if there is none.
    for (const path of filesOf(service)) rmSync(path)
    assert.equal((await upload(service, raw)).json().id, image.id)
    assert.deepEqual(await count(service), { all: 1, broken: 0 })
  })
})
