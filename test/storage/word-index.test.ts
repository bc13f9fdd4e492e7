import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { dialectOf, type Tx } from '../../src/storage/dialect.ts'
import { containing, NO_LIMIT } from '../../src/storage/event-filter.ts'
import { Lookups } from '../../src/storage/lookup.ts'
import { steps as speed } from '../../src/storage/migrations/0004-speed.ts'
import { steps as words } from '../../src/storage/migrations/0006-words.ts'
import { perform } from '../../src/storage/migrations/steps.ts'
import fc from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'
import { ON_POSTGRES } from '../support/store.ts'

/** So few signs that texts have much in common, and each of those that an index could stumble over. */
const SIGNS = [...'aabbcc', ...'     ', ...'\n\t\r"\'\\\\n%_*^:-.,()<>&\u0001\u007f\u00a0', 'ß', 'σ', 'é', '日', '🎷']
const text = fc.array(fc.constantFrom(...SIGNS), { maxLength: 60 }).map((signs) => signs.join(''))

describe('the index of words', () => {
  let service: Service
  let row: object
  let looked = 0
  before(async () => {
    service = await startService({ writesTables: true })
    const json = { title: 'One', start_date: '2031-06-10 19:00', end_date: '2031-06-10 22:00' }
    const { id } = await service.expect(201, 'administrator', '/events', { json })
    await service.db.write(async (tx) => {
      row = await tx.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      await tx.deleteFrom('events').where('id', '=', id).execute()
    })
  })
  after(() => service.close())

  const put = (tx: Tx, id: number, search: string) =>
    tx
      .insertInto('events')
      .values({ ...row, id, slug: `event-${id}`, search } as never)
      .execute()
  /** Ids that a lookup finds, in a transaction here; null if it gives up. */
  const lookUp = async (tx: Tx, part: string, inAll = 10_000_000) => {
    const { fewWords } = dialectOf(tx)
    const lookups = new Lookups(tx, null)
    const db = { lookUp: ((question, ...values) => lookups.run(question, values)) as Service['db']['lookUp'] }
    const query = await fewWords?.queryFor(db, part)
    return query ? ((await fewWords?.find(db, '', query, inAll)) ?? null) : null
  }
  /** Those that contain a part, by the index and by looking; nothing if the index cannot tell. */
  const compare = async (tx: Tx, texts: ReadonlyMap<number, string>, part: string) => {
    const found = await containing(tx, part, NO_LIMIT)
    if (found === null) return false
    const expected = [...texts].filter(([, one]) => one.includes(part)).map(([id]) => id)
    assert.deepEqual(
      found.sort((a, b) => a - b),
      expected,
      JSON.stringify([part, [...texts.values()]]),
    )
    const few = await lookUp(tx, part)
    if (few !== null) looked++
    if (few !== null) assert.deepEqual(few, expected, JSON.stringify([part, [...texts.values()]]))
    if (few !== null) assert.deepEqual(await lookUp(tx, part, texts.size), expected)
    return true
  }

  it('finds what contains a text, to the letter, after every change', async () => {
    let told = 0
    const changes = fc.array(fc.tuple(fc.nat(4), text, fc.nat(60), fc.integer({ min: 1, max: 9 })), { minLength: 12 })
    await fc.assert(
      fc.asyncProperty(changes, (steps) =>
        service.db.write(async (tx) => {
          await tx.deleteFrom('events').execute()
          const texts = new Map<number, string>()
          for (const [n, search, from, length] of steps) {
            const id = 1000 + n
            if (!texts.has(id)) {
              await put(tx, id, search)
              texts.set(id, search)
            } else if (length === 1) {
              await tx.deleteFrom('events').where('id', '=', id).execute()
              texts.delete(id)
            } else {
              await tx.updateTable('events').set({ search }).where('id', '=', id).execute()
              texts.set(id, search)
            }
            const ordered = new Map([...texts].sort(([a], [b]) => a - b))
            for (const part of [[...search].slice(from % 20, (from % 20) + length).join(''), 'abc', 'a b'])
              if (await compare(tx, ordered, part)) told++
          }
        }),
      ),
      { numRuns: 60 },
    )
    assert.ok(told > 500, `${told} were told by the index`)
    if (!ON_POSTGRES) assert.ok(looked > 100, `${looked} were looked up`)
  })

  it('is looked up only as far as that is short', { skip: ON_POSTGRES && 'is never looked up' }, async () => {
    await service.db.write(async (tx) => {
      await tx.deleteFrom('events').execute()
      const words = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`).join(' ')
      await put(tx, 5000, `${words(16, 'sixteen')} ${words(17, 'seventeen')} ${words(300, 'lan+tern')} lamp`)
      assert.deepEqual(await lookUp(tx, 'sixteen'), [5000])
      assert.equal(await lookUp(tx, 'seventeen'), null)
      // No word has it, many its first and last letters.
      assert.equal(await lookUp(tx, 'lantern'), null)
      assert.deepEqual(await lookUp(tx, 'lamp'), [5000])
      for (const part of ['la', 'a lamp', '\0lamp', '']) assert.equal(await lookUp(tx, part), null, part)
      // Words may be as long as texts.
      await put(tx, 4999, `${'x'.repeat(50_000)}lamp`)
      assert.equal(await lookUp(tx, 'lamp'), null)
      await tx.deleteFrom('events').where('id', '=', 4999).execute()
      assert.deepEqual(await lookUp(tx, 'lamp'), [5000])
      // The more words, the fewer events.
      const eight = words(8, 'fountain')
      for (let n = 1; n <= 4096; n++) await put(tx, 5000 + n, eight)
      assert.equal((await lookUp(tx, 'fountain'))?.length, 4096)
      await put(tx, 9999, 'fountain0')
      assert.equal(await lookUp(tx, 'fountain'), null)
      assert.equal((await lookUp(tx, 'fountain0'))?.length, 4097)
      assert.equal((await lookUp(tx, 'fountain0', 5000))?.length, 4097)
      assert.equal(await lookUp(tx, 'fountain', 5000), null)
    })
  })

  it('finds all of many words that have a part in common, and each event once', async () => {
    await service.db.write(async (tx) => {
      await tx.deleteFrom('events').execute()
      const texts = new Map<number, string>()
      for (let n = 0; n < 300; n++) texts.set(2000 + n, `lantern${n} and lantern${n + 1}, blue-lantern (lantern)`)
      for (const [id, one] of texts) await put(tx, id, one)
      for (const part of ['lantern', 'lantern29', 'and lantern299', 'ern (lan', 'rn1', 'nothing', 'ue-'])
        assert.ok(await compare(tx, texts, part), part)
      assert.equal(await containing(tx, 'lantern', 100), null)
    })
  })

  it('takes the place of the one before, with all events that there are', {
    skip: ON_POSTGRES && 'has one of its own',
  }, async () => {
    await service.db.write(async (tx) => {
      await tx.deleteFrom('events').execute()
      for (const name of ['word_parts', 'words']) await sql`drop table ${sql.table(name)}`.execute(tx)
      await perform(tx as unknown as Kysely<unknown>, speed.slice(-1))
      const texts = new Map([
        [4000, 'a lantern "by\tthe" water\n\\n'],
        [4001, 'lanterns'],
        [4002, ''],
      ])
      for (const [id, one] of texts) await put(tx, id, one)
      await perform(tx as unknown as Kysely<unknown>, words)
      for (const part of ['lantern', '"by', 'the" wat', 'none']) assert.ok(await compare(tx, texts, part), part)
      await tx.updateTable('events').set({ search: 'a fountain' }).where('id', '=', 4001).execute()
      texts.set(4001, 'a fountain')
      for (const part of ['lantern', 'ntain']) assert.ok(await compare(tx, texts, part), part)
    })
  })

  it('keeps no word that is in no event', { skip: ON_POSTGRES && 'has no words by themselves' }, async () => {
    await service.db.write(async (tx) => {
      await tx.deleteFrom('events').execute()
      await put(tx, 3000, 'one secret word "quoted"')
      await put(tx, 3001, 'another word')
      const words = async () => {
        const { rows } = await sql<{ word: string }>`select word from words order by word`.execute(tx)
        return rows.map(({ word }) => word)
      }
      assert.deepEqual(await words(), ['"quoted"', 'another', 'one', 'secret', 'word'])
      await tx.updateTable('events').set({ search: 'one open word' }).where('id', '=', 3000).execute()
      assert.deepEqual(await words(), ['another', 'one', 'open', 'word'])
      await tx.deleteFrom('events').where('id', '=', 3000).execute()
      assert.deepEqual(await words(), ['another', 'word'])
    })
  })
})
