import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { add, type JobKind } from '../../src/domain/jobs.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { claim, listFailed } from '../../src/storage/jobs.ts'
import { JobSuite, recorder } from '../support/jobs.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { eventually } from '../support/workers.ts'

describe('jobs', () => {
  const suite = new JobSuite()

  it('are run once, with their payload, and removed', async () => {
    const kind = recorder()
    await suite.add({ kind: 'record', payload: { n: 1 } }, { kind: 'record', payload: null })
    suite.start([kind])
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, [{ n: 1 }, null])
  })

  it('begin soon after the write that added them, without waiting for the next look', async () => {
    const kind = recorder()
    suite.start([kind], { poll: 3_600_000 })
    await suite.add({ kind: 'record', payload: 1 })
    await eventually(() => suite.isEmpty())
    await suite.add({ kind: 'record', payload: 2 })
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, [1, 2])
  })

  it('of a transaction that is rolled back are never run', async () => {
    const kind = recorder()
    suite.start([kind])
    const failing = suite.db.write(async (tx) => {
      await add(tx, { kind: 'record', payload: 'never' })
      throw new Error('on purpose')
    })
    await assert.rejects(failing, { message: 'on purpose' })
    await suite.add({ kind: 'record', payload: 'later' })
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, ['later'])
  })

  it('with a delay wait for it', async () => {
    const kind = recorder()
    await suite.add({ kind: 'record', payload: 'late', delay: 2 }, { kind: 'record', payload: 'early' })
    suite.start([kind], { poll: 3_600_000 })
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, ['early', 'late'])
  })

  it('of kinds that a process does not know are left alone', async () => {
    const kind = recorder()
    await suite.add({ kind: 'unknown' }, { kind: 'record', payload: 1 })
    suite.start([kind])
    await eventually(async () => (await suite.rows()).length === 1)
    assert.deepEqual((await suite.rows())[0]?.attempts, 0)
  })

  it('of one key exist once: added again before they run, they run with the last payload', async () => {
    const kind = recorder()
    for (const payload of [1, 2, 3]) await suite.add({ kind: 'record', key: 'mail 7', payload })
    assert.equal((await suite.rows()).length, 1)
    suite.start([kind])
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, [3])
  })

  it('of one key that are added while they run are run again, and not at once', async () => {
    let atOnce = 0
    const kind = recorder(async (n) => {
      assert.equal(++atOnce, 1)
      if (n === 1) await suite.add({ kind: 'record', key: 'mail 7', payload: 'again' })
      await sleep(50)
      atOnce--
    })
    await suite.add({ kind: 'record', key: 'mail 7', payload: 'first' })
    suite.start([kind])
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, ['first', 'again'])
    assert.deepEqual(suite.logged, [])
  })

  it('that fail are tried again, then kept with their last error and logged', async () => {
    const kind = recorder((n) => {
      throw new Error(`failure ${n}`)
    })
    await suite.add({ kind: 'record', key: 'bad', payload: 1 })
    suite.start([kind], { pauses: [0.1, 0.1] })
    await eventually(async () => (await suite.db.read((tx) => listFailed(tx, 10))).length > 0)
    const [failed] = await suite.rows()
    assert.deepEqual([failed?.attempts, failed?.error, failed?.claimed_by], [3, 'Error: failure 3', null])
    assert.ok(failed?.ended_utc)
    assert.deepEqual(
      suite.logged.map(({ level, job }) => [level, job]),
      [
        ['warn', 'record'],
        ['warn', 'record'],
        ['error', 'record'],
      ],
    )
    await suite.add({ kind: 'record', key: 'bad', payload: 2 })
    await eventually(() => kind.ran.length >= 4)
    assert.equal(kind.ran[3], 2)
  })

  it('that end the process each time are given up', async () => {
    const kind = recorder()
    await suite.add({ kind: 'record', key: 'deadly' })
    await suite.change({ attempts: 3 })
    suite.start([kind], { pauses: [0.1, 0.1] })
    await eventually(async () => (await suite.db.read((tx) => listFailed(tx, 10))).length === 1)
    assert.deepEqual(kind.ran, [])
  })

  it('that have failed are forgotten after a month', async () => {
    await suite.add({ kind: 'record', key: 'old' }, { kind: 'record', key: 'new' })
    await suite.change({ due_utc: null, ended_utc: systemClock() - 31 * 24 * 3600 })
    const kind = recorder(() => Promise.reject(new Error('on purpose')))
    await suite.add({ kind: 'record', key: 'new' })
    suite.start([kind], { pauses: [] })
    await eventually(async () => (await suite.rows()).length === 1)
    assert.equal((await suite.rows())[0]?.key, 'new')
  })

  it('run a few of one kind at a time, and those of other kinds beside them', async () => {
    let [atOnce, most] = [0, 0]
    const release = Promise.withResolvers<void>()
    const slow = recorder(async () => {
      most = Math.max(most, ++atOnce)
      await release.promise
      atOnce--
    })
    const other: JobKind = { name: 'other', run: async () => release.resolve() }
    await suite.add(...Array.from({ length: 20 }, (_, payload) => ({ kind: 'record', payload })))
    suite.start([slow, other])
    await eventually(() => atOnce === 4)
    await suite.add({ kind: 'other' })
    await eventually(() => suite.isEmpty())
    assert.equal(most, 4)
    assert.equal(slow.ran.length, 20)
  })

  it('that recur and have nothing to do write nothing', async () => {
    let due: number | null = null
    const kind = recorder(() => {
      due = null
    })
    suite.start([{ ...kind, every: 1, next: async () => due }])
    await eventually(async () => (await suite.rows()).length === 1)
    const watch = ON_POSTGRES ? null : new DatabaseSync(join(suite.folder, 'kalends.sqlite'))
    const version = () => watch?.prepare('pragma data_version').get()
    const before = version()
    suite.queries = []
    await sleep(3000)
    assert.deepEqual(version(), before)
    watch?.close()
    assert.ok(suite.queries.length > 0)
    assert.deepEqual(
      suite.queries.filter((query) => /insert|update|delete/i.test(query)),
      [],
    )
    due = systemClock() + 2
    await eventually(() => kind.ran.length === 1)
    assert.ok(systemClock() >= due)
  })

  it('change no version of the data', async () => {
    const kind = recorder()
    await suite.add(...Array.from({ length: 10 }, (_, payload) => ({ kind: 'record', payload })))
    const before = await suite.db.version()
    suite.start([kind])
    await eventually(() => suite.isEmpty())
    assert.equal(await suite.db.version(), before)
  })

  it('of a process that was killed are run by another when the lease ends', async () => {
    const kind = recorder()
    await suite.add({ kind: 'record', payload: 'left' })
    assert.ok(await claim(suite.db, ['record'], 'a process that is no more', 3))
    assert.equal(await claim(suite.db, ['record'], 'another', 3), undefined)
    suite.start([kind], { poll: 3_600_000 })
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, ['left'])
  })

  it('are told when another process has taken them over', async () => {
    const told = Promise.withResolvers<void>()
    const kind: JobKind = {
      name: 'record',
      run: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told.resolve()
            reject(signal.reason)
          })
        }),
    }
    await suite.add({ kind: 'record' })
    suite.start([kind], { lease: 3 })
    await eventually(async () => (await suite.rows())[0]?.claimed_by != null)
    await suite.change({ claimed_by: 'another' })
    await told.promise
    assert.equal((await suite.rows())[0]?.claimed_by, 'another')
  })

  it('that run when the process stops are finished', async () => {
    const kind = recorder(() => sleep(1000))
    await suite.add({ kind: 'record' }, { kind: 'record' })
    const jobs = suite.start([kind])
    await eventually(() => kind.ran.length === 2)
    await jobs.stop()
    assert.deepEqual(await suite.rows(), [])
  })

  for (const [how, work] of [
    ['stop when they are told to', (signal: AbortSignal) => sleep(60_000, undefined, { signal })],
    ['do not stop', () => sleep(60_000, undefined, { ref: false })],
  ] as const) {
    it(`that ${how} are given back by a process that stops`, async () => {
      let runs = 0
      await suite.add({ kind: 'record', payload: 1 })
      const jobs = suite.start([
        {
          name: 'record',
          run: (_, signal) => {
            runs++
            return work(signal)
          },
        },
      ])
      await eventually(() => runs === 1)
      await jobs.stop()
      const [row] = await suite.rows()
      assert.deepEqual([row?.claimed_by, row?.attempts, row?.error], [null, 0, null])
      const kind = recorder()
      suite.start([kind])
      await eventually(() => suite.isEmpty())
      assert.deepEqual([runs, kind.ran, suite.logged], [1, [1], []])
    })
  }

  it('are run when the clock of the database was set back, with the delay that they had', async () => {
    const kind = recorder()
    const ahead = systemClock() + 80 * 365 * 24 * 3600
    await suite.add({ kind: 'record', payload: 1 })
    await suite.change({ due_utc: ahead + 2, set_utc: ahead })
    suite.start([kind])
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, [1])
  })

  it('wait for a database that is away, which is logged once', async () => {
    const kind = recorder()
    await suite.add({ kind: 'record', payload: 1 })
    await suite.db.write((tx) => sql`alter table jobs rename to jobs_away`.execute(tx))
    suite.start([kind])
    await sleep(3000)
    await suite.db.write((tx) => sql`alter table jobs_away rename to jobs`.execute(tx))
    await eventually(() => suite.isEmpty())
    assert.deepEqual(kind.ran, [1])
    assert.deepEqual(
      suite.logged.map(({ message }) => message),
      ['jobs cannot be looked for'],
    )
  })
})
