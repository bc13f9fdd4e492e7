import { existsSync } from 'node:fs'
import { finished, type Result, startProcess } from './processes.ts'

const PATHS = [process.env.KALENDS_TEST_SQLITE, '/usr/bin/sqlite3', '/usr/local/bin/sqlite3'].filter(
  (path) => path !== undefined,
)
const sqlite = PATHS.find((path) => existsSync(path))

/** Why tests of SQLite's own command do not run here, or false. */
export const NO_SQLITE: string | false =
  sqlite === undefined ? `no sqlite3 at ${PATHS.join(', ')}: set KALENDS_TEST_SQLITE` : false

/** Runs SQLite's own command. */
export function runSqlite(file: string, command: string): Promise<Result> {
  if (sqlite === undefined) throw new Error(String(NO_SQLITE))
  return finished(startProcess(sqlite, [file, command]))
}
