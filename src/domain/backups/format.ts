import { open } from 'node:fs/promises'
import { checkSeal, readContent, readEntries, type TarEntry, TarError } from '../../lib/tar.ts'
import { unknownMigrations } from '../../storage/migrator.ts'

/** A backup is a tar archive: `kalends-backup.json`, the files of images, the database, `contents.json` and the seal. */

export const HEADER_FILE = 'kalends-backup.json'
export const CONTENTS_FILE = 'contents.json'
export const FORMAT = 1

/** The backup cannot be made or restored. The message is one sentence. */
export class BackupError extends Error {}

/** First entry of a backup. */
export interface BackupHeader {
  readonly format: number
  /** Version of Kalends that made it. */
  readonly version: string
  /** ISO 8601. */
  readonly created: string
  readonly migrations: readonly string[]
}

/** Last entry of a backup before its seal. */
export interface BackupContents {
  readonly database: string
  /** Number of files. */
  readonly files: number
  /** Files that were removed while the backup was made: no row of the database refers to them. */
  readonly unused: readonly string[]
  /** Files that were missing at the source. */
  readonly missing: readonly string[]
}

export interface CheckedBackup {
  readonly header: BackupHeader
  readonly contents: BackupContents
  readonly entries: readonly TarEntry[]
}

export type OnBackupProgress = (step: 'images' | 'database' | 'check', done: number, of: number) => void

/** Whether a file begins as a backup does. */
export async function isBackup(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    return (await firstEntry(file)) !== null
  } finally {
    await file.close()
  }
}

type File = Awaited<ReturnType<typeof open>>

async function firstEntry(file: File): Promise<TarEntry | null> {
  try {
    const { value } = await readEntries(file).next()
    return value?.name === HEADER_FILE ? value : null
  } catch (error) {
    if (error instanceof TarError) return null
    throw error
  }
}

/** Checks a whole backup and reads its lists. Throws a {@link BackupError} if it cannot be restored by this version. */
export async function check(path: string, file: File, onProgress: OnBackupProgress): Promise<CheckedBackup> {
  const first = await firstEntry(file)
  if (first === null) throw new BackupError(`${path} is not a backup of Kalends, or it is damaged`)
  try {
    await checkSeal(file, (done, of) => onProgress('check', done, of))
    const header = await readObject<BackupHeader>(file, first, ['migrations'])
    refuseLater(path, header)
    const entries = await Array.fromAsync(readEntries(file))
    const last = entries.at(-1)
    if (last?.name !== CONTENTS_FILE) throw new TarError('it has no list of contents')
    const contents = await readObject<BackupContents>(file, last, ['unused', 'missing'])
    refuseOther(entries, contents)
    return { header, contents, entries }
  } catch (error) {
    if (!(error instanceof TarError)) throw error
    throw new BackupError(`the backup ${path} cannot be used: ${error.message}`)
  }
}

/** The object of an entry in JSON, in which these are lists. */
async function readObject<T>(file: File, entry: TarEntry, lists: readonly (string & keyof T)[]): Promise<T> {
  const value = parse((await readContent(file, entry)).toString()) as T | null
  if (!lists.every((name) => Array.isArray(value?.[name]))) throw new TarError(`its ${entry.name} cannot be read`)
  return value as T
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** Whether an entry is a file of an image or a held one. */
export function isFile({ name }: TarEntry): boolean {
  return /^(?:images\/[\w-]{1,2}|held)\/[\w-]+(?:\.[a-z\d]+)?$/.test(name)
}

/** Throws unless there is exactly what the list of contents says, each once. */
function refuseOther(entries: readonly TarEntry[], { database, files, unused }: BackupContents): void {
  const known = [HEADER_FILE, CONTENTS_FILE, database]
  const other = entries.find((entry) => !known.includes(entry.name) && !isFile(entry))
  if (other !== undefined) throw new TarError(`it has ${JSON.stringify(other.name)}, which is no part of a backup`)
  if (new Set(entries.map(({ name }) => name)).size < entries.length) throw new TarError('it has an entry twice')
  if (entries.filter(isFile).length !== files + unused.length) throw new TarError('not all of its files are there')
}

function refuseLater(path: string, { format, version, migrations }: BackupHeader): void {
  const unknown = unknownMigrations(migrations)
  if (format <= FORMAT && unknown.length === 0) return
  const why = unknown.length === 0 ? '' : ` (it has ${unknown.join(', ')})`
  throw new BackupError(
    `the backup ${path} was made by a later version, ${version}${why}: restore it with that version`,
  )
}
