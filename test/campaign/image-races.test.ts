import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { times } from '../support/campaign.ts'
import { raceImages } from '../support/image-races.ts'
import { startS3 } from '../support/s3.ts'
import { type Options, type Service, startService } from '../support/service.ts'

const TRIES = times(300, 40)

async function start(t: TestContext, options: Options = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-races-'))
  const service = await startService({ folder, ...options })
  t.after(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })
  return service
}

describe(`the same image, uploaded and removed at once on two nodes, ${TRIES} times`, () => {
  it('is never without its files in a folder, and leaves none behind', { timeout: 600_000 }, async (t) => {
    const service = await start(t)
    await raceImages(service, TRIES)
    const left = readdirSync(service.config.data, { recursive: true, withFileTypes: true })
    assert.deepEqual(
      left.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    )
  })

  it('is never without its files in an S3-compatible store, and leaves none behind', {
    timeout: 600_000,
  }, async (t) => {
    const s3 = await startS3()
    t.after(() => s3.close())
    await raceImages(await start(t, { settings: s3.settings }), TRIES)
    assert.deepEqual([...s3.files.keys()], [])
  })
})
