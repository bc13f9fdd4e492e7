import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Kysely } from 'kysely'
import { migrations, runMigration } from '../../src/storage/migrations/index.ts'
import { postgresDialect } from '../../src/storage/postgres/dialect.ts'
import { SqliteDialect } from '../../src/storage/sqlite/dialect.ts'
import { schemaOf } from '../support/schema.ts'
import { emptyStore, ON_POSTGRES, type Store } from '../support/store.ts'

const GOLDEN = join(import.meta.dirname, `golden/schema.${ON_POSTGRES ? 'postgres' : 'sqlite'}.txt`)
const UPDATE = 'KALENDS_TEST_UPDATE=1 node --test test/storage/schema.test.ts'

/** What each migration added to the schema and removed from it, by its name, as the golden file says. */
function expected(): Map<string, string> {
  const text = existsSync(GOLDEN) ? readFileSync(GOLDEN, 'utf8') : ''
  return new Map(
    text
      .split(/^# /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf('\n')), section.slice(section.indexOf('\n') + 1)]),
  )
}

describe('the schema', () => {
  let store: Store
  let db: Kysely<unknown>
  const found = new Map<string, string>()
  before(async () => {
    store = await emptyStore(':memory:')
    const dialect = ON_POSTGRES ? postgresDialect(store.where, () => {}) : new SqliteDialect(store.where)
    db = new Kysely<unknown>({ dialect })
    let last: string[] = []
    for (const [name, load] of Object.entries(migrations)) {
      await runMigration(db, await load())
      const now = await schemaOf(db, ON_POSTGRES)
      const removed = last.filter((line) => !now.includes(line)).map((line) => `- ${line}\n`)
      const added = now.filter((line) => !last.includes(line)).map((line) => `+ ${line}\n`)
      found.set(name, [...removed, ...added].join(''))
      last = now
    }
    if (process.env.KALENDS_TEST_UPDATE === '1') {
      writeFileSync(GOLDEN, [...found].map(([name, text]) => `# ${name}\n${text}`).join(''))
    }
  })
  after(async () => {
    await db.destroy()
    await store.drop()
  })

  for (const name of Object.keys(migrations)) {
    it(`is after ${name} what it was when that was written`, () => {
      const golden = expected().get(name)
      assert.ok(golden !== undefined, `${name} is not in ${GOLDEN}: run ${UPDATE} on each database`)
      assert.deepEqual(found.get(name)?.split('\n'), golden.split('\n'))
    })
  }
})
