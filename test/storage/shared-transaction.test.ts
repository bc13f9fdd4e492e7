import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { dryRun } from '../../src/domain/dry-run.ts'
import { AppError } from '../../src/lib/errors.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Tx } from '../../src/storage/dialect.ts'
import { runInOneTransaction } from '../../src/storage/shared-transaction.ts'
import fc from '../support/property.ts'
import { freshStore, type Store } from '../support/store.ts'
import { times } from '../support/thorough.ts'

/** What a part does, step by step. */
type Step =
  | { readonly do: 'write' }
  /** Writes in one transaction; then it throws, or fails in the database. */
  | { readonly do: 'throw' | 'fail' | 'refuse'; readonly isCaught: boolean }
  | { readonly do: 'dry'; readonly steps: readonly Step[]; readonly isCaught: boolean }

const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 3 }),
  step: fc.oneof(
    { maxDepth: 2 },
    fc.constant<Step>({ do: 'write' }),
    fc.record({ do: fc.constantFrom('throw', 'fail', 'refuse'), isCaught: fc.boolean() }),
    fc.record({ do: fc.constant('dry'), steps: tie('steps'), isCaught: fc.boolean() }),
  ) as fc.Arbitrary<Step>,
}))

const parts = fc.array(fc.record({ steps, waits: fc.boolean() }), { minLength: 1, maxLength: 4 })

describe('parts of one transaction', () => {
  let store: Store
  let db: Database
  before(async () => {
    store = await freshStore(':memory:')
    db = openDatabase(store.where, store)
    await db.migrate()
    await db.write((tx) => sql`create table names (name text not null)`.execute(tx).then(() => {}))
  })
  after(async () => {
    await db.close()
    await store.drop()
  })

  let drawn = 0
  const add = (tx: Tx, name: string | null) => sql`insert into names values (${name})`.execute(tx)

  /** Does the steps, and returns the names that must be there if nobody rolls them back. */
  async function run(on: Database, steps: readonly Step[]): Promise<string[]> {
    const kept: string[] = []
    for (const step of steps) {
      try {
        if (step.do === 'dry') await dryRun(on, (inner) => run(inner, step.steps))
        else kept.push(await write(on, step.do))
      } catch (error) {
        if (!('isCaught' in step) || !step.isCaught) throw error
      }
    }
    return kept
  }

  const write = (on: Database, kind: Exclude<Step['do'], 'dry'>) =>
    on.write(async (tx) => {
      const name = `name ${++drawn}`
      await add(tx, name)
      if (kind === 'fail') await add(tx, null)
      if (kind === 'throw') throw new Error('a fault')
      if (kind === 'refuse') throw new AppError('rest_forbidden')
      return name
    })

  const stored = async () => (await db.read((tx) => sql<{ name: string }>`select name from names`.execute(tx))).rows

  it('leave what they wrote, and nothing of what threw or was rolled back, whoever caught the error', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        await db.write((tx) => sql`delete from names`.execute(tx).then(() => {}))
        const outcomes = await runInOneTransaction(
          db,
          given.map(({ steps, waits }) => ({ waits, run: (on: Database) => run(on, steps) })),
          async () => {},
        )
        const kept = outcomes.flatMap((outcome) => {
          try {
            return outcome()
          } catch {
            return []
          }
        })
        assert.deepEqual((await stored()).map(({ name }) => name).sort(), kept.sort())
      }),
      { numRuns: times(1000, 100) },
    )
  })
})
