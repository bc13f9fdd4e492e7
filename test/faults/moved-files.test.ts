import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { eventually, type Served, serveProcesses } from '../support/workers.ts'

async function serve(t: TestContext, ...args: string[]): Promise<{ served: Served; data: string; file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-moved-'))
  const data = join(folder, 'data')
  const served = await serveProcesses(['--data', data, ...args])
  t.after(async () => {
    served.child.kill('SIGKILL')
    await served.closed
    rmSync(folder, { recursive: true })
  })
  return { served, data, file: join(data, 'kalends.sqlite') }
}

function create(served: Served): Promise<Response> {
  return fetch(`${served.url}/calendar/events/v1/events`, {
    method: 'POST',
    headers: { authorization: served.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'An event', start_date: '2031-06-10', end_date: '2031-06-11' }),
  })
}

async function assertRefused(served: Served): Promise<void> {
  const response = await create(served)
  assert.equal(response.status, 503)
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  await eventually(() => /kalends\.sqlite was removed or replaced while it was open/.test(served.out()))
}

describe('a service whose data folder is taken away', () => {
  it('writes nothing that would be lost, is not ready, and makes no new database in its place', async (t) => {
    const { served, data, file } = await serve(t)
    assert.equal((await create(served)).status, 201)
    rmSync(data, { recursive: true })
    await assertRefused(served)
    // Lists are read on a connection of their own, which may be opened now.
    await fetch(`${served.url}/calendar/events/v1/events`)
    const ready = await fetch(`${served.url}/readyz`)
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'not ready', trouble: 'moved' }])
    assert.ok(!existsSync(file))
  })

  it('goes on when it is put back', async (t) => {
    const { served, data } = await serve(t)
    renameSync(data, `${data}-elsewhere`)
    await assertRefused(served)
    renameSync(`${data}-elsewhere`, data)
    assert.equal((await create(served)).status, 201)
    assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
  })

  it('refuses writes when the file is replaced, in every worker', async (t) => {
    const { served, file } = await serve(t, '--workers', '2')
    assert.equal((await create(served)).status, 201)
    renameSync(file, `${file}-elsewhere`)
    writeFileSync(file, '')
    for (let n = 0; n < 4; n++) await assertRefused(served)
  })

  it('refuses writes when the log alone is removed', async (t) => {
    const { served, file } = await serve(t)
    assert.equal((await create(served)).status, 201)
    rmSync(`${file}-wal`)
    await assertRefused(served)
    // Another connection, which may be opened now, meets a log without the pages that it should have.
    await fetch(`${served.url}/calendar/events/v1/events?search=event`)
    const ready = await fetch(`${served.url}/readyz`)
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'not ready', trouble: 'moved' }])
  })
})
