import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { seed } from '../../bench/seed.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { runKalends, startKalends } from '../support/processes.ts'
import { type Served, serveProcesses } from '../support/workers.ts'

describe('20,000 events', () => {
  const EVENTS = 20_000
  /** A heap that holds a small part of what is written. */
  const SMALL = { NODE_OPTIONS: '--max-old-space-size=128', KALENDS_LOG_LEVEL: 'info' }
  let folder: string
  let data: string
  let served: Served

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-streams-'))
    data = join(folder, 'many')
    await seed(data, EVENTS)
    const db = openDatabase(data)
    const description = `<p>${'A long evening of chamber music, with a pause. '.repeat(20)}</p>`
    await db.write((tx) => tx.updateTable('events').set({ description }).execute())
    await db.close()
    served = await serveProcesses(['--data', data], SMALL, { isNew: false })
  })
  after(async () => {
    served.child.kill('SIGTERM')
    assert.equal(await served.closed, 0)
    rmSync(folder, { recursive: true })
  })

  const open = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => get(`${served.url}${path}`, resolve).on('error', reject))
  const megabytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

  it('stream in bounded memory', async () => {
    const mark = 'BEGIN:VEVENT'
    let octets = 0
    let events = 0
    let most = 0
    let rest = ''
    let chunks = 0
    for await (const chunk of await open('/events.ics')) {
      octets += chunk.length
      const parts = (rest + chunk).split(mark)
      events += parts.length - 1
      rest = parts.at(-1)?.slice(-mark.length + 1) ?? ''
      if (process.platform === 'linux' && chunks++ % 50 === 0) most = Math.max(most, megabytes())
    }
    assert.equal(events, EVENTS)
    assert.ok(octets > 30_000_000, `${octets}`)
    assert.ok(most < 300, `${most} MB`)
  })

  it('wait for a reader who stops reading, and hold nobody else up', async () => {
    const stopped = await open('/events.ics')
    stopped.pause()
    assert.equal((await open('/calendar/events/v1/events?page=2')).resume().statusCode, 200)
    const before = process.platform === 'linux' ? megabytes() : 0
    const started = performance.now()
    const { statusCode } = (await open('/calendar/events/v1/events')).resume()
    assert.equal(statusCode, 200)
    assert.ok(performance.now() - started < 5000)
    // While another reader takes all of it, as much could be put aside for the one who stopped.
    for await (const _ of await open('/events.ics'));
    if (process.platform === 'linux') assert.ok(megabytes() - before < 50, `${before} MB, then ${megabytes()} MB`)
    stopped.destroy()
    assert.equal((await open('/events.ics?search=nothing')).resume().statusCode, 200)
  })

  it('are exported in bounded memory, and to a reader who has had enough', async () => {
    const file = join(folder, 'many.ics')
    const { code, err } = await runKalends(['export', '--format', 'ics', '--output', file, '--data', data], SMALL)
    assert.equal(code, 0, err)
    assert.ok(readFileSync(file).length > 30_000_000)
    const reader = startKalends(['export', '--format', 'json', '--data', data])
    let told = ''
    reader.stderr.on('data', (chunk) => {
      told += chunk
    })
    await once(reader.stdout, 'data')
    reader.stdout.destroy()
    const [ended] = await once(reader, 'exit')
    assert.deepEqual([ended, told], [0, ''])
  })
})
