import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { type LooksUp, Lookups } from '../../src/storage/lookup.ts'
import { steps } from '../../src/storage/migrations/0006-words.ts'
import { eventsWithAny } from '../../src/storage/sqlite/word-lists.ts'
import type { Tables } from '../../src/storage/tables.ts'
import fc from '../support/property.ts'
import { ON_POSTGRES } from '../support/store.ts'

const compiler = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** Words that begin alike, end alike, and are of all lengths; and one that no event has. */
const WORDS = [
  'a',
  'ab',
  'abc',
  'abd',
  'b',
  'bcd',
  'bcde',
  'é',
  'éa',
  '日本',
  '日本語',
  'z'.repeat(90),
  `${'z'.repeat(90)}a`,
]
const ABSENT = ['', 'abb', 'abcd', 'q', 'z', '日', '🎷']
/** Ids of one to eight bytes. */
const IDS = [1, 2, 3, 127, 128, 129, 20_000, 2_100_000, 2 ** 31, 2 ** 32 + 1, 2 ** 42, Number.MAX_SAFE_INTEGER]

/** An index as the migration makes it, with pages of some size. */
class Index {
  readonly db = new DatabaseSync(':memory:', { defensive: false })
  readonly looksUp: LooksUp
  #version = 0

  constructor(pageBytes?: number) {
    const [step] = steps
    const all = typeof step === 'object' && 'sqlite' in step ? step.sqlite : []
    this.db.exec(String(all.find((one) => String(one).includes('table event_words using'))))
    if (pageBytes !== undefined) this.tell('pgsz', pageBytes)
    const lookups = new Lookups(compiler, (sql) => this.db.prepare(sql))
    this.looksUp = { lookUp: (question, ...values) => lookups.run(question, values) }
  }

  /** A merge moves lists, and changes no event. */
  tell(name: string, value = 0): void {
    this.db.exec(`insert into event_words (event_words, rank) values ('${name}', ${value})`)
  }

  put(id: number, text: string): void {
    this.#version++
    this.db.prepare('insert into event_words (rowid, search) values (?, ?)').run(id, text)
  }

  remove(id: number): void {
    this.#version++
    this.db.exec(`delete from event_words where rowid = ${id}`)
  }

  /** The events with a word as they are read, in order; null if they are not told. */
  read(...words: string[]): number[] | null {
    const found = this.readSome(words, Number.POSITIVE_INFINITY)
    return found && [...new Set(found)].sort((one, other) => one - other)
  }

