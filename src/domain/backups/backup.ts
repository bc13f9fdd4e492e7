import { existsSync, rmSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { TarWriter } from '../../lib/tar.ts'
import { CopyDamaged, copyToFile, type DatabaseCopy, hasDatabase } from '../../storage/backup-copy.ts'
import { type Database, openDatabase } from '../../storage/database.ts'
import { FILE_MODE, FOLDER_MODE } from '../../storage/sqlite/private-files.ts'
import { keyOf } from '../image-files.ts'
import type { Scope } from '../scope.ts'
import { listFiles } from './files.ts'
import {
  type BackupContents,
  BackupError,
  type BackupHeader,
  CONTENTS_FILE,
  check,
  FORMAT,
  HEADER_FILE,
  isBackup,
  type OnBackupProgress,
} from './format.ts'

export interface BackupSource {
  /** Of the database: see openDatabase. */
  readonly location: string
  readonly files: Scope['files']
  /** Of Kalends. */
  readonly version: string
}

export interface BackupOptions {
  readonly onProgress?: OnBackupProgress
  readonly signal?: AbortSignal
}

export interface BackupReport {
  readonly path: string
  readonly bytes: number
  readonly files: number
  /** Files that were missing at the source. */
  readonly missing: readonly string[]
}

/** How often the database is copied anew because files were removed meanwhile. */
const ATTEMPTS = 5

/** Backs a calendar up to a file, or to a new file in a folder. It has its name only when it is complete and checked. */
export async function backUp(source: BackupSource, target: string, options: BackupOptions = {}): Promise<BackupReport> {
  const now = new Date()
  const path = await pathFor(target, now)
  if (!/^postgres/.test(source.location) && !hasDatabase(source.location))
    throw new BackupError(`there is no database in ${source.location}`)
  const part = `${path}.${process.pid}.part`
  const work = `${part}s`
  const remove = () => {
    for (const left of [part, work]) rmSync(left, { recursive: true, force: true })
  }
  process.once('exit', remove)
  try {
    await removeLeftOver(path)
    await mkdir(work, { recursive: true, mode: FOLDER_MODE })
    const report = await write(source, part, work, now, options)
    await rename(part, path)
    await sync(dirname(path))
    return { path, ...report }
  } catch (error) {
    if (error instanceof CopyDamaged) throw new BackupError(`the database is damaged: ${error.message}`)
    throw error
  } finally {
    process.off('exit', remove)
    remove()
  }
}

/** The file to write: that of this name, or one named by the time in the folder. */
async function pathFor(target: string, now: Date): Promise<string> {
  const found = await stat(target).catch(() => null)
  if (found?.isDirectory() || target.endsWith(sep) || target.endsWith('/')) {
    await mkdir(target, { recursive: true })
    const name = `kalends-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z`
    for (let n = 1; ; n++) {
      const path = join(target, n === 1 ? `${name}.tar` : `${name}-${n}.tar`)
      if (!existsSync(path)) return path
    }
  }
  // An earlier backup is replaced when the new one is checked; anything else may be a mistake.
  if (found !== null && !(found.isFile() && (found.size === 0 || (await isBackup(target)))))
    throw new BackupError(`${target} is there, and is not a backup: choose another name`)
  await mkdir(dirname(target), { recursive: true })
  return target
}

/** Removes what a process left that was killed while it wrote the same backup. */
async function removeLeftOver(path: string): Promise<void> {
  const folder = dirname(path)
  for (const name of await readdir(folder)) {
    const found = /^(.+)\.(\d+)\.parts?$/.exec(name)
    if (found === null || (!/^kalends-.+\.tar$/.test(found[1] ?? '') && found[1] !== basename(path))) continue
    if (!isRunning(Number(found[2]))) await rm(join(folder, name), { recursive: true, force: true })
  }
}

function isRunning(process_: number): boolean {
  try {
    return process.kill(process_, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function write(
  source: BackupSource,
  part: string,
  work: string,
  now: Date,
  { onProgress = () => {}, signal }: BackupOptions,
): Promise<Omit<BackupReport, 'path'>> {
  const db = openDatabase(source.location, { isCopied: true })
  const file = await open(part, 'wx+', FILE_MODE)
  const progress: OnBackupProgress = (...news) => {
    signal?.throwIfAborted()
    onProgress(...news)
  }
  try {
    const migrations = await db.finished()
    const header: BackupHeader = { format: FORMAT, version: source.version, created: now.toISOString(), migrations }
    const tar = new TarWriter(file, Math.floor(now.getTime() / 1000))
    await tar.add(HEADER_FILE, jsonOf(header))
    const added = new AddedFiles(tar, source.files, progress)
    // Before the database: a file that is removed now is removed from the rows first.
    if ((await db.pending()).length === 0) await added.add(await db.readMany(listFiles))
    const copy = await copyWithFiles(source, db, work, added, progress)
    if (String(copy.migrations) !== String(migrations))
      throw new BackupError('the database was upgraded meanwhile: try again')
    const database = await open(join(work, copy.name))
    await tar.addFile(copy.name, database).finally(() => database.close())
    const used = new Set(copy.files)
    const unused = added.names.filter((name) => !used.has(name))
    const missing = copy.files.filter((name) => !added.has(name))
    const files = added.names.length - unused.length
    const contents: BackupContents = { database: copy.name, files, unused, missing }
    await tar.add(CONTENTS_FILE, jsonOf(contents))
    await tar.seal()
    await file.sync()
    await check(part, file, progress)
    return { bytes: (await file.stat()).size, files: contents.files, missing }
  } finally {
    await file.close()
    await db.close()
  }
}

/** Copies the database, and the files that it names; anew, if one of them was removed in between. */
async function copyWithFiles(
  source: BackupSource,
  db: Database,
  work: string,
  added: AddedFiles,
  onProgress: OnBackupProgress,
): Promise<DatabaseCopy> {
  for (let attempt = 1; ; attempt++) {
    const folder = join(work, String(attempt))
    await mkdir(folder, { mode: FOLDER_MODE })
    const progress = (done: number, of: number) => onProgress('database', done, of)
    const copy = await copyToFile(db, { location: source.location, folder, listFiles, onProgress: progress })
    const isComplete = await added.add(copy.files)
    if (isComplete || attempt === ATTEMPTS || !(await wereRemoved(db, copy, added))) {
      await rename(join(folder, copy.name), join(work, copy.name))
      return copy
    }
    await rm(folder, { recursive: true })
  }
}

/** Whether a missing file is no longer named by the database: the copy is too old. Otherwise it was lost before. */
async function wereRemoved(db: Database, copy: DatabaseCopy, added: AddedFiles): Promise<boolean> {
  const current = new Set(await db.readMany(listFiles))
  return copy.files.some((name) => !added.has(name) && !current.has(name))
}

/** Files that are in the archive. */
class AddedFiles {
  readonly #tar: TarWriter
  readonly #store: Scope['files']
  readonly #onProgress: OnBackupProgress
  readonly #names = new Set<string>()

  constructor(tar: TarWriter, store: Scope['files'], onProgress: OnBackupProgress) {
    this.#tar = tar
    this.#store = store
    this.#onProgress = onProgress
  }

  get names(): string[] {
    return [...this.#names]
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Adds those that are not there yet. Answers whether all could be read. */
  async add(names: readonly string[]): Promise<boolean> {
    const wanted = [...new Set(names)].filter((name) => !this.#names.has(name))
    let isComplete = true
    for (const [n, name] of wanted.entries()) {
      const content = await this.#store.get(keyOf(name))
      if (content === null) isComplete = false
      else {
        await this.#tar.add(keyOf(name), content)
        this.#names.add(name)
      }
      this.#onProgress('images', n + 1, wanted.length)
    }
    return isComplete
  }
}

function jsonOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** Makes the name of a new file survive a power failure. Some systems cannot. */
export async function sync(folder: string): Promise<void> {
  const opened = await open(folder).catch(() => null)
  await opened?.sync().catch(() => {})
  await opened?.close()
}
