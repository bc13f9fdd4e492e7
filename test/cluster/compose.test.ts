import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import sharp from 'sharp'
import { readConfig } from '../../src/config.ts'
import { type Balancer, NO_NGINX, startBalancer } from '../support/balancer.ts'
import { type Composition, type NodeProcess, startComposition } from '../support/composition.ts'
import { readCompose } from '../support/deploy.ts'
import { ended, until } from '../support/replica.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { type Received, Visitor } from '../support/visitor.ts'

const LINUX = process.platform !== 'linux' && 'needs the addresses 127.0.0.2 and on, which Linux has'
const skip = ON_POSTGRES ? LINUX : 'needs PostgreSQL'
const REST = '/calendar/events/v1'
const WHEN = { start_date: '2031-06-10', end_date: '2031-06-11' }
const LIST = `${REST}/events?start_date=2031-01-01`
/** How often something is written, and then read. */
const ROUNDS = 100
const { services } = readCompose()

describe('the processes of compose.yaml', { skip, timeout: 170_000 }, () => {
  let composition: Composition
  let nodes: [NodeProcess, NodeProcess]
  let authorization: string
  const visitors: Visitor[] = []
  const visitor = (port: number, address: string, headers?: Record<string, string>) => {
    const made = new Visitor(port, address, headers)
    visitors.push(made)
    return made
  }

  before(async () => {
    composition = await startComposition()
    nodes = [...composition.nodes] as [NodeProcess, NodeProcess]
    const password = /^ +password +(\S+)$/m.exec(nodes[0].out())?.[1]
    authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  })
  after(async () => {
    for (const made of visitors) made.close()
    await composition?.stop()
  })

  it('make an administrator once, whose password the first node shows', async () => {
    assert.ok(!nodes[1].out().includes('password'))
    for (const { port } of nodes) {
      const { status, body } = await visitor(port, '127.0.0.1', { authorization }).ask(`${REST}/images`)
      assert.equal(status, 200, body)
    }
  })

  it('have a replica that is healthy by its own check', async () => {
    const [, user, database, sql, expected] =
      /psql -U (\w+) -d (\w+) -tAc '([^']+)' \| grep -qx (\w+)$/.exec(services.replica?.healthcheck?.test[1] ?? '') ??
      []
    const url = new URL(composition.replicaUrl)
    assert.deepEqual([user, `/${database}`], [url.username, url.pathname])
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      const { rows } = await client.query({ text: sql ?? '', rowMode: 'array' })
      assert.deepEqual(rows, [[expected]])
    } finally {
      await client.end()
    }
  })

  it('share the files of images', async () => {
    const [one, other] = nodes.map(({ port }) => visitor(port, '127.0.0.1', { authorization })) as [Visitor, Visitor]
    const uploaded = await one.ask(`${REST}/images`, { raw: await picture(), headers: { 'content-type': 'image/png' } })
    assert.equal(uploaded.status, 201, uploaded.body)
    const { pathname } = new URL(JSON.parse(uploaded.body).url)
    const found = await other.ask(pathname)
    assert.deepEqual([found.status, found.headers['content-type']], [200, 'image/png'])
  })

  describe('behind the load balancer', { skip: NO_NGINX }, () => {
    let balancer: Balancer
    let admin: Visitor
    /** A visitor of the load balancer: each test has some of its own, as their requests are counted. */
    const from = (address: string, headers?: Record<string, string>) => visitor(balancer.port, address, headers)
    const createTag = (by: Visitor, name: string) => by.ask(`${REST}/tags`, { json: { name } })

    before(async () => {
      balancer = await startBalancer(Object.fromEntries(nodes.map(({ name, port }) => [name, port])))
      admin = from('127.0.0.1', { authorization })
    })
    after(() => balancer?.stop())

    it('are healthy by its own check', async () => {
      const [, ...words] = services.balancer?.healthcheck?.test ?? []
      assert.equal(words[0], 'wget')
      const { hostname, port, pathname } = new URL(words.at(-1) ?? '')
      assert.deepEqual([hostname, port], ['127.0.0.1', ''])
      assert.equal((await from('127.0.0.1').ask(pathname)).status, 200)
    })

    it('answer in turn, and never show older data than was written', async () => {
      const answered = countsOf(nodes)
      const reader = from('127.0.1.1')
      let id = 0
      for (let n = 0; n < ROUNDS; n++) {
        const title = `Title ${n}`
        const path = n % 3 === 0 ? `${REST}/events` : `${REST}/events/${id}`
        const written = await admin.ask(path, {
          json: { title, ...WHEN },
          method: n % 3 === 0 ? 'POST' : 'PATCH',
        })
        assert.ok(written.status === 201 || written.status === 200, written.body)
        id = JSON.parse(written.body).id
        const [single, again, list] = await Promise.all([
          reader.ask(`${REST}/events/${id}`),
          reader.ask(`${REST}/events/${id}`),
          reader.ask(`${LIST}&include=${id}`),
        ])
        for (const { body } of [single, again]) assert.equal(JSON.parse(body).title, title)
        assert.equal(JSON.parse(list.body).events[0]?.title, title)
      }
      for (const [index, count] of countsOf(nodes).entries()) {
        const share = (count - (answered[index] ?? 0)) / (ROUNDS * 4)
        assert.ok(share > 0.3, `${nodes[index]?.name} answered ${share} of all`)
      }
    })

    it('know the client’s address, and do not believe what it claims', async () => {
      const limit = readConfig({}, {}).rateLimit
      const isRefused = (answers: Received[]) => answers.length > 0 && wrongOf(answers, 429).length === 0
      const minute = () => Math.floor(Date.now() / 60_000)
      // What is counted is of one minute: if one ends meanwhile, it is counted again in the next.
      const attempt = async (): Promise<Received[]> => {
        const start = minute()
        let last: Received[] = []
        // Until both nodes refuse, who tell each other a few times a second what they counted.
        for (let sent = 0; sent < 4 * limit && !isRefused(last); sent += 20) {
          last = await Promise.all(
            Array.from({ length: 20 }, (_, n) =>
              greedy.ask('/nowhere', { headers: { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': '203.0.113.99' } }),
            ),
          )
        }
        const others = await Promise.all([greedy.ask('/nowhere'), modest.ask('/nowhere')])
        return minute() === start ? others : attempt()
      }
      const greedy = from('127.0.2.1')
      const modest = from('127.0.2.2')
      const [refused, served] = await attempt()
      assert.equal(refused?.status, 429)
      assert.ok(Number(refused?.headers['retry-after']) > 0)
      assert.equal(served?.status, 404)
      const addresses = () => {
        const asked = nodes.flatMap((node) => node.answered()).filter(({ req }) => req.url === '/nowhere')
        return [...new Set(asked.map(({ req }) => req.ip))].sort()
      }
      await until(() => addresses().includes('127.0.2.2'))
      assert.deepEqual(addresses(), ['127.0.2.1', '127.0.2.2'])
    })

    it('take images up to their limit, and say themselves what is too large', async () => {
      const { uploadLimit, bodyLimit } = readConfig({}, {})
      const small = await picture()
      const upload = (size: number) =>
        admin.ask(`${REST}/images`, {
          // What comes behind the end of a picture is not looked at.
          raw: Buffer.concat([small, Buffer.alloc(size - small.length)]),
          headers: { 'content-type': 'image/png' },
        })
      for (let n = 0; n < 4; n++) {
        assert.equal((await upload(uploadLimit)).status, 201)
        for (const size of [uploadLimit + 1, 4 * uploadLimit]) assertTooLarge(await upload(size))
        assertTooLarge(await admin.ask(`${REST}/tags`, { json: { name: 'x'.repeat(bodyLimit) } }))
      }
    })

    it('answer addresses of any length without being held for broken', async () => {
      const reader = from('127.0.3.1')
      const ids = Array.from({ length: 500 }, (_, n) => (n < 100 ? n + 1 : 1_000_000 + n))
      for (let n = 0; n < 6; n++) {
        const list = await reader.ask(`${LIST}&per_page=1&page=2&include=${ids}`)
        assert.equal(list.status, 200, list.body)
        assert.ok(JSON.parse(list.body).next_rest_url.length > 3000)
        // Written three times as long in an address that is answered.
        const padded = await reader.ask(`${LIST}&per_page=1&page=2&x=${'~'.repeat(15_000)}`)
        assert.equal(padded.status, 200, padded.body)
        const headers = { 'x-one': 'x'.repeat(15_000), 'x-other': 'x'.repeat(15_000) }
        assert.equal((await reader.ask(LIST, { headers })).status, 431)
      }
      assert.equal((await reader.ask(LIST)).status, 200)
    })

    it('finish what runs when one is stopped, and lose no request', async () => {
      const [, node] = nodes
      const stopped = node.child()
      await composition.primary.query('begin')
      await composition.primary.query('lock table terms in access exclusive mode')
      const held = Array.from({ length: 8 }, (_, n) => createTag(admin, `Held ${n}`))
      // Until every one waits for the table, or for another that does.
      await until(async () => {
        const { rows } = await composition.primary.query(
          'select count(*)::int as waiting from pg_locks where not granted',
        )
        return rows[0].waiting >= held.length
      })
      const asking = keepAsking('127.0.4', '/docs', 30)
      stopped.kill('SIGTERM')
      await setTimeout(500)
      assert.equal(stopped.exitCode, null)
      await composition.primary.query('commit')
      for (const { status, body } of await Promise.all(held)) assert.equal(status, 201, body)
      await ended(stopped)
      // Not 1, as when its grace has ended.
      assert.deepEqual([stopped.exitCode, stopped.signalCode], [0, null])
      await node.start()
      await isBack(node)
      assert.deepEqual(wrongOf(await asking.stop(), 200), [], balancer.out())
    })

    it('go on when one is killed, lose nothing, and have it back when it is started again', async () => {
      const [node] = nodes
      const writes: { name: string; answer: Received }[] = []
      const written = (status: number) => writes.filter(({ answer }) => answer.status === status)
      let writing = true
      const writers = Array.from({ length: 3 }, async (_, writer) => {
        const by = from(`127.0.6.${writer + 1}`, { authorization })
        for (let n = 0; writing && n < 200; n++) {
          const name = `Tag ${writer} ${n}`
          writes.push({ name, answer: await createTag(by, name) })
          await setTimeout(40)
        }
      })
      const asking = keepAsking('127.0.5', LIST, 40)
      await until(() => written(201).length >= 30)
      node.child().kill('SIGKILL')
      await ended(node.child())
      // Longer than the load balancer leaves it alone, so that it tries it again meanwhile.
      await setTimeout(4000)
      await node.start()
      await isBack(node)
      writing = false
      await Promise.all(writers)
      const reads = await asking.stop()
      assert.deepEqual(wrongOf(reads, 200), [], balancer.out())
      assert.ok(reads.length > 100)
      // Those which it had taken and not yet answered: nobody knows what became of them, so nobody repeats them.
      const unknown = writes.filter(({ answer }) => answer.status !== 201)
      assert.ok(unknown.length <= writers.length, balancer.out())
      assert.deepEqual(
        wrongOf(
          unknown.map(({ answer }) => answer),
          502,
        ),
        [],
      )
      const reader = from('127.0.7.1')
      const found = new Set<string>()
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { body } = await reader.ask(`${REST}/tags?hide_empty=0&search=Tag&per_page=50&page=${page}`)
        pages = JSON.parse(body).total_pages
        for (const { name } of JSON.parse(body).tags) found.add(name)
      }
      const lost = written(201).filter(({ name }) => !found.has(name))
      assert.deepEqual(lost, [])
    })

    /** Waits until the load balancer sends requests to a node that was started again. */
    async function isBack(node: NodeProcess): Promise<void> {
      const before = node.answered().length
      await until(() => node.answered().length >= before + 10)
    }

    /** Three visitors who ask again and again, with a pause of some milliseconds, until they are stopped. */
    function keepAsking(network: string, path: string, pause: number): { stop(): Promise<Received[]> } {
      const received: Received[] = []
      let asking = true
      const all = Array.from({ length: 3 }, async (_, n) => {
        const reader = from(`${network}.${n + 1}`)
        // Below what one address may send in a minute.
        for (let sent = 0; asking && sent < 500; sent++) {
          received.push(await reader.ask(path))
          await setTimeout(pause)
        }
      })
      return {
        async stop() {
          asking = false
          await Promise.all(all)
          return received
        },
      }
    }
  })
})

function countsOf(nodes: readonly NodeProcess[]): number[] {
  return nodes.map((node) => node.answered().length)
}

/** The first few answers of another status. */
function wrongOf(answers: readonly Received[], right: number): string[] {
  return answers
    .filter(({ status }) => status !== right)
    .slice(0, 5)
    .map(({ status, body }) => `${status} ${body}`)
}

function assertTooLarge({ status, body }: Received): void {
  assert.equal(status, 413, body)
  assert.equal(JSON.parse(body).code, 'rest_payload_too_large')
}

function picture(): Promise<Buffer> {
  return sharp({ create: { width: 40, height: 30, channels: 3, background: '#c33' } })
    .png()
    .toBuffer()
}
