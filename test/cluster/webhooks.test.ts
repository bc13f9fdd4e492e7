import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startReceiver } from '../support/receiver.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }

describe('webhooks of a service of several processes', () => {
  it('are sent in order by one of them, and after a kill between the commit and the delivery', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-webhooks-'))
    const store = await freshStore(folder)
    const receiver = await startReceiver()
    const env = { KALENDS_DATABASE_URL: ON_POSTGRES ? store.where : '', KALENDS_FETCH_HOSTS: '127.0.0.1' }
    const args = ['--workers', '2', '--data', folder]
    const first = await serveProcesses(args, env)
    t.after(async () => {
      await receiver.close()
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    })
    const made = await first.connect().send('POST', '/webhooks', { url: receiver.url, payload: 'full' })
    assert.equal(made.status, 201)

    // Nothing is answered until the process is killed.
    const { promise: gate, resolve: open } = Promise.withResolvers<number>()
    receiver.answer = () => gate
    const connections = [first.connect(), first.connect()]
    const { body: event } = await (connections[0] ?? first.connect()).send('POST', '/events', {
      ...EVENT,
      status: 'draft',
    })
    for (let n = 1; n <= 6; n++) {
      const answer = await (connections[n % 2] ?? first.connect()).send('PATCH', `/events/${event.id}`, {
        title: `T${n}`,
      })
      assert.equal(answer.status, 200)
    }
    await eventually(() => receiver.received.length > 0)
    first.child.kill('SIGKILL')
    await first.closed
    open(503)
    receiver.received.length = 0
    receiver.answer = () => 200

    const second = await serveProcesses(args, env, { isNew: false })
    await eventually(() => receiver.received.length >= 7)
    const titles = receiver.received.map(({ body }) => body.data.record.title)
    assert.deepEqual(titles, ['E', 'T1', 'T2', 'T3', 'T4', 'T5', 'T6'])
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 7, 'each once')
    second.child.kill('SIGTERM')
    assert.equal(await second.closed, 0)
  })
})
