import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import { openDatabase } from '../../src/storage/database.ts'
import { EARLIER, makeEarlier, migrateRaw, openRaw, STATEMENTS } from '../support/earlier-versions.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { some, times } from '../support/thorough.ts'
import { ALL, countSteps, ON_PURPOSE, stateOf, Versions } from '../support/versions.ts'

/** Every statement fails once, or each third. */
const STRIDE = times(1, 3)

describe('migrations', () => {
  let versions: Versions
  before(() => {
    versions = new Versions()
  })
  after(() => versions.drop())

  it('bring the database of every earlier version to the same tables, and keep all rows', async () => {
    const fresh = await versions.empty()
    const migrate = async (where: string) => {
      const db = openDatabase(where)
      const ran = await db.migrate().finally(() => db.close())
      return ran
    }
    assert.deepEqual(await migrate(fresh), ALL)
    const { schema: expected } = await stateOf(fresh)
    // The first, the last, and then every fourth.
    const known = Array.from({ length: EARLIER.length }, (_, n) => n + 1)
    for (const done of some([1, EARLIER.length, ...known.slice(1, -1).sort((n, m) => (n % 4) - (m % 4))], 4)) {
      const where = await versions.make(done)
      assert.deepEqual(await migrate(where), ALL.slice(done))
      const { schema, contents } = await stateOf(where)
      assert.deepEqual(schema, expected, `from ${EARLIER[done - 1]}`)
      assert.deepEqual(
        contents.events?.map((row) => JSON.parse(row).id),
        [30, 31, 32, 33, 34, 35],
      )
      const links = contents.event_terms?.map((row) => JSON.parse(row)) ?? []
      assert.ok(links.every(({ start_local }) => start_local.startsWith('2031-')))
      assert.deepEqual(await migrate(where), [])
    }
  })

  for (const [n, name] of some([...ALL.entries()].toReversed(), 3)) {
    it(`${name} leaves nothing when it fails at any statement, and works when it is run again`, async () => {
      const where = await versions.make(n)
      const before = await stateOf(where)
      const undisturbed = await versions.copy(where)
      const steps = await countSteps(undisturbed, name)
      for (let at = 0; at < steps; at += STRIDE) {
        let step = 0
        const failing = migrateRaw(where, (news) => {
          if (news.kind === 'step' && news.name === name && step++ === at) throw new Error(ON_PURPOSE)
        })
        await assert.rejects(failing, { message: ON_PURPOSE })
        assert.deepEqual(await stateOf(where), before, `statement ${at}`)
      }
      assert.deepEqual(await migrateRaw(where), ALL.slice(n))
      assert.deepEqual(await stateOf(where), await stateOf(undisturbed))
    })
  }

  for (const [n, name] of some([...EARLIER.entries()].toReversed(), 2)) {
    it(`${name} repairs what an earlier version left half-way`, {
      skip: ON_POSTGRES && 'had transactions',
    }, async () => {
      const undisturbed = await versions.make(n)
      await migrateRaw(undisturbed)
      const expected = await stateOf(undisturbed)
      for (let further = 1; further <= (STATEMENTS[name]?.length ?? 0); further += STRIDE) {
        const where = await versions.empty()
        await makeEarlier(where, n, further)
        assert.deepEqual(await migrateRaw(where), ALL.slice(n))
        assert.deepEqual(await stateOf(where), expected, `${further} statements`)
        const db = openRaw(where)
        const check = async (pragma: string) => (await db.executeQuery(CompiledQuery.raw(`pragma ${pragma}`))).rows
        assert.deepEqual(await check('integrity_check'), [{ integrity_check: 'ok' }])
        assert.deepEqual(await check('foreign_key_check'), [])
        await db.destroy()
      }
    })
  }
})
