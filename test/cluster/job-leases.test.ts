import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/lib/clock.ts'
import { JobSuite, recorder } from '../support/jobs.ts'
import { eventually } from '../support/workers.ts'

describe('jobs that take long', () => {
  const suite = new JobSuite()

  it('that recur are run again and again, never fail for good, and have one row', async () => {
    const kind = recorder((n) => {
      if (n < 6) throw new Error('on purpose')
    })
    suite.start([{ ...kind, every: 1 }], { pauses: [0.1, 0.1, 0.1] })
    await eventually(() => kind.ran.length >= 8)
    await eventually(async () => (await suite.rows())[0]?.claimed_by === null)
    const [row, ...more] = await suite.rows()
    assert.deepEqual([row?.error, row?.attempts, more.length], [null, 0, 0])
  })

  it('keep their lease while they run', async () => {
    const kind = recorder(() => sleep(5000))
    const other = recorder()
    await suite.add({ kind: 'record' })
    suite.start([kind], { lease: 3 })
    await eventually(() => kind.ran.length === 1)
    suite.start([other])
    await eventually(() => suite.isEmpty())
    assert.deepEqual([kind.ran.length, other.ran.length], [1, 0])
  })

  it('that still run are not run again by the same process when it could not renew their lease', async () => {
    const kind = recorder(() => sleep(2500))
    await suite.add({ kind: 'record' })
    suite.start([kind])
    await eventually(() => kind.ran.length === 1)
    await suite.change({ due_utc: 0 })
    await eventually(() => suite.isEmpty())
    assert.equal(kind.ran.length, 1)
  })

  it('that run while the clock is set back are not run by another', async () => {
    const kind = recorder(() => sleep(5000))
    const other = recorder()
    await suite.add({ kind: 'record' })
    suite.start([kind], { lease: 3 })
    await eventually(() => kind.ran.length === 1)
    const ahead = systemClock() + 3600
    await suite.change({ due_utc: ahead + 3, set_utc: ahead })
    suite.start([other])
    await eventually(() => suite.isEmpty())
    assert.deepEqual([kind.ran.length, other.ran.length], [1, 0])
  })
})
