import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { openDatabase } from '../../src/storage/database.ts'
import { freshStore, ON_POSTGRES } from '../support/store.ts'

describe('a database server that vanishes without a word', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  it('keeps one reader waiting for ten seconds, and nobody after', async (t) => {
    const store = await freshStore('')
    const behind = new URL(store.where)
    const links: [Socket, Socket][] = []
    const forwarder = createServer((near) => {
      const far = connect(Number(behind.port), behind.hostname)
      for (const socket of [near, far]) socket.on('error', () => {})
      near.pipe(far).pipe(near)
      links.push([near, far])
    })
    await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', resolve))
    const front = new URL(store.where)
    front.host = `127.0.0.1:${(forwarder.address() as AddressInfo).port}`
    const db = openDatabase(front.href)
    t.after(async () => {
      await db.close()
      for (const socket of links.flat()) socket.destroy()
      forwarder.close()
      await store.drop()
    })
    const read = () => db.read((tx) => tx.selectFrom('terms').selectAll().execute())
    assert.deepEqual(await read(), [])
    for (const [near, far] of links) {
      near.unpipe(far)
      far.unpipe(near)
      near.resume()
      far.resume()
    }
    const start = performance.now()
    await assert.rejects(read(), { code: 'rest_unavailable' })
    assert.ok(performance.now() - start < 20_000)
    const again = performance.now()
    assert.deepEqual(await read(), [])
    assert.ok(performance.now() - again < 5000)
  })
})
