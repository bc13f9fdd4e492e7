import { setTimeout as sleep } from 'node:timers/promises'
import { type JobKind, Jobs } from '../../src/domain/jobs.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openDatabase } from '../../src/storage/database.ts'

/** A process that runs jobs and prints their payloads: a database and the length of its leases in seconds. */
const [where = '', lease = ''] = process.argv.slice(2)

const say = (text: unknown) => process.stdout.write(`${text}\n`)
const kinds: JobKind[] = [
  { name: 'say', run: async (payload) => say(payload) },
  {
    name: 'hang',
    async run(payload, signal) {
      say(payload)
      await sleep(600_000, undefined, { signal })
    },
  },
]

const db = openDatabase(where)
const log = { warn: (details: object) => say(JSON.stringify(details)), error: say }
const jobs = new Jobs({ db, clock: systemClock, poll: 1000, log, lease: Number(lease) }, kinds)
jobs.start()
say('ready')
process.on('SIGTERM', async () => {
  await jobs.stop()
  await db.close()
  process.exit()
})
// Jobs keep no process alive.
setInterval(() => {}, 1000)
