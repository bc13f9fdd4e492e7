import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freshStore, ON_POSTGRES, type Store } from '../support/store.ts'
import { type Connection, eventually, type Served, serveProcesses } from '../support/workers.ts'

const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }
const LIST = '/events?start_date=2031-01-01'
const RATE_LIMIT = 60
const LOGIN_LIMIT = 10

describe('two workers on one database', () => {
  let folder: string
  let store: Store
  let served: Served
  /** Connections are handed out in turn: of these, every other one has the same worker. */
  let connections: Connection[]
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-workers-'))
    store = await freshStore(folder)
    served = await serveProcesses(['--workers', '2', '--data', folder], {
      KALENDS_DATABASE_URL: ON_POSTGRES ? store.where : '',
      KALENDS_RATE_LIMIT: String(RATE_LIMIT),
      KALENDS_LOGIN_LIMIT: String(LOGIN_LIMIT),
      KALENDS_TRUST_PROXY: '127.0.0.1',
    })
    connections = Array.from({ length: 4 }, () => served.connect())
    for (const connection of connections) await connection.send('GET', '/events')
  })
  after(async () => {
    for (const connection of connections) connection.close()
    served.child.kill('SIGTERM')
    assert.equal(await served.closed, 0)
    await store.drop()
    rmSync(folder, { recursive: true })
  })
  const connection = (n: number) => connections[n % connections.length] as Connection

  it('show the first administrator once, and say once where they listen', () => {
    assert.equal(served.out().match(/password {2}/g)?.length, 1)
    assert.equal(served.out().match(/listening at/g)?.length, 1)
  })

  it('lose nothing that is written at the same time, and each shows what the other has written', async () => {
    const ROUNDS = 25
    const made = await Promise.all(
      connections.map(async (writer, n) => {
        const ids: number[] = []
        for (let round = 0; round < ROUNDS; round++) {
          const json = { title: 'The same', ...WHEN, tags: ['one tag'], venue: { venue: 'One hall' } }
          const created = await writer.send('POST', '/events', json)
          assert.equal(created.status, 201, JSON.stringify(created.body))
          const { id } = created.body
          ids.push(id)
          const title = `Changed ${n} ${round}`
          assert.equal((await writer.send('PATCH', `/events/${id}`, { title })).status, 200)
          // The next connection is the other worker's.
          const seen = await connection(n + 1).send('GET', `/events/${id}`)
          assert.deepEqual([seen.status, seen.body.title], [200, title])
          const listed = await connection(n + 1).send('GET', `${LIST}&include=${id}`)
          assert.equal(listed.body.events[0]?.title, title)
        }
        return ids
      }),
    )
    assert.equal(new Set(made.flat()).size, ROUNDS * connections.length)
    for (const each of connections) {
      assert.equal((await each.send('GET', LIST)).body.total, ROUNDS * connections.length)
      assert.equal((await each.send('GET', '/tags')).body.tags[0].count, ROUNDS * connections.length)
      assert.equal((await each.send('GET', '/venues')).body.total, 1)
    }
    const answered = (worker: number) =>
      served.log().filter((line) => line.worker === worker && line.msg === 'answered').length
    assert.ok(answered(1) > ROUNDS && answered(2) > ROUNDS, `${answered(1)} and ${answered(2)} answers`)
  })

  it('count together against a limit, to a quarter of a second', async () => {
    const strangers = [served.connect('nobody'), served.connect('nobody')] as const
    const GUESSES = 30
    const minute = () => Math.floor(Date.now() / 60_000)
    /** How many of so many requests, to both workers in turn and so many milliseconds apart, were not refused. */
    const admitted = async (count: number, pause: number, headers: Record<string, string>) => {
      let passed = 0
      for (let n = 0; n < count; n++) {
        const stranger = strangers[n % 2 === 0 ? 0 : 1]
        const { status } = await stranger.send('GET', '/', undefined, headers)
        if (status !== 429) passed++
        await setTimeout(pause)
      }
      return passed
    }
    const count = async (address: number): Promise<{ guesses: number; requests: number }> => {
      const before = minute()
      const from = { 'x-forwarded-for': `192.0.2.${address}` }
      const guesses = await admitted(GUESSES, 100, { authorization: `Basic ${btoa('admin:wrong password')}`, ...from })
      const requests = await admitted(120, 20, from)
      // What is counted is of one minute: if one ends meanwhile, it is counted again, of another address.
      return minute() === before ? { guesses, requests } : count(address + 1)
    }
    const { guesses, requests } = await count(1)
    for (const stranger of strangers) stranger.close()
    // Counted for itself, each worker would admit as many: twice 10 guesses, and twice 45 requests.
    assert.ok(guesses >= LOGIN_LIMIT && guesses <= LOGIN_LIMIT + 7, `${guesses} wrong passwords were looked at`)
    const rest = RATE_LIMIT - GUESSES
    assert.ok(requests >= rest && requests <= rest + 35, `${requests} requests were admitted`)
  })

  it('leave no client waiting for one that is killed before it has taken the connection', async () => {
    const ready = () => served.log().filter(({ msg, worker }) => msg === 'worker ready' && worker === 2)
    const worker = ready()[0]?.process ?? 0
    process.kill(worker, 'SIGSTOP')
    const fresh = [served.connect(), served.connect()]
    const answers = fresh.map((each) => each.send('GET', '/events').then(({ status }) => status, String))
    assert.equal(await Promise.race(answers), 200)
    process.kill(worker, 'SIGKILL')
    assert.match(String((await Promise.all(answers)).find((answer) => answer !== 200)), /ECONNRESET|socket hang up/)
    for (const each of fresh) each.close()
    await eventually(() => ready().length === 2)
  })

  it('replace one that is killed, answer meanwhile, and go on publishing on time', async () => {
    const ready = () => served.log().filter(({ msg, worker }) => msg === 'worker ready' && worker === 1)
    process.kill(ready()[0]?.process ?? 0, 'SIGKILL')
    let answered = 0
    let cut = 0
    await eventually(async () => {
      const fresh = served.connect()
      await fresh.send('GET', '/events').then(
        ({ status }) => {
          assert.equal(status, 200)
          answered++
        },
        () => cut++,
      )
      fresh.close()
      return ready().length === 2
    })
    // The one that the killed worker had just been given, if any.
    assert.ok(answered > 0 && cut <= 1, `${answered} were answered, ${cut} were cut off`)
    const fresh = served.connect()
    const soon = new Date(Date.now() + 2000).toISOString()
    const { body } = await fresh.send('POST', '/events', { title: 'Soon', ...WHEN, date_utc: soon, tags: 'soon' })
    assert.equal(body.status, 'future')
    await eventually(async () => (await fresh.send('GET', `/events/${body.id}`)).body.status === 'publish')
    assert.equal((await fresh.send('GET', '/tags?slug=soon')).body.tags[0].count, 1)
    fresh.close()
  })
})
