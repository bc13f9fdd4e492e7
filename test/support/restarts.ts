import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { NO_NGINX, startBalancer } from './balancer.ts'
import { freePort } from './free-port.ts'
import { runKalends, startKalends } from './processes.ts'
import { freshStore, ON_POSTGRES, type Store } from './store.ts'
import { Visitor } from './visitor.ts'
import { eventually } from './workers.ts'

/** Clients that write without a pause, and clients that pause for up to so many milliseconds between two requests. */
const BUSY = 6
const SLOW = 4
const LONGEST_PAUSE = 300

interface Node {
  readonly port: number
  start(): Promise<void>
  stop(): Promise<void>
}

interface Writing {
  /** Settled when so many further requests were answered. */
  more(count: number): Promise<void>
  /** Ends it; answers what came of the requests. */
  stop(): Promise<{ written: number; refused: number; failed: string[] }>
}

/** Declares tests that restart a service so many times while clients write, and expect that no request fails. */
export function testRestarts(restarts: number, timeout: number): void {
  describe(`a service that is restarted ${restarts} times under load`, { timeout }, () => {
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

    for (const workers of ['1', '2']) {
      const title = workers === '1' ? 'one process' : 'workers'

      it(`resets no request of clients that ask it directly, with ${title}`, async (t) => {
        const node = await startNode({ ...env, KALENDS_WORKERS: workers, KALENDS_STOP_DELAY: '0' })
        const writing = keepWriting(node.port, authorization)
        t.after(() => writing.stop())
        for (let n = 0; n < restarts; n++) {
          await writing.more(100)
          await node.stop()
          await node.start()
        }
        const { written, refused, failed } = await writing.stop()
        await node.stop()
        t.diagnostic(`${written} written, ${refused} refused, ${failed.length} failed`)
        assert.deepEqual(failed, [])
      })

      it(`fails no request behind nginx, with ${title}`, { skip: NO_NGINX }, async (t) => {
        // The default of the setting.
        const nodeEnv = { ...env, KALENDS_WORKERS: workers, KALENDS_STOP_DELAY: '' }
        const nodes = [await startNode(nodeEnv), await startNode(nodeEnv)] as const
        const balancer = await startBalancer({ node1: nodes[0].port, node2: nodes[1].port })
        t.after(() => balancer.stop())
        const writing = keepWriting(balancer.port, authorization)
        t.after(() => writing.stop())
        for (let n = 0; n < restarts; n++) {
          const node = nodes[n % 2 === 0 ? 0 : 1]
          await writing.more(100)
          await node.stop()
          await node.start()
        }
        const { written, refused, failed } = await writing.stop()
        await Promise.all(nodes.map((node) => node.stop()))
        t.diagnostic(`${written} written, ${refused} refused, ${failed.length} failed`)
        assert.deepEqual([refused, failed], [0, []], balancer.out())
      })
    }
  })
}

/** Starts a service at a port of its own that can be started again and again. */
async function startNode(env: Record<string, string>): Promise<Node> {
  const port = await freePort()
  let child: ChildProcess
  let out = ''
  const start = async () => {
    const started = startKalends(['serve', '--port', String(port)], env)
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

/** Clients that create one tag after the other, over connections that they keep, and that repeat nothing. */
function keepWriting(port: number, authorization: string): Writing {
  let isWriting = true
  let [written, refused] = [0, 0]
  const failed: string[] = []
  const writers = Array.from({ length: BUSY + SLOW }, async (_, n) => {
    const by = new Visitor(port, '127.0.0.1', { authorization })
    const name = `${port} ${n} ${Date.now()}`
    for (let count = 0; isWriting; count++) {
      const { status, body } = await by.ask('/calendar/events/v1/tags', { json: { name: `${name} ${count}` } })
      if (status === 201) written++
      // Nothing was sent: the client knows that nobody listens.
      else if (/ECONNREFUSED/.test(body)) {
        refused++
        await setTimeout(20)
      } else failed.push(`${new Date().toISOString()} ${status} ${body.slice(0, 60)}`)
      if (n >= BUSY) await setTimeout(Math.random() * LONGEST_PAUSE)
    }
    by.close()
  })
  return {
    async more(count) {
      const before = written
      await eventually(() => written >= before + count)
    },
    async stop() {
      isWriting = false
      await Promise.all(writers)
      return { written, refused, failed }
    },
  }
}