  readSome(words: readonly string[], most: number): number[] | null {
    return eventsWithAny(this.looksUp, String(this.#version), words, most)
  }

  /** The same by a query. */
  query(word: string): number[] {
    const statement = this.db.prepare('select rowid as id from event_words where event_words match ?')
    return statement.all(`"${word}"`).map(({ id }) => Number(id))
  }
}

describe('lists of the events of a word', { skip: ON_POSTGRES && 'only SQLite has them' }, () => {
  it('are those that a query finds, after every change, whatever the pages and parts', () => {
    const step = fc.record({
      kind: fc.constantFrom('put', 'put', 'put', 'put', 'many', 'remove', 'merge', 'optimize', 'automerge'),
      id: fc.constantFrom(...IDS),
      words: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }),
    })
    let told = 0
    let pages = 0
    const sizes = fc.constantFrom(32, 64, 200, 4050)
    fc.assert(
      fc.property(sizes, fc.array(step, { minLength: 5, maxLength: 25 }), (size, all) => {
        const index = new Index(size)
        const present = new Set<number>()
        const put = (id: number, words: readonly string[]) => {
          if (present.has(id)) index.remove(id)
          present.add(id)
          index.put(id, words.join(' '))
        }
        for (const { kind, id, words } of all) {
          if (kind === 'put') put(id, words)
          else if (kind === 'many') for (let n = 0; n < 40; n++) put(1000 + 3 * n, [...words, `own${n}`])
          else if (kind === 'remove') {
            index.remove(id)
            present.delete(id)
          } else if (kind === 'automerge') index.tell('automerge', words.length)
          else index.tell(kind, kind === 'merge' ? 4 : 0)
          for (const word of [...WORDS, ...ABSENT]) {
            const found = index.read(word)
            if (found === null) continue
            told++
            const expected = word === '' ? [] : index.query(word)
            assert.deepEqual(found, expected, word)
            for (const most of [0, 1, 5, 20]) {
              const some = index.readSome([word], most) ?? assert.fail()
              assert.ok(some.length > most || new Set(some).size === expected.length, 'few are all')
            }
          }
        }
        pages += Number(index.db.prepare('select count(*) as pages from event_words_data').get()?.pages)
        const any = index.read('abc', 'é')
        if (any !== null)
          assert.deepEqual(
            any,
            [...new Set([...index.query('abc'), ...index.query('é')])].sort((one, other) => one - other),
          )
        index.db.close()
      }),
      { numRuns: 80 },
    )
    assert.ok(told > 10_000, `${told} were told`)
    assert.ok(pages > 1000, `${pages} pages`)
  })

  it('may fill many pages', () => {
    const index = new Index(64)
    index.db.exec('begin')
    for (let id = 1; id <= 30_000; id += 1 + (id % 5))
      index.put(id * 100, `lamp lantern ${id % 7 === 0 ? 'light' : ''}`)
    index.db.exec('commit')
    for (const word of ['lamp', 'lantern', 'light']) assert.deepEqual(index.read(word), index.query(word))
    const some = eventsWithAny(index.looksUp, 'now', ['lamp', 'light'], 100)
    assert.ok(some !== null && some.length > 100 && some.length < 1000, 'no more is read than is asked for')
    index.db.close()
  })

  it('are whole if they are few, also where many events were removed', () => {
    const index = new Index()
    index.db.exec('begin')
    for (let id = 1; id <= 20_000; id++) index.put(id, 'concert')
    index.db.exec('commit; begin')
    for (let id = 1; id <= 1500; id++) index.remove(id)
    index.db.exec('commit')
    for (let most = 500; most < 20_000; most += 97) {
      const found = index.readSome(['concert'], most) ?? assert.fail()
      assert.ok(found.length > most || found.length === 18_500, `${found.length} of at most ${most}`)
    }
    index.db.close()
  })

  it('are left to a query if there are many parts, or others than are known', () => {
    const index = new Index()
    index.tell('automerge', 0)
    index.tell('crisismerge', 100)
    for (let id = 1; id <= 33; id++) index.put(id, 'lamp')
    assert.equal(index.read('lamp'), null)
    index.tell('optimize')
    assert.equal(index.read('lamp')?.length, 33)
    assert.equal(index.read('Lamp'), null, 'the index has words without capitals')
    assert.equal(index.read(...Array.from({ length: 33 }, (_, n) => `lamp${n}`)), null)
    index.db.prepare('update event_words_config set v = 5 where k = ?').run('version')
    assert.equal(index.read('lamp'), null)
    assert.equal(eventsWithAny({ lookUp: async () => [] }, 'now', ['lamp'], 1), null, 'in a transaction')
    index.db.close()
  })

  it('never fail, whatever the pages have', () => {
    const index = new Index(64)
    for (let id = 1; id < 400; id++) index.put(id, `lamp own${id % 50}`)
    index.remove(7)
    const blocks = index.db.prepare('select cast(id as text) as id, block from event_words_data').all() as {
      id: string
      block: Uint8Array
    }[]
    const put = index.db.prepare('update event_words_data set block = ? where id = cast(? as integer)')
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.nat(blocks.length - 1), damage, fc.boolean(), (at, changes, isCut) => {
        const { id, block } = blocks[at] as (typeof blocks)[number]
        const damaged = Uint8Array.from(block)
        for (const [place, byte] of changes) damaged[place % damaged.length] = byte
        put.run(isCut ? damaged.subarray(0, (changes[0]?.[0] ?? 0) % damaged.length) : damaged, id)
        for (const word of ['lamp', 'own7', 'own49', 'p']) index.read(word)
        put.run(block, id)
      }),
      { numRuns: 500 },
    )
    assert.deepEqual(index.read('lamp'), index.query('lamp'))
    index.db.close()
  })
})
