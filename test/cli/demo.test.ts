import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { WINDOW } from '../../scripts/demo/demo-event.ts'
import { planYear } from '../../scripts/demo/plan.ts'
import { createApp } from '../../src/app.ts'
import { fromWall, toWall } from '../../src/calendar/civil.ts'
import { expand } from '../../src/calendar/recurrence.ts'
import { readRule } from '../../src/calendar/recurrence-rule.ts'
import { readConfig } from '../../src/config.ts'
import { openAddress } from '../../src/store.ts'
import { contractOf } from '../support/contract.ts'
import { startProcess } from '../support/processes.ts'
import type { Json } from '../support/service.ts'
import { ROOT } from '../support/sources.ts'
import { times } from '../support/thorough.ts'
import { eventually } from '../support/workers.ts'

const COUNT = times(24, 16)
/** Fewer than before, so that the folder shows that it was made again. Most of the time goes into pictures. */
const SERVED = times(20, 2)

function start(args: string[]): { child: ChildProcess; out: () => string } {
  // Finds modules faster, as the command does.
  const resolve = ['--import', join(ROOT, 'bin/resolve.js')]
  const child = startProcess(process.execPath, [...resolve, join(ROOT, 'scripts/demo.ts'), ...args], { cwd: ROOT })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      out += data
    })
  return { child, out: () => out }
}

async function run(args: string[]): Promise<{ code: number; out: string }> {
  const { child, out } = start(args)
  const [code] = await once(child, 'close')
  return { code, out: out() }
}

/** Every published event of a folder, as REST answers it to a visitor. */
async function eventsOf(folder: string): Promise<Json[]> {
  const db = openAddress(`sqlite:${folder}`)
  assert.ok(db)
  const app = await createApp(readConfig({ data: folder, timezone: 'Europe/Dublin' }, {}), db, { logger: false })
  try {
    const contract = contractOf((await app.server.inject({ url: '/calendar/events/v1/doc' })).json())
    const found: Json[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const url = `/calendar/events/v1/events?starts_after=2000-01-01&per_page=50&page=${page}`
      const response = await app.server.inject({ url })
      assert.equal(response.statusCode, 200, response.body)
      contract.checkResponse('GET', '/events', response.statusCode, response.json())
      pages = response.json().total_pages
      found.push(...response.json().events)
    }
    return found
  } finally {
    await app.close()
  }
}

describe('the demonstration', () => {
  let folder: string
  let own: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-demo-test-'))
    own = join(folder, 'own')
  })
  after(() => rmSync(folder, { recursive: true }))

  it('helps, and says what cannot be used', async () => {
    const { code, out } = await run(['--help'])
    assert.equal(code, 0)
    for (const flag of ['--port', '--data', '--events', '--no-serve']) assert.ok(out.includes(flag), flag)
    assert.match((await run(['--events', 'many'])).out, /whole number/)
  })

  it('makes a year, and every event of it is as the contract says', async () => {
    const { code, out } = await run(['--data', own, '--events', String(COUNT), '--no-serve'])
    assert.equal(code, 0, out)
    assert.match(out, /password {2}\S{20}/)
    const events = await eventsOf(own)
    assert.ok(events.length >= COUNT - 2, 'all but a draft and what waits for approval')
    assert.ok(events.some(({ image }) => image !== false && image.sizes.medium.width === 300))
    assert.ok(events.some(({ parent }) => parent !== undefined))
    const series = events.filter(({ recurrence }) => recurrence !== null)
    assert.ok(series.length > 2)
    assert.match(series[0]?.recurrence.text, /^Every \w+ .*until /)
    assert.ok(events.some(({ title }) => /\p{Script=Arabic}/u.test(title)))
  })

  it('leaves a folder alone that it did not make, and makes its own again', async () => {
    const foreign = join(folder, 'foreign')
    mkdirSync(foreign)
    writeFileSync(join(foreign, 'kalends.sqlite'), 'precious')
    const refused = await run(['--data', foreign, '--events', '2', '--no-serve'])
    assert.equal(refused.code, 1)
    assert.match(refused.out, /^demo: .* did not make/m)
    assert.deepEqual(readdirSync(foreign), ['kalends.sqlite'])
    const { code, out } = await run(['--data', own, '--events', String(SERVED), '--no-serve'])
    assert.equal(code, 0, out)
    assert.ok((await eventsOf(own)).length <= SERVED)
  })

  it('serves the same year from a temporary folder, which is gone when it ends', async () => {
    const server = createServer().listen(0, 'localhost')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    assert.match((await run(['--port', String(port), '--events', '2'])).out, /port \d+ cannot be used/)
    await new Promise((closed) => server.close(closed))
    const { child, out } = start(['--port', String(port), '--events', String(SERVED)])
    await eventually(() => {
      assert.equal(child.exitCode, null, out())
      return /password {2}\S+\n/.test(out())
    })
    const temporary = /in (\S+)\.\n/.exec(out())?.[1] ?? ''
    assert.ok(existsSync(temporary))
    const answer = await fetch(`http://localhost:${port}/calendar/events/v1/events?starts_after=2000-01-01&per_page=50`)
    const { events } = (await answer.json()) as Json
    const shown = (event: Json) => [event.title, event.start_date, event.description, event.venue.venue, event.cost]
    assert.deepEqual(events.map(shown), (await eventsOf(own)).map(shown))
    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    assert.equal(code, 0, out())
    assert.ok(!existsSync(temporary))
  })
})

describe('a year of it', () => {
  const today = '2031-03-12'
  const groups = planYear(today, 2000)
  const events = groups.flat()

  it('has as many events as asked for, in the year around the day', () => {
    for (const count of [1, 7, 100]) assert.equal(planYear(today, count).flat().length, count)
    assert.equal(events.length, 2000)
    const first = Temporal.PlainDate.from(today).add({ days: WINDOW.first }).toString()
    const last = Temporal.PlainDate.from(today)
      .add({ days: WINDOW.last + 1 })
      .toString()
    for (const { title, start, end } of events)
      assert.ok(start >= first && start < last && end > start, `${title}: ${start}`)
  })

  it('hardly repeats a title but in series', () => {
    const titles = groups.filter(({ length }) => length === 1).map(([event]) => event?.title)
    assert.ok(new Set(titles).size > titles.length * 0.98)
  })

  it('has series whose rule gives their days', () => {
    const series = groups.filter(([first]) => first?.rule !== undefined)
    assert.ok(series.length > 3)
    for (const group of series) {
      const [first, last] = [group[0]?.start ?? '', group.at(-1)?.start ?? '']
      const rule = readRule(`${group[0]?.rule};UNTIL=${last.slice(0, 10).replaceAll('-', '')}`, 'UTC')
      const recurrence = {
        start: fromWall(first),
        isDate: true,
        zone: 'UTC',
        rules: [rule],
        also: [],
        except: new Set<number>(),
      }
      const days = expand(recurrence, fromWall('2040-01-01 00:00:00')).starts.map((at) => toWall(at).slice(0, 16))
      assert.deepEqual(
        days,
        group.map(({ start: day }) => day),
      )
    }
  })

  it('keeps the seasons', () => {
    const months = (part: RegExp) =>
      new Set(events.filter(({ category }) => part.test(category)).map(({ start }) => start.slice(5, 7)))
    assert.deepEqual([...months(/^Open-air cinema$/)].sort(), ['06', '07', '08'])
    assert.deepEqual([...months(/^Christmas$/)].sort(), ['11', '12'])
  })
})
