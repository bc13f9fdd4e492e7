import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'
import { eventually } from '../support/workers.ts'

/** How long an answer may take that needs no database, in milliseconds, and how long one that asks it. */
const AT_ONCE = 1500
const SOON = 2500

/** A database that can cease to answer, as a server that was stopped or a machine that is gone. */
interface Database {
  readonly where: string
  hang(): void
  goOn(): void
  drop(): Promise<void>
}

async function postgres(): Promise<Database> {
  const store = await freshStore('')
  const behind = new URL(store.where)
  const sockets = new Set<Socket>()
  let hangs = false
  const forwarder = createServer((near) => {
    const far = connect(Number(behind.port), behind.hostname)
    near.on('data', (data) => far.write(data)).on('close', () => far.destroy())
    far.on('data', (data) => near.write(data)).on('close', () => near.destroy())
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      if (hangs) socket.pause()
    }
  })
  await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', resolve))
  const front = new URL(store.where)
  front.host = `127.0.0.1:${(forwarder.address() as AddressInfo).port}`
  return {
    where: front.href,
    hang() {
      hangs = true
      for (const socket of sockets) socket.pause()
    },
    goOn() {
      hangs = false
      for (const socket of sockets) socket.resume()
    },
    async drop() {
      for (const socket of sockets) socket.destroy()
      forwarder.close()
      await store.drop()
    },
  }
}

/** Another program that has the file to itself. */
function sqlite(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-health-'))
  let holder: DatabaseSync | undefined
  return {
    where: folder,
    hang() {
      holder = new DatabaseSync(join(folder, 'kalends.sqlite'), { timeout: 5000 })
      holder.exec('begin exclusive')
    },
    goOn: () => holder?.close(),
    drop: async () => rmSync(folder, { recursive: true }),
  }
}

describe('health checks', () => {
  it('answer while the database does not', { timeout: 60_000 }, async (t) => {
    const database = ON_POSTGRES ? await postgres() : sqlite()
    const db = openDatabase(database.where)
    await db.migrate()
    const app = await createApp(readConfig({}, {}), db, { logger: false })
    const url = await app.server.listen({ port: 0, host: '127.0.0.1' })
    t.after(async () => {
      await app.close()
      await database.drop()
    })
    const ask = async (path: string, method = 'GET') => {
      const start = performance.now()
      const { status } = await fetch(url + path, { method, signal: AbortSignal.timeout(30_000) })
      return { status, took: performance.now() - start }
    }
    assert.deepEqual([(await ask('/healthz')).status, (await ask('/readyz')).status], [200, 200])
    assert.equal((await ask('/calendar/events/v1/events')).status, 200)
    database.hang()
    // More of them than there are connections to the database.
    const waiting = Array.from({ length: 20 }, () => ask('/calendar/events/v1/events').catch(() => null))
    for (const path of ['/healthz', '/healthz/', '/healthz?x=1', '/fr/healthz']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, took } = await ask(path, method)
        assert.ok(status === 200 && took < AT_ONCE, `${method} ${path} answered ${status} after ${took} ms`)
      }
    }
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask('/readyz')))
    for (const { status, took } of answers) {
      // A SQLite file that is locked for writers can be read.
      assert.ok(status === (ON_POSTGRES ? 503 : 200) && took < SOON, `/readyz answered ${status} after ${took} ms`)
    }
    database.goOn()
    await Promise.all(waiting)
    await eventually(async () => (await ask('/readyz')).status === 200)
  })
})
