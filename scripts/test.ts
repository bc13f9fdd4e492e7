import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../test/support/postgres.ts'

/**
 * Runs the whole suite on the embedded database, and what speaks to a database again on PostgreSQL. With `--all` also the
 * campaign of faults, on both; with `--campaign` only that. What else is given goes to Node's test runner.
 */

const SUITE = 'test/!(campaign)/**/*.test.ts'
const ON_DATABASES = 'test/{conformance,cache,http,storage,cluster,cost}/**/*.test.ts'
const CAMPAIGN = 'test/campaign/**/*.test.ts'

const OWN = ['--all', '--campaign']
const flags = process.argv.slice(2).filter((flag) => !OWN.includes(flag))
const isCampaignOnly = process.argv.includes('--campaign')
const hasCampaign = isCampaignOnly || process.argv.includes('--all')

async function run(
  title: string,
  files: string,
  env: Record<string, string>,
  own: readonly string[],
): Promise<boolean> {
  process.stdout.write(`\n── ${title} ──\n`)
  const limit = `--import=${new URL('test-limit.ts', import.meta.url)}`
  const arguments_ = [limit, '--test', ...own, ...flags, files]
  const child = spawn(process.execPath, arguments_, { stdio: 'inherit', env: { ...process.env, ...env } })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** Runs what there is to run on one database: the suite, and the campaign, one file after the other. */
async function runOn(name: string, suite: string, url: string): Promise<boolean> {
  const env = { KALENDS_TEST_DATABASE_URL: url }
  const isWell = isCampaignOnly || (await run(`on ${name}`, suite, env, ['--test-timeout=180000']))
  if (!hasCampaign) return isWell
  // Its longest file restarts a service fifty times, in four ways.
  const longer = { ...env, KALENDS_TEST_LIMIT: '3000' }
  return (await run(`campaign on ${name}`, CAMPAIGN, longer, ['--test-concurrency=1'])) && isWell
}

const given = process.env.KALENDS_TEST_DATABASE_URL
const sqlite = await runOn('SQLite', SUITE, '')
const server = given ? { url: given, stop: async () => {} } : await startPostgres()
const postgres = await runOn('PostgreSQL', ON_DATABASES, server.url).finally(() => server.stop())
process.exit(sqlite && postgres ? 0 : 1)
