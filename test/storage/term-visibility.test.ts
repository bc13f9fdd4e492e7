import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { steps } from '../../src/storage/migrations/0008-term-visibility.ts'
import { perform } from '../../src/storage/migrations/steps.ts'
import { type Json, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

const EVENT = { title: 'E', start_date: '2031-07-01 10:00', end_date: '2031-07-01 11:00' }

describe('terms that were made before terms could be hidden', () => {
  it('stay public if somebody published, described or placed them, and are hidden if nobody is known to have', async (t) => {
    const service = await startService()
    t.after(() => service.close())
    const event = (json: object) => service.expect(201, 'editor', '/events', { json: { ...EVENT, ...json } })
    const made = (plural: string, json: object) => service.expect(201, 'editor', `/${plural}`, { json })
    await event({ tags: 'tag-published', categories: 'category-published' })
    await event({ tags: 'tag-drafted', categories: 'category-drafted', status: 'draft' })
    await event({ tags: 'tag-protected', categories: 'category-protected', password: 'x' })
    const { id } = await event({ tags: 'tag-trashed', categories: 'category-trashed' })
    await service.expect(200, 'editor', `/events/${id}`, { method: 'DELETE' })
    await made('tags', { name: 'tag-bare' })
    await made('tags', { name: 'tag-described', description: 'words' })
    const top = await made('categories', { name: 'category-bare' })
    const above = await made('categories', { name: 'category-above' })
    const below = await made('categories', { name: 'category-below', parent: above.id })
    await event({ categories: [above.id, below.id], status: 'draft' })
    assert.ok(top.id > 0)

    await service.db.write(async (tx) => {
      // A later migration made triggers that use the column.
      const on = ON_POSTGRES ? sql` on terms` : sql``
      for (const use of ['change', 'webhook'])
        for (const name of ['added', 'made', 'removed'])
          await sql`drop trigger if exists ${sql.ref(`terms_${use}_${name}`)}${on}`.execute(tx)
      await sql`alter table terms drop column published`.execute(tx)
      await perform(tx as unknown as Kysely<unknown>, steps)
    })
    const hidden = async (plural: string) => {
      const names = async (role: 'editor' | null) =>
        (await service.expect(200, role, `/${plural}`, { query: { hide_empty: 0, per_page: 50 } }))[plural].map(
          (term: Json) => term.name,
        )
      const shown = await names(null)
      return (await names('editor')).filter((name: string) => !shown.includes(name))
    }
    assert.deepEqual(await hidden('tags'), ['tag-bare', 'tag-drafted', 'tag-protected'])
    assert.deepEqual(await hidden('categories'), ['category-drafted', 'category-protected'])
  })
})
