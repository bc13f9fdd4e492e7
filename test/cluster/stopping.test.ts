import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { finished, startKalends } from '../support/processes.ts'
import { emptyStore, ON_POSTGRES } from '../support/store.ts'
import { Visitor } from '../support/visitor.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

const TAGS = '/calendar/events/v1/tags'

for (const workers of ['1', '2']) {
  describe(`a service that is told to stop, ${workers === '1' ? 'of one process' : 'with workers'}`, () => {
    /** The settings of a service on a database without tables. */
    async function settings(t: TestContext, delay: string): Promise<Record<string, string>> {
      const folder = mkdtempSync(join(tmpdir(), 'kalends-stopping-'))
      const store = await emptyStore(folder)
      t.after(async () => {
        await store.drop()
        rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
      })
      return {
        KALENDS_DATABASE_URL: ON_POSTGRES ? store.where : '',
        KALENDS_DATA: folder,
        KALENDS_WORKERS: workers,
        KALENDS_STOP_DELAY: delay,
      }
    }

    /** A service, and clients of its administrator who have a connection open. */
    async function serve(t: TestContext, delay: string, count = 4) {
      const served = await serveProcesses([], await settings(t, delay))
      const port = Number(new URL(served.url).port)
      const { authorization } = served
      const clients = Array.from({ length: count }, () => new Visitor(port, '127.0.0.1', { authorization }))
      for (const client of clients) assert.equal((await client.ask(TAGS)).status, 200)
      t.after(() => {
        for (const client of clients) client.close()
      })
      return { ...served, port, clients }
    }

    it('says so, answers for the set time, and ends every connection with an answer', async (t) => {
      const { child, closed, clients, port, url } = await serve(t, '2')
      const told = performance.now()
      child.kill('SIGTERM')
      await eventually(async () => (await fetch(`${url}/readyz`)).status === 503)
      const ready = await fetch(`${url}/readyz`)
      assert.deepEqual(
        [ready.status, ready.headers.get('connection'), await ready.json()],
        [503, 'close', { status: 'stopping' }],
      )
      assert.equal(ready.headers.get('retry-after'), '5')
      assert.equal((await fetch(`${url}/healthz`)).status, 200)
      for (const [n, client] of clients.entries()) {
        const { status, headers } = await client.ask(TAGS, { json: { name: `Late ${n}` } })
        assert.deepEqual([status, headers.connection], [201, 'close'])
        const list = await client.ask(TAGS)
        assert.deepEqual([list.status, list.headers.connection], [200, 'close'])
      }
      const idle = new Visitor(port, '127.0.0.1')
      assert.equal((await idle.ask('/healthz')).headers.connection, 'close')
      idle.close()
      assert.equal(await closed, 0)
      assert.ok(performance.now() - told >= 2000)
    })

    it('is gone soon after Ctrl-C, though clients keep connections', async (t) => {
      const { child, closed, port } = await serve(t, '300')
      const silent = connect(port, '127.0.0.1').on('error', () => {})
      t.after(() => silent.destroy())
      await new Promise((resolve) => silent.once('connect', resolve))
      child.kill('SIGINT')
      // Not after 300 s.
      const isOver = await Promise.race([closed, setTimeout(20_000, 'late', { ref: false })])
      assert.equal(isOver, 0)
    })

    it('ends at once when it is told again', async (t) => {
      const { child, closed, url } = await serve(t, '300')
      child.kill('SIGTERM')
      await eventually(async () => (await fetch(`${url}/readyz`)).status === 503)
      await eventually(() => {
        child.kill('SIGTERM')
        return child.exitCode !== null
      })
      assert.equal(await closed, 1)
    })

    it('shows no stack trace, at whatever moment of its first start it is told', { timeout: 170_000 }, async (t) => {
      const begin = async () => startKalends(['serve', '--port', '0', '--host', '127.0.0.1'], await settings(t, '0'))
      const begun = performance.now()
      const first = await begin()
      await new Promise<void>((resolve) => {
        first.stdout.on('data', (data) => {
          if (/listening at/.test(String(data))) resolve()
        })
      })
      const duration = performance.now() - begun
      first.kill('SIGKILL')
      for (const part of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1]) {
        const child = await begin()
        const result = finished(child)
        await setTimeout(part * duration)
        child.kill('SIGTERM')
        const { code, out, err } = await result
        assert.ok(code === 0 || child.signalCode === 'SIGTERM', `${code} ${child.signalCode} ${out}`)
        assert.equal(err, '')
        assert.doesNotMatch(out, /^\s+at |"level":[56]0/m)
      }
    })

    const skip = (workers === '1' && 'has no workers') || (!existsSync('/proc/self') && 'needs /proc')
    it('shows no stack trace when it is told as its first worker starts', { skip }, async (t) => {
      const child = startKalends(['serve', '--port', '0', '--host', '127.0.0.1'], await settings(t, '0'))
      const result = finished(child)
      // Without a pause: the next worker is started milliseconds later.
      while (readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8') === '');
      child.kill('SIGTERM')
      const { code, err } = await result
      assert.deepEqual({ code, err }, { code: 0, err: '' })
    })
  })
}
