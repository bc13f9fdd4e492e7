import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDatabase } from '../../src/storage/database.ts'

/** The PostgreSQL server that tests use in place of the embedded database, if any. */
export const SERVER = process.env.KALENDS_TEST_DATABASE_URL ?? ''
export const ON_POSTGRES = SERVER !== ''

export interface Store {
  /** What openDatabase takes. */
  readonly where: string
  drop(): Promise<void>
}

/** A database without records: in a folder or in memory, or on the server that the tests run on, where it has its tables. */
export async function freshStore(folder: string): Promise<Store> {
  return ON_POSTGRES ? copyOf(await migratedTemplate()) : { where: folder, drop: async () => {} }
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
