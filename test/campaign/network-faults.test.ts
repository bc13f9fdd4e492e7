import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Chance, Client, chanceOf, newCalendar, progress, times } from '../support/campaign.ts'
import { FaultyNetwork } from '../support/faulty-network.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

/** How many faults there are, and after how many milliseconds no other begins. */
const FAULTS = times(40, 9)
const LONGEST = 130_000
/** Each has a record of its own, and reads it through the other node, too. */
const WRITERS = 4

const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }

/** What can happen to a network, and how it ends. */
const FAULTS_OF: Record<string, (network: FaultyNetwork, chance: Chance) => Promise<void>> = {
  async 'all connections are cut'(network) {
    network.cut()
  },
  async 'it stands still for a moment'(network, chance) {
    network.stall()
    await setTimeout(chance.between(50, 2000))
    network.goOn()
  },
  async 'it stands still, and then all connections are cut'(network, chance) {
    network.stall()
    await setTimeout(chance.between(50, 1500))
    network.cut()
    network.goOn()
  },
  async 'it is slow'(network, chance) {
    network.delay = chance.between(5, 100)
    await setTimeout(chance.between(500, 3000))
    network.delay = 0
  },
  async 'nothing gets through'(network, chance) {
    network.isDown = true
    network.cut()
    await setTimeout(chance.between(100, 2500))
    network.isDown = false
  },
  async 'what is on its way is lost'(network) {
    network.lose()
  },
  async 'it stands still for longer than the service waits'(network) {
    network.stall()
    await setTimeout(12_000)
    network.goOn()
  },
}
/** Those that take longest happen once. */
const OFTEN = Object.keys(FAULTS_OF).filter((name) => !name.includes('longer'))

/** A record that one writer counts up: what it may be is known at any time. */
interface Counter {
  readonly id: number
  /** The last value that was acknowledged, and the last that was asked for. */
  acknowledged: number
  asked: number
}

describe('a network that fails between the service and PostgreSQL', {
  skip: !ON_POSTGRES && 'needs PostgreSQL',
}, () => {
  it('loses no acknowledged write, lets nobody read old data, and is got over', { timeout: 220_000 }, async (t) => {
    const chance = chanceOf('network faults')
    const calendar = await newCalendar()
    t.after(() => calendar.drop())
    const network = new FaultyNetwork(calendar.databaseUrl)
    t.after(() => network.close())
    const urls = [await network.listen(), calendar.databaseUrl]
    const serve = (url: string) =>
      serveProcesses([...calendar.args], { ...calendar.env, KALENDS_DATABASE_URL: url }, { isNew: false })
    // One node behind the faulty network, and one that is not.
    const nodes = await Promise.all(urls.map(serve))
    t.after(async () => {
      for (const { child } of nodes) child.kill('SIGKILL')
      await Promise.all(nodes.map(({ closed }) => closed))
    })
    const connect = () => nodes.map(({ url }) => new Client(url, calendar.token))
    const counters = await Promise.all(Array.from({ length: WRITERS }, () => newCounter(connect()[1] as Client)))
    const counts = { acknowledged: 0, refused: 0, read: 0 }
    let isOver = false
    const working = counters.flatMap((counter) => [
      write(counter, connect(), new Chance(chance.next() * 2 ** 32), () => isOver, counts),
      ...connect().map((client) => read(counter, client, () => isOver, counts)),
    ])
    const failed = Promise.all(working)
    await Promise.race([failed, fail(network, chance, counts)])
    await Promise.all(nodes.map(({ url }) => eventually(async () => (await fetch(`${url}/readyz`)).status === 200)))
    const before = counters.map(({ acknowledged }) => acknowledged)
    await Promise.race([
      failed,
      eventually(() => counters.every(({ acknowledged }, n) => acknowledged >= (before[n] ?? 0) + 5)),
    ])
    isOver = true
    await failed
    for (const client of connect()) {
      for (const counter of counters) await readOnce(counter, client, counts, true)
      client.close()
    }
    assert.deepEqual(
      nodes.map(({ child }) => child.exitCode),
      [null, null],
    )
    progress(
      `${counts.acknowledged} writes were acknowledged, ${counts.refused} not, and ${counts.read} reads were right`,
    )
    assert.ok(counts.acknowledged > 100, `${counts.acknowledged} writes were acknowledged`)
  })

  async function fail(network: FaultyNetwork, chance: Chance, counts: { acknowledged: number }): Promise<void> {
    const deadline = performance.now() + LONGEST
    const long = Object.keys(FAULTS_OF).filter((name) => !OFTEN.includes(name))
    for (let n = 1; n <= FAULTS && performance.now() < deadline; n++) {
      const name = n === Math.floor(FAULTS / 3) ? chance.pick(long) : chance.pick(OFTEN)
      await FAULTS_OF[name]?.(network, chance)
      progress(`fault ${n}, ${name}: ${counts.acknowledged} writes were acknowledged so far`)
      await setTimeout(chance.between(100, 1500))
    }
  }

  async function newCounter(client: Client): Promise<Counter> {
    const { bytes } = await client.send('POST', '/events', { title: 'At 0', ...WHEN })
    client.close()
    return { id: JSON.parse(String(bytes)).id, acknowledged: 0, asked: 0 }
  }

  /** Counts up through either node. */
  async function write(
    counter: Counter,
    clients: readonly Client[],
    chance: Chance,
    isOver: () => boolean,
    counts: { acknowledged: number; refused: number },
  ): Promise<void> {
    while (!isOver()) {
      const value = ++counter.asked
      const { status, bytes, headers } = await chance
        .pick(clients)
        .send('PUT', `/events/${counter.id}`, { title: `At ${value}` })
      if (status === 200) {
        counter.acknowledged = value
        counts.acknowledged++
      } else {
        assert.equal(status, 503, String(bytes))
        assert.ok(headers['retry-after'], 'a refusal says when to come back')
        counts.refused++
        await setTimeout(50)
      }
    }
    for (const client of clients) client.close()
  }

  async function read(counter: Counter, client: Client, isOver: () => boolean, counts: { read: number }) {
    while (!isOver()) {
      await readOnce(counter, client, counts, false)
      await setTimeout(10)
    }
    client.close()
  }

  async function readOnce(counter: Counter, client: Client, counts: { read: number }, always: boolean) {
    const { acknowledged } = counter
    const { status, bytes } = await client.send('GET', `/events/${counter.id}`)
    if (status !== 200 && !always) return assert.equal(status, 503, String(bytes))
    assert.equal(status, 200, String(bytes))
    const value = Number(/^At (\d+)$/.exec(JSON.parse(String(bytes)).title)?.[1])
    const range = `${acknowledged} to ${counter.asked}`
    assert.ok(value >= acknowledged && value <= counter.asked, `event ${counter.id} is at ${value}, not ${range}`)
    counts.read++
  }
})
