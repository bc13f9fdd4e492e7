import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { mergeIndexes } from '../../src/domain/index-merging.ts'
import { dialectOf } from '../../src/storage/dialect.ts'
import { clock } from '../support/calendar.ts'
import { type Json, type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

/** Each is a commit of its own, which adds a part to each index. */
async function create(service: Service, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    const json = { title: `Lantern ${n} of word${n}`, start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    await service.expect(201, 'administrator', '/events', { json })
  }
}

const countParts = (service: Service) =>
  service.db.read((tx) => Promise.all(dialectOf(tx).parted.map((index) => index.countParts(tx))))

async function search(service: Service): Promise<[total: number, title: string, byWords: number]> {
  const answer: Json = await service.expect(200, null, '/events?search=lanter&per_page=1')
  const words: Json = await service.expect(200, null, '/events?search=lantern&search_mode=words')
  return [answer.total, answer.events[0].title, words.total]
}

describe('the parts of indexes', { skip: ON_POSTGRES && 'are those of SQLite' }, () => {
  it('are merged if they are many, beside writers, and find the same', async () => {
    const service = await startService({ clock, settings: { rateLimit: '0', userRateLimit: '0' } })
    try {
      await create(service, 0, 40)
      const before = await countParts(service)
      assert.ok(Math.max(...before) >= 8, before.join())
      const found = await search(service)
      await mergeIndexes(service.db)
      const merged = await countParts(service)
      before.forEach((parts, n) => {
        assert.equal(merged[n], parts >= 8 ? 1 : parts)
      })
      assert.deepEqual(await search(service), found)
      await create(service, 40, 40)
      await Promise.all([mergeIndexes(service.db), create(service, 80, 20)])
      assert.deepEqual(await search(service), [100, found[1], 100])
      const event: Json = await service.expect(200, null, '/events?search=word77')
      assert.equal(event.events[0].title, 'Lantern 77 of word77')
      await service.db.write(async (tx) => {
        for (const name of ['event_words', 'word_parts', 'event_texts'])
          await sql`insert into ${sql.table(name)} (${sql.ref(name)}) values ('integrity-check')`.execute(tx)
      })
    } finally {
      await service.close()
    }
  })

  it('stay as they are when the service stops', async () => {
    const service = await startService({ clock, settings: { rateLimit: '0', userRateLimit: '0' } })
    try {
      await create(service, 0, 40)
      await assert.rejects(mergeIndexes(service.db, AbortSignal.abort()), { name: 'AbortError' })
      const found = await search(service)
      await mergeIndexes(service.db)
      assert.deepEqual(await search(service), found)
    } finally {
      await service.close()
    }
  })
})
