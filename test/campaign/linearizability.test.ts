import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Calendar, Chance, Client, chanceOf, newCalendar, progress, times } from '../support/campaign.ts'
import { faultsOf, type Operation } from '../support/linearizable.ts'
import { shiftedClock } from '../support/shifted-clock.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { type Served, serveProcesses } from '../support/workers.ts'

/** How many changes are tried in a run, by how many clients, on how many records. */
const CHANGES = times(2000, 300)
const CLIENTS = 8
const RECORDS = 3
/** A run ends after so many milliseconds, however many changes were made. */
const LONGEST = 80_000

const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }

describe('changes of one record by many clients', () => {
  /** Two nodes on PostgreSQL, else two workers on one file; `env` of each node. */
  async function start(calendar: Calendar, env: readonly [object, object]): Promise<Served[]> {
    const serve = (args: string[], own: object) =>
      serveProcesses([...calendar.args, ...args], { ...calendar.env, ...own }, { isNew: false })
    return ON_POSTGRES ? Promise.all(env.map((own) => serve([], own))) : [await serve(['--workers', '2'], env[0])]
  }

  async function run(name: string, env: readonly [object, object] = [{}, {}]): Promise<void> {
    const chance = chanceOf(name)
    const calendar = await newCalendar()
    const services = await start(calendar, env)
    const clientOf = (n: number) => new Client(services[n % services.length]?.url ?? '', calendar.token)
    const clients = Array.from({ length: CLIENTS }, (_, n) => clientOf(n))
    try {
      const histories = new Map<number, Operation[]>()
      for (let record = 0; record < RECORDS; record++) {
        const json = { title: 'first', ...WHEN }
        const { bytes } = (await clients[0]?.send('POST', '/events', json)) ?? {}
        histories.set(JSON.parse(String(bytes)).id, [])
      }
      const deadline = performance.now() + LONGEST
      let changes = 0
      const work = async (client: Client, n: number) => {
        const own = new Chance(chance.next() * 2 ** 32)
        for (let turn = 0; changes < CHANGES && performance.now() < deadline; turn++) {
          const [id, history] = own.pick([...histories])
          await readAndChange(client, id, history, `${n}-${turn}`, own)
          if (++changes % 500 === 0) progress(`${changes} changes`)
        }
      }
      await Promise.all(clients.map(work))
      for (const [id, history] of histories) {
        const made = history.filter((one) => one.kind === 'change' && one.outcome === 'made').length
        progress(`event ${id}: ${history.length} operations, ${made} changes made`)
        assert.deepEqual(faultsOf(history, 'first'), [], `event ${id}`)
        assert.ok(made > CHANGES / RECORDS / 20, `${made} changes of event ${id} were made`)
      }
    } finally {
      for (const client of clients) client.close()
      for (const { child } of services) child.kill('SIGTERM')
      await Promise.all(services.map(({ closed }) => closed))
      await calendar.drop()
    }
  }

  async function readAndChange(
    client: Client,
    id: number,
    history: Operation[],
    value: string,
    chance: Chance,
  ): Promise<void> {
    let begun = performance.now()
    const seen = await client.send('GET', `/events/${id}`)
    assert.equal(seen.status, 200, String(seen.bytes))
    const from = String(JSON.parse(String(seen.bytes)).title)
    history.push({ kind: 'read', value: from, begun, ended: performance.now() })
    // Others may come in between, or not.
    if (chance.next() < 0.3) await setTimeout(chance.between(0, 20))
    begun = performance.now()
    const tag = String(seen.headers.etag)
    const { status, bytes } = await client.send('PUT', `/events/${id}`, { title: value }, { 'if-match': tag })
    const outcome = status === 200 ? 'made' : status === 412 ? 'refused' : 'unknown'
    assert.notEqual(outcome, 'unknown', `${status}: ${bytes}`)
    history.push({ kind: 'change', from, to: value, outcome, begun, ended: performance.now() })
  }

  it('take place one after the other, as every client can see', { timeout: 120_000 }, () => run('linearizability'))

  it('do so when the clocks of two nodes are hours apart', { timeout: 120_000 }, () =>
    run('linearizability with clocks apart', [shiftedClock(-2 * 3600), shiftedClock(3 * 3600)]),
  )
})

describe('the judge of histories', () => {
  const read = (value: string, begun: number, ended: number): Operation => ({ kind: 'read', value, begun, ended })
  const change = (from: string, to: string, begun: number, ended: number, outcome = 'made'): Operation =>
    ({ kind: 'change', from, to, begun, ended, outcome }) as Operation

  it('accepts what can have taken place', () => {
    const history = [change('a', 'b', 0, 10), read('a', 1, 9), read('b', 2, 8), change('a', 'c', 5, 12, 'refused')]
    assert.deepEqual(faultsOf([...history, change('b', 'c', 11, 20), read('c', 15, 16), read('b', 12, 18)], 'a'), [])
    assert.deepEqual(faultsOf([change('a', 'b', 0, 1, 'unknown'), read('a', 2, 3), read('b', 4, 5)], 'a'), [])
  })

  it('finds lost changes, old reads, reads of the future, and changes refused without reason', () => {
    const wrong: [Operation[], RegExp][] = [
      [[change('a', 'b', 0, 1), change('a', 'c', 2, 3)], /lost/],
      [[change('a', 'b', 0, 1), read('a', 2, 3)], /read of a began after the change of b/],
      [[read('b', 0, 1), change('a', 'b', 2, 3)], /change of b began after the read of b/],
      [[change('a', 'b', 0, 9), read('b', 1, 2), read('a', 3, 4)], /read of a began after the read of b/],
      [[change('a', 'b', 2, 3, 'refused')], /was refused/],
      [[read('x', 0, 1)], /does not follow/],
    ]
    for (const [history, fault] of wrong) assert.match(faultsOf(history, 'a').join('\n'), fault)
  })
})
