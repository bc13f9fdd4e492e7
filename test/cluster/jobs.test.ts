import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { add, type NewJob } from '../../src/domain/jobs.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { startProcess } from '../support/processes.ts'
import { shiftedClock } from '../support/shifted-clock.ts'
import { ROOT } from '../support/sources.ts'
import { freshStore, ON_POSTGRES, type Store } from '../support/store.ts'
import { eventually, type Served, serveProcesses } from '../support/workers.ts'

const SCRIPT = join(ROOT, 'test/support/job-node.ts')
/** Far longer than a test. */
const LONG_LEASE = 3600

/** A process that runs jobs, with what it printed. */
interface JobNode {
  readonly child: ChildProcess
  readonly closed: Promise<unknown>
  lines(): string[]
}

describe('jobs of two processes on one database', () => {
  let folder: string
  let store: Store
  let db: Database
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-jobs-'))
    store = await freshStore(folder)
    db = openDatabase(store.where)
    await db.migrate()
  })
  after(async () => {
    await db.close()
    await store.drop()
    rmSync(folder, { recursive: true })
  })

  async function start(lease: number, env: Record<string, string> = {}): Promise<JobNode> {
    const child = startProcess(process.execPath, [SCRIPT, store.where, String(lease)], {
      env: { ...process.env, ...env },
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data))
    const closed = new Promise((resolve) => child.on('close', resolve))
    const lines = () => out.split('\n').slice(0, -1)
    await eventually(() => lines().includes('ready'))
    return { child, closed, lines: () => lines().filter((line) => line !== 'ready') }
  }
  const stop = async ({ child, closed }: JobNode) => {
    child.kill('SIGTERM')
    await closed
  }
  const put = (jobs: readonly NewJob[]) =>
    db.write(async (tx) => {
      for (const job of jobs) await add(tx, job)
    })
  const count = async () => (await db.read((tx) => tx.selectFrom('jobs').select('id').execute())).length

  it('are run once each, though 500 are added at once and the clocks of the processes differ by an hour', async () => {
    const nodes = await Promise.all([start(LONG_LEASE), start(LONG_LEASE, shiftedClock(3600))])
    await put(Array.from({ length: 500 }, (_, payload) => ({ kind: 'say', payload })))
    await eventually(async () => (await count()) === 0)
    await Promise.all(nodes.map(stop))
    const [one, other] = nodes.map((node) => node.lines()) as [string[], string[]]
    assert.deepEqual(
      [...one, ...other].map(Number).sort((a, b) => a - b),
      Array.from({ length: 500 }, (_, n) => n),
    )
    assert.ok(one.length > 0 && other.length > 0, `${one.length} and ${other.length}`)
  })

  it('are taken over when the process that runs them is killed, and its lease has ended', async () => {
    const killed = await start(5)
    await put([{ kind: 'hang', payload: 'taken over' }])
    await eventually(() => killed.lines().includes('taken over'))
    const other = await start(5)
    killed.child.kill('SIGKILL')
    await killed.closed
    await eventually(() => other.lines().includes('taken over'))
    await stop(other)
    await db.write((tx) => tx.deleteFrom('jobs').execute())
  })

  it('are given back by a process that stops, so that another need not wait for its lease', async () => {
    const stopped = await start(LONG_LEASE)
    await put([{ kind: 'hang', payload: 'given back' }])
    await eventually(() => stopped.lines().includes('given back'))
    await stop(stopped)
    const other = await start(LONG_LEASE)
    await eventually(() => other.lines().includes('given back'))
    await stop(other)
    await db.write((tx) => tx.deleteFrom('jobs').execute())
  })
})

describe('jobs of a service with two workers', () => {
  let folder: string
  let store: Store
  let served: Served
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-jobs-'))
    store = await freshStore(folder)
    const env = { KALENDS_DATABASE_URL: ON_POSTGRES ? store.where : '' }
    served = await serveProcesses(['--workers', '2', '--data', folder], env)
  })
  after(async () => {
    served.child.kill('SIGTERM')
    assert.equal(await served.closed, 0)
    await store.drop()
    rmSync(folder, { recursive: true })
  })

  it('publish what was scheduled through either worker, when it is due', async () => {
    const connections = [served.connect(), served.connect()]
    await Promise.all(
      connections.map(async (connection) => {
        const due = Math.floor(Date.now() / 1000) + 4
        const { status, body } = await connection.send('POST', '/events', {
          title: 'Later',
          start_date: '2031-06-10',
          end_date: '2031-06-11',
          date_utc: new Date(due * 1000).toISOString(),
        })
        assert.deepEqual([status, body.status], [201, 'future'])
        const get = async () => (await connection.send('GET', `/events/${body.id}`)).body.status
        await eventually(async () => (await get()) === 'publish')
        assert.ok(Date.now() >= due * 1000)
        connection.close()
      }),
    )
  })

  it('write nothing while nobody uses it', { skip: ON_POSTGRES && 'asks SQLite' }, async () => {
    const watch = new DatabaseSync(join(folder, 'kalends.sqlite'), { readOnly: true })
    const version = () => watch.prepare('pragma data_version').get()
    let before = version()
    // What the requests before have left to be written.
    await eventually(async () => {
      const last = before
      await sleep(2000)
      before = version()
      return last?.data_version === before?.data_version
    })
    await sleep(5000)
    assert.deepEqual(version(), before)
    watch.close()
  })
})
