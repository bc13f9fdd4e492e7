import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import * as users from '../../src/domain/users.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { startKalends } from '../support/processes.ts'
import { end, startPair, undoAll, until } from '../support/replica.ts'
import { ON_POSTGRES } from '../support/store.ts'

const skip = ON_POSTGRES ? process.platform === 'win32' && 'needs signals' : 'needs PostgreSQL'
const WRITERS = 4
/** No request may take longer, in milliseconds. */
const PATIENCE = 20_000

/** How a request for a new tag was answered; status 0 is no answer at all. */
interface Answer {
  readonly name: string
  readonly status: number
  readonly retryAfter: string | null
  /** In milliseconds. */
  readonly took: number
  readonly body: string
}

/** Starts the service as its own process and waits until it listens. */
async function serve(databaseUrl: string, undo: (() => unknown)[]) {
  const data = mkdtempSync(join(tmpdir(), 'kalends-failover-'))
  const child = startKalends(['serve', '--port', '0', '--host', '127.0.0.1', '--data', data], {
    KALENDS_DATABASE_URL: databaseUrl,
    KALENDS_LOG_LEVEL: 'info',
  })
  undo.push(
    () => rmSync(data, { recursive: true, force: true }),
    () => end(child),
  )
  let out = ''
  let url: string | undefined
  const read = (chunk: Buffer) => {
    out = `${out}${chunk}`.slice(-5000)
    url ??= /listening at (http:\/\/[\d.:]+)/.exec(out)?.[1]
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  await until(() => url !== undefined || child.exitCode !== null)
  assert.ok(url !== undefined, out)
  return { child, url, out: () => out }
}

async function createEditor(databaseUrl: string): Promise<string> {
  const store = { db: openDatabase(databaseUrl), clock: systemClock }
  await store.db.migrate()
  await users.create(store, {
    name: 'editor',
    email: 'editor@example.org',
    role: 'editor',
    password: users.randomPassword(),
  })
  const token = await users.createToken(store, 'editor', 'failover')
  await store.db.close()
  return token
}

describe('when the primary database dies', { skip }, () => {
  it('the service asks for patience, goes on with the standby, and has lost nothing', {
    timeout: 60_000,
  }, async (t) => {
    const undo: (() => unknown)[] = []
    t.after(() => undoAll(undo))
    const pair = await startPair()
    undo.push(() => pair.stop())
    const token = await createEditor(pair.url)
    const { child, url, out } = await serve(pair.url, undo)
    const { pid } = child
    const answers: Answer[] = []
    const count = (status: number) => answers.filter((answer) => answer.status === status).length

    const createTag = async (name: string): Promise<Answer> => {
      const start = performance.now()
      const answer = await fetch(`${url}/calendar/events/v1/tags`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
        signal: AbortSignal.timeout(PATIENCE),
      }).then(
        async (response) => ({
          status: response.status,
          retryAfter: response.headers.get('retry-after'),
          body: await response.text(),
        }),
        (error) => ({ status: 0, retryAfter: null, body: String(error) }),
      )
      return { name, took: performance.now() - start, ...answer }
    }
    let writing = true
    const stopWriting = () => {
      writing = false
    }
    undo.push(stopWriting)
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      // A refused name is not tried again: whether its tag was made is not known.
      for (let n = 0; writing; n++) {
        const answer = await createTag(`Tag ${writer} ${n}`)
        answers.push(answer)
        if (answer.status !== 201) await setTimeout(50)
      }
    })
    const health = async (path: string) => (await fetch(url + path, { signal: AbortSignal.timeout(PATIENCE) })).status

    await until(() => count(201) >= 100)
    await pair.kill()
    const before = count(201)
    await until(() => count(503) >= 5 * WRITERS)
    assert.deepEqual([await health('/healthz'), await health('/readyz')], [200, 503])
    // Where an address moves before the server behind it is a primary, it can be read, and not written yet.
    pair.turn()
    const away = count(503)
    await until(() => count(503) >= away + 5 * WRITERS)
    await pair.promote()
    const back = count(201)
    await until(() => count(201) >= back + 100)
    assert.deepEqual([await health('/healthz'), await health('/readyz')], [200, 200])
    stopWriting()
    await Promise.all(writers)

    const wrong = answers.filter(({ status, retryAfter }) => status !== 201 && (status !== 503 || !retryAfter))
    assert.deepEqual(wrong, [], out())
    const slowest = Math.max(...answers.map(({ took }) => took))
    assert.ok(slowest < PATIENCE, `an answer took ${slowest} ms`)
    assert.deepEqual([child.pid, child.exitCode, child.signalCode], [pid, null, null])

    const found = new Set<string>()
    for (let page = 1, pages = 1; page <= pages; page++) {
      const response = await fetch(`${url}/calendar/events/v1/tags?hide_empty=0&per_page=50&page=${page}`)
      const body = (await response.json()) as { total_pages: number; tags: { name: string }[] }
      pages = body.total_pages
      for (const { name } of body.tags) found.add(name)
    }
    const acknowledged = answers.filter(({ status }) => status === 201).map(({ name }) => name)
    assert.deepEqual(
      acknowledged.filter((name) => !found.has(name)),
      [],
    )
    t.diagnostic(
      `${before} tags before, ${acknowledged.length - before} after, ${count(503)} refused; the slowest answer took ${Math.round(slowest)} ms`,
    )
  })
})
