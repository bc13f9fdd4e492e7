import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Chance, Client, chanceOf, newCalendar, progress, times } from '../support/campaign.ts'
import { breakDisk, DISK_FAULTS, type DiskFault, NO_STRACE } from '../support/faulty-disk.ts'
import { Journal } from '../support/journal.ts'
import { ON_POSTGRES } from '../support/store.ts'
import { eventually, serveProcesses } from '../support/workers.ts'

const ROUNDS = times(8, 2)
const WRITERS = 3
/** How long the disk of a round is faulty, in milliseconds. */
const FAULTY = 2500

describe('a service whose disk is at fault', { skip: NO_STRACE || (ON_POSTGRES && 'is about files') }, () => {
  const sum = (journals: readonly Journal[], count: 'acknowledged' | 'refused') =>
    journals.reduce((total, journal) => total + journal[count], 0)

  async function run(fault: DiskFault): Promise<void> {
    const chance = chanceOf(`a ${fault} disk`)
    const calendar = await newCalendar()
    const start = () => serveProcesses([...calendar.args], calendar.env, { isNew: false })
    const journals = Array.from(
      { length: WRITERS },
      (_, n) => new Journal(`w${n}`, new Chance(chance.next() * 2 ** 32), { mayRefuse: true }),
    )
    let served = await start()
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        const clients = journals.map(() => new Client(served.url, calendar.token))
        let isOver = false
        const writing = journals.map((journal, n) => journal.write(clients[n] as Client, () => isOver))
        const begun = sum(journals, 'acknowledged')
        await Promise.race([eventually(() => sum(journals, 'acknowledged') > begun), Promise.all(writing)])
        const mend = await breakDisk(served.child.pid ?? 0, fault)
        await setTimeout(FAULTY)
        const reader = new Client(served.url, calendar.token)
        for (const path of ['//healthz', '/events?start_date=2031-01-01'])
          assert.equal((await reader.send('GET', path)).status, 200, path)
        if (fault !== 'slow') await eventually(async () => (await reader.send('GET', '//readyz')).status === 503)
        // In every second round, the process does not live to see the disk mended.
        const isKilled = round % 2 === 0
        if (isKilled) served.child.kill('SIGKILL')
        await mend()
        if (isKilled) {
          await served.closed
          isOver = true
          await Promise.all(writing)
          served = await start()
        } else {
          await eventually(async () => (await reader.send('GET', '//readyz')).status === 200)
          const mended = sum(journals, 'acknowledged')
          await Promise.race([eventually(() => sum(journals, 'acknowledged') > mended), Promise.all(writing)])
          isOver = true
          await Promise.all(writing)
        }
        const client = new Client(served.url, calendar.token)
        for (const journal of journals) await journal.check(client)
        for (const one of [...clients, reader, client]) one.close()
        progress(
          `a ${fault} disk, round ${round}: ${sum(journals, 'acknowledged')} writes were acknowledged so far, all are there, and ${sum(journals, 'refused')} were refused`,
        )
      }
      if (fault !== 'slow') assert.ok(sum(journals, 'refused') > 0)
    } finally {
      served.child.kill('SIGKILL')
      await served.closed
      await calendar.drop()
    }
  }

  for (const fault of DISK_FAULTS)
    it(`has every acknowledged write, and no refused one, on a ${fault} disk`, { timeout: 180_000 }, () => run(fault))
})
