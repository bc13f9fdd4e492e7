import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../../src/storage/database.ts'
import { startPair, undoAll } from '../support/replica.ts'
import { ON_POSTGRES } from '../support/store.ts'

const skip = ON_POSTGRES ? process.platform === 'win32' && 'needs signals' : 'needs PostgreSQL'

describe('reads with a streaming replica', { skip }, () => {
  it('go to the replica, show every write at once, and go to the primary while it is behind', async () => {
    const undo: (() => unknown)[] = []
    try {
      const pair = await startPair()
      undo.push(() => pair.stop())
      const db = openDatabase(pair.url, { replicas: [pair.standbyUrl] })
      undo.push(() => db.close())
      await db.migrate()
      const add = (n: number) =>
        db.write((tx) =>
          tx
            .insertInto('terms')
            .values({
              id: n,
              kind: 'tag',
              name: `${n}`,
              name_key: `${n}`,
              slug: `t${n}`,
              description: null,
              parent: 0,
              count: 0,
              published: 1,
              modified_utc: 0,
            })
            .execute(),
        )
      const look = () =>
        db.read(async (tx) => {
          const { rows } = await tx.executeQuery<{ standby: boolean; most: number }>(
            tx
              .selectFrom('terms')
              .select([
                (eb) => eb.fn<boolean>('pg_is_in_recovery', []).as('standby'),
                (eb) => eb.fn.max('id').as('most'),
              ])
              .compile(),
          )
          return rows[0]
        })
      let onStandby = 0
      for (let n = 1; n <= 200; n++) {
        await add(n)
        const seen = await look()
        assert.equal(Number(seen?.most), n)
        if (seen?.standby) onStandby++
      }
      assert.ok(onStandby > 0, 'no read went to the replica')
      const client = new pg.Client({ connectionString: pair.standbyUrl })
      await client.connect()
      await client.query('select pg_wal_replay_pause()')
      // Committed without waiting for the replica, which must not be asked until it has caught up.
      await db.write(async (tx) => {
        await tx.executeQuery(CompiledQuery.raw('set local synchronous_commit = local'))
        await tx
          .insertInto('terms')
          .values({
            id: 201,
            kind: 'tag',
            name: '201',
            name_key: '201',
            slug: 't201',
            description: null,
            parent: 0,
            count: 0,
            published: 1,
            modified_utc: 0,
          })
          .execute()
      })
      const behind = await look()
      assert.deepEqual([Number(behind?.most), behind?.standby], [201, false])
      await client.query('select pg_wal_replay_resume()')
      await client.end()
    } finally {
      await undoAll(undo)
    }
  })
})
