import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { openDatabase } from '../../src/storage/database.ts'
import { DATABASE_FILE } from '../../src/storage/sqlite/private-files.ts'

/** The PostgreSQL server that tests use in place of the embedded database, if any. */
export const SERVER = process.env.KALENDS_TEST_DATABASE_URL ?? ''
export const ON_POSTGRES = SERVER !== ''

export interface Store {
  /** What openDatabase takes. */
  readonly where: string
  /** What a database in memory begins with. */
  readonly contents?: Uint8Array
  drop(): Promise<void>
}

/** A database with tables and without records: in a folder or in memory, or on the server that the tests run on. */
export async function freshStore(folder: string): Promise<Store> {
  if (ON_POSTGRES) return copyOf(await migratedTemplate())
  const store = { where: folder, drop: async () => {} }
  if (folder === '') return store
  const contents = await migratedContents()
  if (folder === ':memory:') return inMemory(contents)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, DATABASE_FILE)
  if (!existsSync(file)) writeFileSync(file, contents)
  return store
}

/** A database in memory, with the bytes of another one. */
export function inMemory(contents: Uint8Array): Store {
  return { where: ':memory:', contents, drop: async () => {} }
}

/** A copy of a database that nobody uses: on the server, or in an empty folder. */
export async function copyInto(folder: string, { where }: Store): Promise<Store> {
  if (ON_POSTGRES) return copyStore(where)
  cpSync(join(where, DATABASE_FILE), join(folder, DATABASE_FILE))
  return { where: folder, drop: async () => {} }
}

/** A database without tables, in the same places. */
export async function emptyStore(folder: string): Promise<Store> {
  return ON_POSTGRES ? copyOf("template0 encoding 'UTF8'") : { where: folder, drop: async () => {} }
}

/** A copy of a database on the server that the tests run on. Nobody may be connected to that. */
export function copyStore(where: string): Promise<Store> {
  return copyOf(new URL(where).pathname.slice(1))
}

async function copyOf(template: string): Promise<Store> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer((client) => client.query(`create database ${name} template ${template}`))
  return {
    where: addressOf(name),
    drop: () => dropDatabase(name),
  }
}

export function addressOf(database: string): string {
  const url = new URL(SERVER)
  url.pathname = `/${database}`
  return url.href
}

let template: Promise<string> | undefined

/** Migrating takes long, copying a migrated database does not. The runner makes one; a file that is run alone makes its own. */
function migratedTemplate(): Promise<string> {
  template ??= process.env.KALENDS_TEST_TEMPLATE ? Promise.resolve(process.env.KALENDS_TEST_TEMPLATE) : makeTemplate()
  return template
}

let contents: Promise<Uint8Array> | undefined

/** The same for SQLite: the runner makes a file. */
function migratedContents(): Promise<Uint8Array> {
  const file = process.env.KALENDS_TEST_TEMPLATE
  contents ??= file ? Promise.resolve(readFileSync(file)) : makeContents()
  return contents
}

/** The bytes of an SQLite database with tables and without records. */
export async function makeContents(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-template-'))
  try {
    const db = openDatabase(folder)
    await db.migrate()
    await db.close()
    return contentsOf(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The bytes of the SQLite database in a folder, which nobody uses, for a database in memory. */
export function contentsOf(folder: string): Uint8Array {
  const file = new DatabaseSync(join(folder, DATABASE_FILE))
  // A database in memory has no write-ahead log.
  file.exec('pragma journal_mode = delete')
  const bytes = file.serialize()
  file.close()
  return bytes
}

/** Makes a database with tables and without records; answers its name. */
export async function makeTemplate(): Promise<string> {
  const name = `template_${randomBytes(8).toString('hex')}`
  await onServer((client) => client.query(`create database ${name} template template0 encoding 'UTF8'`))
  const db = openDatabase(addressOf(name))
  await db.migrate()
  await db.close()
  return name
}

export async function dropDatabase(name: string): Promise<void> {
  await onServer((client) => client.query(`drop database if exists ${name} with (force)`))
}

/** Works on the server that the tests run on. */
export async function onServer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: SERVER })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
