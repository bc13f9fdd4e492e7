import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '../../src/storage/database.ts'
import { times } from '../support/campaign.ts'
import { finished, runKalends, serveRefused, startKalends } from '../support/processes.ts'
import { type Service, startService } from '../support/service.ts'
import { emptyStore, type Store } from '../support/store.ts'

const KILLS = times(13, 4)
const EVENTS = 1500
const TABLES = 13
const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }

/** A calendar of many events, imported at once. */
async function fill(service: Service): Promise<void> {
  const entries = Array.from({ length: EVENTS }, (_, n) => [
    'BEGIN:VEVENT',
    `UID:${n}@example.org`,
    'DTSTART:20310610T100000Z',
    `SUMMARY:Event ${n}`,
    `CATEGORIES:One,Two ${n % 20}`,
    `LOCATION:Place ${n % 50}`,
    'END:VEVENT',
  ])
  const raw = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...entries.flat(), 'END:VCALENDAR', ''].join(
    '\r\n',
  )
  await service.expect(200, 'administrator', '/import', { raw, headers: { 'content-type': 'text/calendar' } })
}

/** Writes to a service, again and again, until it is told to stop. */
function writeTo(service: Service): () => Promise<number> {
  let isRunning = true
  const writing = (async () => {
    let written = 0
    for (; isRunning; written++) {
      await service.expect(201, 'editor', '/events', { json: { title: `During ${written}`, ...WHEN, tags: ['One'] } })
      await setTimeout(20)
    }
    return written
  })()
  return () => {
    isRunning = false
    return writing
  }
}

const addressOf = (where: string) => (where.startsWith('postgres') ? where : `sqlite:${where}`)
const serve = (where: string) =>
  where.startsWith('postgres') ? serveRefused([], { KALENDS_DATABASE_URL: where }) : serveRefused(['--data', where])

describe(`copying from a source that is in use, killed ${KILLS} times`, () => {
  it('is never served until it is finished, and can always be finished', { timeout: 900_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-copy-killed-'))
    const service = await startService({ folder: join(folder, 'source') })
    t.after(async () => {
      await service.close()
      rmSync(folder, { recursive: true })
    })
    await fill(service)
    let unfinished = 0
    for (let n = 0; n < KILLS; n++) {
      const target = await emptyStore(join(folder, `target-${n}`))
      unfinished += Number(await killAndFinish(service, target, n))
      await target.drop()
    }
    assert.ok(unfinished > 0, 'none was killed in the middle')
  })
})

/** Kills a copy after a while, and finishes it. Answers whether it was killed in the middle. */
async function killAndFinish(service: Service, target: Store, n: number): Promise<boolean> {
  const stop = writeTo(service)
  const copy = ['copy', '--from', addressOf(service.where), '--to', addressOf(target.where)]
  const child = startKalends(copy)
  const ended = finished(child)
  let lines = 0
  // Each line tells that a table is copied.
  for await (const text of child.stdout) {
    lines += String(text).split('\n').length - 1
    if (lines > n % TABLES) break
  }
  await setTimeout((7 * n) % 40)
  child.kill('SIGKILL')
  await ended
  const before = openDatabase(target.where)
  const source = await before.unfinishedCopy()
  await before.close()
  if (source !== null) {
    const { err } = await serve(target.where)
    assert.match(err, /^kalends: the database holds an unfinished copy of /)
  }
  await stop()
  let last = await runKalends(copy)
  // What was copied before it was killed may have changed; what was finished is not touched.
  if (/--restart/.test(last.err)) last = await runKalends([...copy, '--restart'])
  assert.ok(last.code === 0 || /the target is not empty/.test(last.err), last.err)
  await compare(target)
  return source !== null
}

/** A copy is finished, and of one moment: the counts of terms, which every event moves, are those of its events. */
async function compare(target: Store): Promise<void> {
  const copied = openDatabase(target.where)
  try {
    assert.equal(await copied.unfinishedCopy(), null)
    const [events, terms, links] = await copied.readMany(async (tx) => [
      await tx.selectFrom('events').select('id').execute(),
      await tx.selectFrom('terms').select(['id', 'count']).execute(),
      await tx
        .selectFrom('event_terms')
        .select((eb) => ['term', eb.fn.countAll<number>().as('count')])
        .groupBy('term')
        .execute(),
    ])
    assert.ok(events.length >= EVENTS)
    const linked = new Map(links.map(({ term, count }) => [term, Number(count)]))
    for (const { id, count } of terms) assert.equal(count, linked.get(id) ?? 0, `the count of term ${id}`)
  } finally {
    await copied.close()
  }
}
