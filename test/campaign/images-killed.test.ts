import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import sharp from 'sharp'
import { createScope } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { sweep } from '../../src/domain/image-files.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openStore } from '../../src/store.ts'
import { times } from '../support/campaign.ts'
import type { Json } from '../support/service.ts'
import { emptyStore } from '../support/store.ts'
import { type Served, serveProcesses } from '../support/workers.ts'

const KILLS = times(20, 4)
const DAY = 86_400

describe(`a service that is killed ${KILLS} times while images are uploaded and removed`, () => {
  it('has every file of every image, and the next sweep removes what was left', { timeout: 900_000 }, async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'kalends-images-killed-'))
    const store = await emptyStore(data)
    t.after(async () => {
      await store.drop()
      rmSync(data, { recursive: true })
    })
    const settings = { data, ...(store.where !== data && { databaseUrl: store.where }) }
    const env: Record<string, string> = store.where === data ? {} : { KALENDS_DATABASE_URL: store.where }
    const serve = (isNew: boolean) => serveProcesses(['--data', data], env, { isNew })
    let authorization = ''
    let stored = 0
    let cut = 0
    for (let n = 0; n < KILLS; n++) {
      const served = await serve(n === 0)
      if (n === 0) authorization = served.authorization
      const api = apiOf(served, authorization)
      const left = await api.list()
      for (const image of left) await api.check(image)
      const work = [
        ...Array.from({ length: 6 }, (_, m) => upload(api, n, m)),
        ...left.slice(0, 3).map(async ({ id }) => (await api.send(`/images/${id}`, { method: 'DELETE' })).status),
      ]
      const settled = Promise.allSettled(work)
      // Killed after some of the answers, at another moment each time: a fixed time would be too early on a slow machine.
      await answered(work, n % 6)
      await setTimeout((n * 7) % 40)
      served.child.kill('SIGKILL')
      await served.closed
      for (const { status, value } of (await settled) as { status: string; value?: number }[]) {
        if (status === 'rejected') cut++
        else assert.ok([200, 201, 404].includes(value ?? 0), `answered ${value}`)
        if (value === 201) stored++
      }
    }
    assert.ok(stored > 0 && cut > 0, `${stored} were stored, ${cut} were cut off`)
    t.diagnostic(`${stored} images were stored, ${cut} requests were cut off`)
    const config = readConfig(settings, {})
    const db = openStore(config)
    await sweep({ ...createScope(config, db), clock: () => systemClock() + DAY })
    await db.close()
    const served = await serve(false)
    const api = apiOf(served, authorization)
    const images = await api.list()
    for (const image of images) await api.check(image)
    served.child.kill('SIGKILL')
    await served.closed
    const named = images.flatMap(filesOf).map(({ url }) => String(url).split('/').at(-1))
    const found = readdirSync(join(data, 'images'), { recursive: true, withFileTypes: true })
    assert.deepEqual(
      found
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort(),
      named.sort(),
    )
  })
})

type Api = ReturnType<typeof apiOf>

function apiOf({ url }: Served, authorization: string) {
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/calendar/events/v1${path}`, { ...init, headers: { authorization, ...init.headers } })
  return {
    send,
    async list(): Promise<Json[]> {
      const response = await send('/images?per_page=50')
      assert.equal(response.status, 200)
      return ((await response.json()) as Json).images
    },
    /** All files of an image must be there, as long as it says. */
    async check(image: Json): Promise<void> {
      for (const { url: address, filesize } of filesOf(image)) {
        const response = await fetch(`${url}${new URL(address).pathname}`)
        assert.deepEqual([response.status, (await response.bytes()).length], [200, filesize])
      }
    },
  }
}

const filesOf = (image: Json): Json[] => [image, ...Object.values<Json>(image.sizes)]

/** Every second picture is the same as before the service was killed. */
async function upload(api: Api, n: number, m: number): Promise<number> {
  const background = { r: m % 2 === 0 ? m : n, g: 10 * m, b: m }
  const picture = await sharp({ create: { width: 500, height: 400, channels: 3, background } })
    .png()
    .toBuffer()
  return (
    await api.send('/images', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: new Uint8Array(picture),
    })
  ).status
}

/** Waits until so many have answered, or all have ended. */
function answered(work: readonly Promise<unknown>[], count: number): Promise<void> {
  return new Promise((resolve) => {
    let done = 0
    const check = () => {
      if (done >= count) resolve()
    }
    for (const one of work)
      one
        .then(
          () => done++,
          () => {},
        )
        .then(check)
    check()
    void Promise.allSettled(work).then(() => resolve())
  })
}
