import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startPostgres } from '../test/support/postgres.ts'
import { ZONE } from './rows.ts'
import { seed } from './seed.ts'

/** What one, two and four nodes on one PostgreSQL answer together, all on this machine. */
const SECONDS = 4
const EVENTS = 20_000
const children: ChildProcess[] = []
const say = (line: string) => process.stdout.write(`${line}\n`)

function start(database: string): Promise<string> {
  const bin = join(import.meta.dirname, '../bin/kalends.js')
  const env = { ...process.env, KALENDS_DATABASE_URL: database, KALENDS_LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--host', '127.0.0.1', '--timezone', ZONE], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  children.push(child)
  return new Promise((resolve) => {
    child.stdout?.on('data', (data) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(data))?.[0]
      if (url !== undefined) resolve(url)
    })
  })
}

const server = await startPostgres([])
try {
  await seed(server.url, EVENTS)
  const urls: string[] = []
  say('| nodes | single events a second | default lists a second |')
  say('|---:|---:|---:|')
  for (const count of [1, 2, 4]) {
    while (urls.length < count) urls.push(await start(server.url))
    const rate = async (path: string) => {
      const runs = urls.map((url) =>
        autocannon({ url: `${url}/calendar/events/v1${path}`, connections: Math.ceil(32 / count), duration: SECONDS }),
      )
      return Math.round((await Promise.all(runs)).reduce((sum, run) => sum + run.requests.average, 0))
    }
    say(`| ${count} | ${await rate('/events/4321')} | ${await rate('/events')} |`)
  }
} finally {
  for (const child of children) child.kill()
  await server.stop()
}
