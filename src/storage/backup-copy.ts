import { existsSync } from 'node:fs'
import { copyFile as copyBytes, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDatabase } from './copy.ts'
import { type Database, openDatabase } from './database.ts'
import type { Tx } from './dialect.ts'
import { canDump, dump, exportSnapshot } from './postgres/dump.ts'
import { backUpFile } from './sqlite/backup.ts'
import { DATABASE_FILE } from './sqlite/private-files.ts'

/** A copy of a database at one moment, in a file. */
export interface DatabaseCopy {
  /** Name of the file: an SQLite database, or a dump of PostgreSQL. */
  readonly name: typeof DATABASE_FILE | typeof DUMP_FILE
  /** Names of the files that rows of the copy refer to. */
  readonly files: readonly string[]
  readonly migrations: readonly string[]
}

export const DUMP_FILE = 'database.dump'

/** The copy is damaged. */
export class CopyDamaged extends Error {}

type OnProgress = (done: number, of: number) => void

export interface CopyRequest {
  /** Of the source: see openDatabase. */
  readonly location: string
  /** Where the copy goes: an empty folder. */
  readonly folder: string
  readonly listFiles: (tx: Tx) => Promise<string[]>
  readonly onProgress: OnProgress
}

/** Copies a database to a file, while others use it, and checks the copy. */
export async function copyToFile(source: Database, request: CopyRequest): Promise<DatabaseCopy> {
  const isServer = /^postgres(ql)?:/.test(request.location)
  if (!isServer) return copyFile(request)
  return (await source.read(canDump)) ? copyByDump(source, request) : copyByRows(source, request)
}

async function copyFile({ location, folder, listFiles, onProgress }: CopyRequest): Promise<DatabaseCopy> {
  const file = join(folder, DATABASE_FILE)
  await backUpFile(join(location, DATABASE_FILE), file, onProgress)
  const copy = openDatabase(folder)
  try {
    await refuseDamage(copy)
    const migrations = await copy.finished()
    const isCurrent = (await copy.pending()).length === 0
    const files = isCurrent ? await copy.readMany(listFiles) : await listAfterUpgrade(folder, listFiles)
    return { name: DATABASE_FILE, migrations, files }
  } finally {
    await copy.close()
  }
}

/** Lists the files of a copy that an earlier version made, by a further copy that is brought up to date. */
async function listAfterUpgrade(folder: string, listFiles: CopyRequest['listFiles']): Promise<string[]> {
  const upgraded = join(folder, 'upgraded')
  await mkdir(upgraded)
  await copyBytes(join(folder, DATABASE_FILE), join(upgraded, DATABASE_FILE))
  const copy = openDatabase(upgraded)
  try {
    await copy.migrate()
    return await copy.readMany(listFiles)
  } finally {
    await copy.close()
  }
}

function copyByDump(source: Database, { location, folder, listFiles }: CopyRequest): Promise<DatabaseCopy> {
  return source.readMany(async (tx) => {
    await dump(location, await exportSnapshot(tx), join(folder, DUMP_FILE))
    return { name: DUMP_FILE, migrations: await source.finished(), files: await listFiles(tx) }
  })
}

async function copyByRows(source: Database, { folder, listFiles, onProgress }: CopyRequest): Promise<DatabaseCopy> {
  const copy = openDatabase(folder)
  try {
    const tables = new Map<string, [number, number]>()
    await copyDatabase(
      source,
      copy,
      'a backup',
      (table, done, total) => {
        tables.set(table, [done, total])
        onProgress(sum([...tables.values()].map(([one]) => one)), sum([...tables.values()].map(([, all]) => all)))
      },
      { isWhole: true },
    )
    await refuseDamage(copy)
    return { name: DATABASE_FILE, migrations: await copy.finished(), files: await copy.readMany(listFiles) }
  } finally {
    await copy.close()
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

async function refuseDamage(copy: Database): Promise<void> {
  const damage = await copy.inspect(true)
  if (damage !== null) throw new CopyDamaged(damage)
}

/** Whether a folder has an embedded database. */
export function hasDatabase(folder: string): boolean {
  return existsSync(join(folder, DATABASE_FILE))
}
