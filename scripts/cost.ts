import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../test/support/postgres.ts'

/** Watches how long each request keeps others waiting, with 100,000 events or as many as are named, on both databases. */

const [events = '100000'] = process.argv.slice(2)
/** How long one group of requests may take, in milliseconds. */
const LONGEST = 3_600_000

async function run(title: string, url: string): Promise<boolean> {
  process.stdout.write(`\n── ${events} events on ${title} ──\n`)
  const env = { KALENDS_TEST_DATABASE_URL: url, KALENDS_COST_EVENTS: events, KALENDS_COST_THOROUGH: 'yes' }
  const args = ['--test', `--test-timeout=${LONGEST}`, 'test/cost/cost.test.ts']
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  const [code] = await once(child, 'exit')
  return code === 0
}

const sqlite = await run('SQLite', '')
const server = await startPostgres()
const postgres = await run('PostgreSQL', server.url).finally(() => server.stop())
process.exit(sqlite && postgres ? 0 : 1)
