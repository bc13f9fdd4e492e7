import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { add, type JobKind, type JobOptions, Jobs, type NewJob } from '../../src/domain/jobs.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { claim, type JobRow, listFailed } from '../../src/storage/jobs.ts'
import { freshStore, ON_POSTGRES, type Store } from '../support/store.ts'
import { eventually } from '../support/workers.ts'

describe('jobs', () => {
  let folder: string
  let store: Store
  let db: Database
  let queries: string[] = []
  let logged: { level: string; message: string; job?: string }[] = []
  const running: Jobs[] = []
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-jobs-'))
    store = await freshStore(folder)
    db = openDatabase(store.where, { onQuery: (query) => queries.push(query) })
    await db.migrate()
  })
  after(async () => {
    await db.close()
    await store.drop()
    rmSync(folder, { recursive: true })
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((jobs) => jobs.stop()))
    await db.write((tx) => tx.deleteFrom('jobs').execute())
    logged = []
  })

  function start(kinds: readonly JobKind[], options: Partial<JobOptions> = {}): Jobs {
    const log = (level: string) => (details: object, message: string) => logged.push({ level, message, ...details })
    const given = { db, clock: systemClock, poll: 1000, log: { warn: log('warn'), error: log('error') }, ...options }
    const jobs = new Jobs(given, kinds)
    running.push(jobs)
    jobs.start()
    return jobs
  }
  const put = (...jobs: NewJob[]) =>
    db.write(async (tx) => {
      for (const job of jobs) await add(tx, job)
    })
  const rows = (): Promise<JobRow[]> => db.read((tx) => tx.selectFrom('jobs').selectAll().orderBy('id').execute())
  const hasNone = async () => (await rows()).length === 0
  const change = (values: object) => db.write((tx) => tx.updateTable('jobs').set(values).execute())
  /** Remembers what it was run with. */
  function recorder(work: (n: number) => unknown = () => {}): JobKind & { ran: unknown[] } {
    const ran: unknown[] = []
    return {
      name: 'record',
      ran,
      async run(payload) {
        ran.push(payload)
        await work(ran.length)
      },
    }
  }

  it('are run once, with their payload, and removed', async () => {
    const kind = recorder()
    await put({ kind: 'record', payload: { n: 1 } }, { kind: 'record', payload: null })
    start([kind])
    await eventually(hasNone)
    assert.deepEqual(kind.ran, [{ n: 1 }, null])
  })

  it('begin soon after the write that added them, without waiting for the next look', async () => {
    const kind = recorder()
    start([kind], { poll: 3_600_000 })
    await put({ kind: 'record', payload: 1 })
    await eventually(hasNone)
    await put({ kind: 'record', payload: 2 })
    await eventually(hasNone)
    assert.deepEqual(kind.ran, [1, 2])
  })

  it('of a transaction that is rolled back are never run', async () => {
    const kind = recorder()
    start([kind])
    const failing = db.write(async (tx) => {
      await add(tx, { kind: 'record', payload: 'never' })
      throw new Error('on purpose')
    })
    await assert.rejects(failing, { message: 'on purpose' })
    await put({ kind: 'record', payload: 'later' })
    await eventually(hasNone)
    assert.deepEqual(kind.ran, ['later'])
  })

  it('with a delay wait for it', async () => {
    const kind = recorder()
    await put({ kind: 'record', payload: 'late', delay: 2 }, { kind: 'record', payload: 'early' })
    start([kind], { poll: 3_600_000 })
    await eventually(hasNone)
    assert.deepEqual(kind.ran, ['early', 'late'])
  })

  it('of kinds that a process does not know are left alone', async () => {
    const kind = recorder()
    await put({ kind: 'unknown' }, { kind: 'record', payload: 1 })
    start([kind])
    await eventually(async () => (await rows()).length === 1)
    assert.deepEqual((await rows())[0]?.attempts, 0)
  })

  it('of one key exist once: added again before they run, they run with the last payload', async () => {
    const kind = recorder()
    for (const payload of [1, 2, 3]) await put({ kind: 'record', key: 'mail 7', payload })
    assert.equal((await rows()).length, 1)
    start([kind])
    await eventually(hasNone)
    assert.deepEqual(kind.ran, [3])
  })

  it('of one key that are added while they run are run again, and not at once', async () => {
    let atOnce = 0
    const kind = recorder(async (n) => {
      assert.equal(++atOnce, 1)
      if (n === 1) await put({ kind: 'record', key: 'mail 7', payload: 'again' })
      await sleep(50)
      atOnce--
    })
    await put({ kind: 'record', key: 'mail 7', payload: 'first' })
    start([kind])
    await eventually(hasNone)
    assert.deepEqual(kind.ran, ['first', 'again'])
    assert.deepEqual(logged, [])
  })

  it('that fail are tried again, then kept with their last error and logged', async () => {
    const kind = recorder((n) => {
      throw new Error(`failure ${n}`)
    })
    await put({ kind: 'record', key: 'bad', payload: 1 })
    start([kind], { pauses: [0.1, 0.1] })
    await eventually(async () => (await db.read((tx) => listFailed(tx, 10))).length > 0)
    const [failed] = await rows()
    assert.deepEqual([failed?.attempts, failed?.error, failed?.claimed_by], [3, 'Error: failure 3', null])
    assert.ok(failed?.ended_utc)
    assert.deepEqual(
      logged.map(({ level, job }) => [level, job]),
      [
        ['warn', 'record'],
        ['warn', 'record'],
        ['error', 'record'],
      ],
    )
    await put({ kind: 'record', key: 'bad', payload: 2 })
    await eventually(() => kind.ran.length >= 4)
    assert.equal(kind.ran[3], 2)
  })

  it('that end the process each time are given up', async () => {
    const kind = recorder()
    await put({ kind: 'record', key: 'deadly' })
    await change({ attempts: 3 })
    start([kind], { pauses: [0.1, 0.1] })
    await eventually(async () => (await db.read((tx) => listFailed(tx, 10))).length === 1)
    assert.deepEqual(kind.ran, [])
  })

  it('that have failed are forgotten after a month', async () => {
    await put({ kind: 'record', key: 'old' }, { kind: 'record', key: 'new' })
    await change({ due_utc: null, ended_utc: systemClock() - 31 * 24 * 3600 })
    const kind = recorder(() => Promise.reject(new Error('on purpose')))
    await put({ kind: 'record', key: 'new' })
    start([kind], { pauses: [] })
    await eventually(async () => (await rows()).length === 1)
    assert.equal((await rows())[0]?.key, 'new')
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
    await put(...Array.from({ length: 20 }, (_, payload) => ({ kind: 'record', payload })))
    start([slow, other])
    await eventually(() => atOnce === 4)
    await put({ kind: 'other' })
    await eventually(hasNone)
    assert.equal(most, 4)
    assert.equal(slow.ran.length, 20)
  })

  it('that recur are run again and again, never fail for good, and have one row', async () => {
    const kind = recorder((n) => {
      if (n < 6) throw new Error('on purpose')
    })
    start([{ ...kind, every: 1 }], { pauses: [0.1, 0.1, 0.1] })
    await eventually(() => kind.ran.length >= 8)
    await eventually(async () => (await rows())[0]?.claimed_by === null)
    const [row, ...more] = await rows()
    assert.deepEqual([row?.error, row?.attempts, more.length], [null, 0, 0])
  })

  it('that recur and have nothing to do write nothing', async () => {
    let due: number | null = null
    const kind = recorder(() => {
      due = null
    })
    start([{ ...kind, every: 1, next: async () => due }])
    await eventually(async () => (await rows()).length === 1)
    const watch = ON_POSTGRES ? null : new DatabaseSync(join(folder, 'kalends.sqlite'))
    const version = () => watch?.prepare('pragma data_version').get()
    const before = version()
    queries = []
    await sleep(3000)
    assert.deepEqual(version(), before)
    watch?.close()
    assert.ok(queries.length > 0)
    assert.deepEqual(
      queries.filter((query) => /insert|update|delete/i.test(query)),
      [],
    )
    due = systemClock() + 2
    await eventually(() => kind.ran.length === 1)
    assert.ok(systemClock() >= due)
  })

  it('change no version of the data', async () => {
    const kind = recorder()
    await put(...Array.from({ length: 10 }, (_, payload) => ({ kind: 'record', payload })))
    const before = await db.version()
    start([kind])
    await eventually(hasNone)
    assert.equal(await db.version(), before)
  })

  it('of a process that was killed are run by another when the lease ends', async () => {
    const kind = recorder()
    await put({ kind: 'record', payload: 'left' })
    assert.ok(await claim(db, ['record'], 'a process that is no more', 3))
    assert.equal(await claim(db, ['record'], 'another', 3), undefined)
    start([kind], { poll: 3_600_000 })
    await eventually(hasNone)
    assert.deepEqual(kind.ran, ['left'])
  })

  it('keep their lease while they run', async () => {
    const kind = recorder(() => sleep(5000))
    const other = recorder()
    await put({ kind: 'record' })
    start([kind], { lease: 3 })
    await eventually(() => kind.ran.length === 1)
    start([other])
    await eventually(hasNone)
    assert.deepEqual([kind.ran.length, other.ran.length], [1, 0])
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
    await put({ kind: 'record' })
    start([kind], { lease: 3 })
    await eventually(async () => (await rows())[0]?.claimed_by != null)
    await change({ claimed_by: 'another' })
    await told.promise
    assert.equal((await rows())[0]?.claimed_by, 'another')
  })

  it('that run when the process stops are finished', async () => {
    const kind = recorder(() => sleep(1000))
    await put({ kind: 'record' }, { kind: 'record' })
    const jobs = start([kind])
    await eventually(() => kind.ran.length === 2)
    await jobs.stop()
    assert.deepEqual(await rows(), [])
  })

  for (const [how, work] of [
    ['stop when they are told to', (signal: AbortSignal) => sleep(60_000, undefined, { signal })],
    ['do not stop', () => sleep(60_000, undefined, { ref: false })],
  ] as const) {
    it(`that ${how} are given back by a process that stops`, async () => {
      let runs = 0
      await put({ kind: 'record', payload: 1 })
      const jobs = start([
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
      const [row] = await rows()
      assert.deepEqual([row?.claimed_by, row?.attempts, row?.error], [null, 0, null])
      const kind = recorder()
      start([kind])
      await eventually(hasNone)
      assert.deepEqual([runs, kind.ran, logged], [1, [1], []])
    })
  }

  it('are run when the clock of the database was set back, with the delay that they had', async () => {
    const kind = recorder()
    const ahead = systemClock() + 80 * 365 * 24 * 3600
    await put({ kind: 'record', payload: 1 })
    await change({ due_utc: ahead + 2, set_utc: ahead })
    start([kind])
    await eventually(hasNone)
    assert.deepEqual(kind.ran, [1])
  })

  it('that run while the clock is set back are not run by another', async () => {
    const kind = recorder(() => sleep(5000))
    const other = recorder()
    await put({ kind: 'record' })
    start([kind], { lease: 3 })
    await eventually(() => kind.ran.length === 1)
    const ahead = systemClock() + 3600
    await change({ due_utc: ahead + 3, set_utc: ahead })
    start([other])
    await eventually(hasNone)
    assert.deepEqual([kind.ran.length, other.ran.length], [1, 0])
  })

  it('wait for a database that is away, which is logged once', async () => {
    const kind = recorder()
    await put({ kind: 'record', payload: 1 })
    await db.write((tx) => sql`alter table jobs rename to jobs_away`.execute(tx))
    start([kind])
    await sleep(3000)
    await db.write((tx) => sql`alter table jobs_away rename to jobs`.execute(tx))
    await eventually(hasNone)
    assert.deepEqual(kind.ran, [1])
    assert.deepEqual(
      logged.map(({ message }) => message),
      ['jobs cannot be looked for'],
    )
  })
})
