import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../test/support/postgres.ts'

/** Runs the whole suite on the embedded database, and what speaks to a database again on PostgreSQL. */

const EVERYTHING = 'test/**/*.test.ts'
const ON_DATABASES = 'test/{conformance,cache,http,storage,cluster,cost}/**/*.test.ts'

async function run(title: string, files: string, env: Record<string, string>): Promise<boolean> {
  process.stdout.write(`\n── ${title} ──\n`)
  const limit = `--import=${new URL('test-limit.ts', import.meta.url)}`
  const arguments_ = [limit, '--test', '--test-timeout=180000', ...process.argv.slice(2), files]
  const child = spawn(process.execPath, arguments_, { stdio: 'inherit', env: { ...process.env, ...env } })
  const [code] = await once(child, 'exit')
  return code === 0
}

const given = process.env.KALENDS_TEST_DATABASE_URL
const sqlite = await run('on SQLite', EVERYTHING, { KALENDS_TEST_DATABASE_URL: '' })
const server = given ? { url: given, stop: async () => {} } : await startPostgres()
const postgres = await run('on PostgreSQL', ON_DATABASES, { KALENDS_TEST_DATABASE_URL: server.url }).finally(() =>
  server.stop(),
)
process.exit(sqlite && postgres ? 0 : 1)
