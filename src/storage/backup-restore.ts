import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { CopyError, copyDatabase } from './copy.ts'
import { openDatabase } from './database.ts'
import { DumpError, restoreDump, toolVersion } from './postgres/dump.ts'
import * as secrets from './secrets.ts'
import { DATABASE_FILE, FOLDER_MODE } from './sqlite/private-files.ts'

/** The database cannot be restored. The message is one sentence. */
export class RestoreError extends Error {}

/** Folders of files beside an embedded database. */
const FILE_FOLDERS = ['images', 'held']
const LOGS = ['-wal', '-shm', '-journal']

/** Whether a data folder has a calendar, or a part of one. */
export function isUsed(folder: string): boolean {
  return [DATABASE_FILE, `${DATABASE_FILE}-wal`, ...FILE_FOLDERS].some((name) => existsSync(join(folder, name)))
}

/** Throws if the database in a folder is in use. A damaged one can be replaced all the same. */
export function refuseIfInUse(folder: string): void {
  const file = join(folder, DATABASE_FILE)
  if (!existsSync(file)) return
  try {
    // The last connection that closes a database removes its log.
    const database = new DatabaseSync(file, { timeout: 1000 })
    try {
      database.exec('pragma wal_checkpoint(truncate)')
    } finally {
      database.close()
    }
  } catch {
    return
  }
  if (existsSync(`${file}-wal`)) throw new RestoreError(`the database in ${folder} is in use: stop the service first`)
}

/** Puts a restored database and its files in the place of those in a folder. All are on one file system. */
export async function replaceData(restored: string, folder: string): Promise<void> {
  const old = `${restored}-old`
  await mkdir(old, { mode: FOLDER_MODE })
  const move = async (name: string, from: string, to: string) => {
    if (existsSync(join(from, name))) await rename(join(from, name), join(to, name))
  }
  for (const name of FILE_FOLDERS) {
    await move(name, folder, old)
    await move(name, restored, folder)
  }
  for (const suffix of LOGS) await rm(join(folder, `${DATABASE_FILE}${suffix}`), { force: true })
  await move(DATABASE_FILE, restored, folder)
  await rm(old, { recursive: true })
}

/** Throws unless a database of a backup can be opened by this version, is whole, and has had these migrations. */
export async function checkRestored(folder: string, migrations: readonly string[]): Promise<void> {
  const db = openDatabase(folder)
  try {
    const isOther = String(await db.finished()) !== String(migrations)
    const damage = isOther ? 'it has not the tables that the backup names' : await db.inspect(true)
    if (damage !== null) throw new RestoreError(`the database of the backup is damaged: ${damage}`)
  } finally {
    await db.close()
  }
}

/** Begins another series of changes in a restored database: tokens that were issued after the backup are not valid. */
export async function endSeries(location: string): Promise<void> {
  const db = openDatabase(location)
  try {
    if (!(await db.finished()).includes('0022-changes')) return
    await db.writeWithoutInvalidating((tx) => secrets.remove(tx, 'changes'))
  } finally {
    await db.close()
  }
}

/** Throws unless a database on a server is empty, or may be emptied. */
export async function refuseUsedServer(url: string, force: boolean): Promise<void> {
  const db = openDatabase(url, { isCopied: true })
  try {
    const { rows } = await db.read((tx) =>
      sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(tx),
    )
    if (rows.length > 0 && !force)
      throw new RestoreError(`the database is not empty: it has the table ${rows[0]?.name}; --force replaces it`)
  } finally {
    await db.close()
  }
}

/** Removes all tables, sequences and functions of the schema, but not those of extensions. */
async function empty(url: string): Promise<void> {
  const db = openDatabase(url, { isCopied: true })
  const drop = (kind: string, names: string) =>
    `for one in ${names} loop execute 'drop ${kind} if exists ' || one || ' cascade'; end loop;`
  const isOwn = (catalog: string) =>
    `not exists (select 1 from pg_depend where classid = '${catalog}'::regclass and objid = found.oid and deptype = 'e')`
  const tables = `select oid::regclass from pg_class as found where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and ${isOwn('pg_class')}`
  const sequences = `select oid::regclass from pg_class as found where relnamespace = current_schema()::regnamespace and relkind = 'S' and ${isOwn('pg_class')}`
  const functions = `select oid::regprocedure from pg_proc as found where pronamespace = current_schema()::regnamespace and ${isOwn('pg_proc')}`
  try {
    await db.writeWithoutInvalidating(async (tx) => {
      const steps = [drop('table', tables), drop('sequence', sequences), drop('function', functions)].join('\n')
      await sql.raw(`do $$ declare one text; begin ${steps} end $$`).execute(tx)
    })
  } finally {
    await db.close()
  }
}

/** Restores a dump of PostgreSQL. */
export async function restoreByDump(url: string, file: string): Promise<void> {
  if ((await toolVersion('pg_restore')) === null)
    throw new RestoreError(
      'the backup has a dump of PostgreSQL, and pg_restore is not here: install the client programs of PostgreSQL',
    )
  await empty(url)
  try {
    await restoreDump(url, file)
  } catch (error) {
    throw error instanceof DumpError ? new RestoreError(error.message) : error
  }
}

/** Restores an embedded database of a folder to a server. */
export async function restoreByRows(
  url: string,
  folder: string,
  onProgress: (table: string, done: number, of: number) => void,
): Promise<void> {
  await empty(url)
  const [from, to] = [openDatabase(folder), openDatabase(url, { isCopied: true })]
  try {
    await from.migrate()
    await copyDatabase(from, to, 'a backup', onProgress, { isWhole: true })
  } catch (error) {
    throw error instanceof CopyError ? new RestoreError(error.message) : error
  } finally {
    await from.close()
    await to.close()
  }
}
