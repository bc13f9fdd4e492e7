import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Calendar, Chance, Client, chanceOf, newCalendar, progress, times } from '../support/campaign.ts'
import { checkImage, Journal } from '../support/journal.ts'
import { eventually, type Served, serveProcesses } from '../support/workers.ts'

/** How often the service is killed in a run, and how many write meanwhile. */
const KILLS = times(16, 4)
const WRITERS = 4
/** A run ends after so many milliseconds, however often it was killed; but not before so many kills. */
const LONGEST = 85_000
const LEAST = times(8, 4)

describe('a service that is killed while it writes', () => {
  const start = ({ args, env }: Calendar, workers: number) =>
    serveProcesses([...args, '--workers', String(workers)], env, { isNew: false })

  const processesOf = (served: Served) =>
    served.log().flatMap(({ msg, process: pid }) => (msg === 'worker ready' && pid !== undefined ? pid : []))

  function killProcess(pid: number | undefined): void {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }

  /** Kills the service: all of its processes at once, only the first, or one worker and then all. */
  async function kill(served: Served, chance: Chance): Promise<string> {
    const workers = processesOf(served)
    const way = workers.length === 0 ? 'the process' : chance.pick(['all processes', 'the first process', 'one worker'])
    if (way === 'one worker') {
      killProcess(chance.pick(workers))
      await setTimeout(chance.between(0, 500))
    }
    served.child.kill('SIGKILL')
    if (way !== 'the first process') for (const pid of processesOf(served)) killProcess(pid)
    await served.closed
    return way
  }

  const countOf = (journals: readonly Journal[]) => journals.reduce((sum, { acknowledged }) => sum + acknowledged, 0)

  async function run(name: string, workers: number): Promise<void> {
    const chance = chanceOf(name)
    const calendar = await newCalendar()
    const journals = Array.from(
      { length: WRITERS },
      (_, n) => new Journal(`w${n}`, new Chance(chance.next() * 2 ** 32)),
    )
    const deadline = performance.now() + LONGEST
    let served = await start(calendar, workers)
    try {
      let kills = 0
      for (; kills < KILLS && (kills < LEAST || performance.now() < deadline); kills++) {
        const clients = journals.map(() => new Client(served.url, calendar.token))
        let isOver = false
        const writing = journals.map((journal, n) => journal.write(clients[n] as Client, () => isOver))
        // After some writes, at any moment of the next.
        const enough = countOf(journals) + chance.between(4, 60)
        const reached = eventually(() => countOf(journals) >= enough)
        // A fault that a writer finds ends the round at once.
        await Promise.race([reached, Promise.all(writing)])
        await setTimeout(chance.between(0, 50))
        const way = await kill(served, chance)
        isOver = true
        await Promise.all(writing)
        for (const client of clients) client.close()
        served = await start(calendar, workers)
        const client = new Client(served.url, calendar.token)
        for (const journal of journals) await journal.check(client)
        client.close()
        progress(`kill ${kills + 1} of ${way}: ${countOf(journals)} writes were acknowledged so far, all are there`)
      }
      await checkWhole(new Client(served.url, calendar.token), journals)
      assert.ok(kills >= LEAST)
    } finally {
      served.child.kill('SIGTERM')
      await served.closed
      await calendar.drop()
    }
  }

  /** Nothing is there that nobody has written, and every image has its file. */
  async function checkWhole(client: Client, journals: readonly Journal[]): Promise<void> {
    const list = async (path: string) => JSON.parse(String((await client.send('GET', path)).bytes))
    const { total } = await list('/events?per_page=1&start_date=2031-01-01')
    const live = journals.reduce((sum, journal) => sum + journal.live, 0)
    assert.equal(total, live)
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { images, total_pages } = await list(`/images?per_page=50&page=${page}`)
      pages = total_pages
      for (const { url } of images) await checkImage(client, new URL(url).pathname)
    }
    client.close()
  }

  it('has every acknowledged write, and nothing half-written', { timeout: 180_000 }, () => run('kills', 1))

  it('has them with two workers, too', { timeout: 180_000 }, () => run('kills with two workers', 2))
})
