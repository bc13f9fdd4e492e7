import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { migrateRaw } from '../support/earlier-versions.ts'
import { finished, startProcess } from '../support/processes.ts'
import { ROOT } from '../support/sources.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { ALL, countSteps, stateOf, Versions } from '../support/versions.ts'

const SCRIPT = join(ROOT, 'test/support/migrate-and-die.ts')
/** What was compiled by one process is not compiled by the next. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'kalends-test-cache') }

// On PostgreSQL, a process that is killed is a connection that ends: see migrations.test.ts.
describe('a process that is killed while it migrates', { skip: ON_POSTGRES && 'kills what has a file open' }, () => {
  let versions: Versions
  before(() => {
    versions = new Versions()
  })
  after(() => versions.drop())

  for (const [n, name] of ALL.entries()) {
    it(`leaves nothing of ${name}, at any statement`, async () => {
      const where = await versions.make(n)
      const before = await stateOf(where)
      const undisturbed = await versions.copy(where)
      const steps = await countSteps(undisturbed, name)
      for (let at = 0; at < steps; at++) {
        const child = startProcess(process.execPath, [SCRIPT, where, name, String(at)], { env })
        const { err } = await finished(child)
        assert.equal(child.signalCode, 'SIGKILL', err)
        assert.deepEqual(await stateOf(where), before, `statement ${at}`)
      }
      assert.deepEqual(await migrateRaw(where), ALL.slice(n))
      assert.deepEqual(await stateOf(where), await stateOf(undisturbed))
    })
  }
})
