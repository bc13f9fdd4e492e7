import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Balancer, NO_NGINX, startBalancer } from '../support/balancer.ts'
import { freePort } from '../support/postgres.ts'
import { runKalends, startKalends } from '../support/processes.ts'
import { freshStore, ON_POSTGRES, type Store } from '../support/store.ts'
import { Visitor } from '../support/visitor.ts'
import { eventually } from '../support/workers.ts'

/** Fifty restarts, as many as it takes to believe in none that fails, when they are asked for. */
const isLong = process.env.KALENDS_LONG === 'yes'
const RESTARTS = isLong ? 50 : 5
const WRITERS = 8
const timeout = isLong ? 1_200_000 : 170_000

describe('a service that is restarted under load', { timeout }, () => {
  let folder: string
  let store: Store
  let authorization: string
  let env: Record<string, string>
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-restarts-'))
    store = await freshStore(folder)
    env = {
      KALENDS_DATABASE_URL: ON_POSTGRES ? store.where : '',
      KALENDS_DATA: folder,
      KALENDS_HOST: '127.0.0.1',
      KALENDS_RATE_LIMIT: '0',
      KALENDS_USER_RATE_LIMIT: '0',
      KALENDS_LOG_LEVEL: 'warn',
    }
    const user = ['user', 'add', 'restarts', '--role', 'administrator', '--email', 'restarts@example.org']
    assert.equal((await runKalends(user, env)).code, 0)
    const token = (await runKalends(['token', 'create', 'restarts', '--name', 'restarts'], env)).out.trim()
    authorization = `Bearer ${token}`
  })
  after(async () => {
    await store.drop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  })

  /** A service at a port of its own that can be started again and again. */
  async function node(args: readonly string[], delay?: string) {
    const port = await freePort()
    let child: ChildProcess
    let out = ''
    const start = async () => {
      const started = startKalends(['serve', '--port', String(port), ...args], {
        ...env,
        ...(delay !== undefined && { KALENDS_STOP_DELAY: delay }),
      })
      for (const stream of [started.stdout, started.stderr]) stream.on('data', (data) => (out += data))
      child = started
      await eventually(async () => {
        assert.equal(started.exitCode, null, out)
        return fetch(`http://127.0.0.1:${port}/readyz`).then(
          async (answer) => (await answer.text()) !== '' && answer.status === 200,
          () => false,
        )
      })
    }
    const stop = async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      assert.deepEqual(await exited, [0, null], out)
    }
    await start()
    return { port, start, stop }
  }

  /** Clients who create one tag after the other over connections that they keep, and who repeat nothing. */
  function keepWriting(port: number) {
    let isWriting = true
    let [written, refused] = [0, 0]
    const failed: string[] = []
    const writers = Array.from({ length: WRITERS }, async (_, n) => {
      const by = new Visitor(port, '127.0.0.1', { authorization })
      const name = `${port} ${n} ${Date.now()}`
      for (let count = 0; isWriting; count++) {
        const { status, body } = await by.ask('/calendar/events/v1/tags', { json: { name: `${name} ${count}` } })
        if (status === 201) written++
        // Nothing was sent: the client knows that nobody listens.
        else if (/ECONNREFUSED/.test(body)) {
          refused++
          await setTimeout(20)
        } else failed.push(`${status} ${body.slice(0, 60)}`)
      }
      by.close()
    })
    return {
      written: () => written,
      async stop() {
        isWriting = false
        await Promise.all(writers)
        return { written, refused, failed }
      },
    }
  }

  for (const args of [[], ['--workers', '2']]) {
    const title = args.length === 0 ? 'one process' : 'several workers'

    it(`resets no request of a client who asks it directly, with ${title}`, async (t) => {
      const { port, start, stop } = await node(args, '0')
      const writing = keepWriting(port)
      for (let n = 0; n < RESTARTS; n++) {
        const before = writing.written()
        await eventually(() => writing.written() > before + 5 * WRITERS)
        await stop()
        await start()
      }
      const { written, refused, failed } = await writing.stop()
      await stop()
      t.diagnostic(`${written} written, ${refused} refused, ${failed.length} failed`)
      assert.deepEqual(failed, [])
    })

    it(`fails no request behind nginx, with ${title}`, { skip: NO_NGINX }, async (t) => {
      const nodes = [await node(args), await node(args)] as const
      const balancer: Balancer = await startBalancer({ node1: nodes[0].port, node2: nodes[1].port })
      const writing = keepWriting(balancer.port)
      try {
        for (let n = 0; n < RESTARTS; n++) {
          const { start, stop } = nodes[n % 2 === 0 ? 0 : 1]
          const before = writing.written()
          await eventually(() => writing.written() > before + 5 * WRITERS)
          await stop()
          await start()
        }
        const { written, refused, failed } = await writing.stop()
        t.diagnostic(`${written} written, ${refused} refused, ${failed.length} failed`)
        assert.deepEqual([refused, failed], [0, []], balancer.out())
      } finally {
        await writing.stop()
        await balancer.stop()
        await Promise.all(nodes.map(({ stop }) => stop()))
      }
    })
  }
})
