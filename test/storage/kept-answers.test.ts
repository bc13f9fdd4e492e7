import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/dialect.ts'
import * as records from '../../src/storage/records.ts'
import { KeptAnswers } from '../../src/storage/sqlite/kept-answers.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

describe('what writers have found', () => {
  let folder: string
  let service: Service
  let other: Database
  let venue: number
  let tag: number
  const asked: string[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-kept-'))
    service = await startService({ folder, writesTables: true, onQuery: (sql) => asked.push(sql) })
    other = openDatabase(service.where)
    venue = (await service.expect(201, 'administrator', '/venues', { json: { venue: 'First' } })).id
    tag = (await service.expect(201, 'administrator', '/tags', { json: { name: 'first' } })).id
  })
  after(async () => {
    await other.close()
    await service.close()
    rmSync(folder, { recursive: true })
  })

  const create = (status = 201) => {
    const json = { title: 'T', start_date: '2031-06-10', end_date: '2031-06-11', venue, tags: [tag] }
    return service.expect(status, 'administrator', '/events', { json })
  }
  const shown = async () => {
    const event = await create()
    return [event.venue.venue, event.tags[0].name]
  }
  const rename = (tx: Tx, name: string) =>
    tx.updateTable('venues').set({ venue: name }).where('id', '=', venue).execute()

  it('is kept for those after them', async () => {
    await create()
    asked.length = 0
    const counts = [await create(), await create()].map(({ tags }) => tags[0].count)
    assert.deepEqual(counts, [2, 3])
    const questions = asked.filter((sql) => /^select \* from "(venues|terms)"/.test(sql)).length
    assert.equal(questions > 0, ON_POSTGRES, `${questions} questions`)
  })

  it('is asked for again after a write', async () => {
    await create()
    await service.expect(200, 'administrator', `/venues/${venue}`, { json: { venue: 'Second' } })
    await service.expect(200, 'administrator', `/tags/${tag}`, { json: { name: 'second' } })
    assert.deepEqual(await shown(), ['Second', 'second'])
  })

  it('is asked for again after a write by somebody else', async () => {
    await create()
    await other.write(async (tx) => {
      await rename(tx, 'Third')
      await tx.updateTable('terms').set({ name: 'third', name_key: 'third' }).where('id', '=', tag).execute()
    })
    assert.deepEqual(await shown(), ['Third', 'third'])
    const { count } = await service.expect(200, null, `/tags/${tag}`)
    assert.equal((await create()).tags[0].count, count + 1)
    await other.write((tx) => tx.updateTable('terms').set({ count: 50 }).where('id', '=', tag).execute())
    assert.equal((await create()).tags[0].count, 51)
    assert.equal((await service.expect(200, null, `/tags/${tag}`)).count, 51)
  })

  it('in a write that fails is forgotten', async () => {
    const found = async (tx: Tx) => (await records.get(tx, 'venue', { id: venue }, 'no reader: job'))?.venue
    const failed = service.db.write(async (tx) => {
      await rename(tx, 'Fourth')
      assert.equal(await found(tx), 'Fourth')
      throw new Error('refused')
    })
    await assert.rejects(failed, /refused/)
    assert.equal((await shown())[0], 'Third')
    assert.equal(await service.db.read(found), 'Third')
  })

  it('is not found any more once it is gone', async () => {
    await create()
    await service.expect(200, 'administrator', `/tags/${tag}`, { method: 'DELETE' })
    await create(400)
  })

  it('is bounded', () => {
    const kept = new KeptAnswers()
    const question = {}
    kept.keep(question, [1], [{ text: 'x'.repeat(100_000) }])
    assert.equal(kept.get(question, [1]), undefined)
    for (let n = 0; n < 10_000; n++) kept.keep(question, [n], [{ text: 'x'.repeat(1000) }])
    const known = Array.from({ length: 10_000 }, (_, n) => kept.get(question, [n])).filter((rows) => rows !== undefined)
    assert.ok(known.length > 0 && known.length < 1000, `${known.length} are kept`)
    assert.throws(() => Object.assign(known[0]?.[0] ?? {}, { text: '' }), TypeError)
    assert.equal(kept.get({}, [9999]), undefined)
  })
})
