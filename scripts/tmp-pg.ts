import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startPostgres } from '../test/support/postgres.ts'
const s = await startPostgres()
const c = spawn(process.execPath, ['--test','--test-timeout=120000', ...process.argv.slice(2)], { stdio:'inherit', env:{...process.env, KALENDS_TEST_DATABASE_URL:s.url}})
await once(c,'exit'); await s.stop()
