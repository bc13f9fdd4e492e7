import assert from 'node:assert/strict'
import { it } from 'node:test'
import { lookUpRendered } from '../../src/storage/event-templates.ts'
import { runInOneTransaction } from '../../src/storage/shared-transaction.ts'
import { startService } from '../support/service.ts'

it('a lookup by several ids finds all, before, in and after a shared transaction', async () => {
  const service = await startService()
  const add = async (title: string) => {
    const json = { title, start_date: '2031-06-12 19:00', end_date: '2031-06-12 22:00' }
    return Number((await service.expect(201, 'editor', '/events', { json })).id)
  }
  const ids = [await add('One'), await add('Two'), await add('Three')]
  const found: number[][] = []
  const look = async (db: Parameters<typeof lookUpRendered>[0]) => {
    found.push((await lookUpRendered(db, ids, 'no reader: seen')).map(({ id }) => id).sort((one, other) => one - other))
  }
  const part = {
    async run(db: typeof service.db) {
      await look(db)
      await db.write(async () => {})
      await look(db)
    },
  }
  await runInOneTransaction(service.db, [part], async () => {})
  await look(service.db)
  await service.close()
  assert.deepEqual(found, [ids, ids, ids])
})
