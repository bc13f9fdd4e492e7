import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { extract, readContent, type TarEntry } from '../../lib/tar.ts'
import { DUMP_FILE } from '../../storage/backup-copy.ts'
import * as storage from '../../storage/backup-restore.ts'
import { type FileStore, folderStore } from '../../storage/files.ts'
import { DATABASE_FILE, FILE_MODE, FOLDER_MODE } from '../../storage/sqlite/private-files.ts'
import { keyOf } from '../image-files.ts'
import { sync } from './backup.ts'
import { BackupError, type BackupHeader, type CheckedBackup, check, isFile, type OnBackupProgress } from './format.ts'

export interface RestoreTarget {
  /** Data folder. */
  readonly folder: string
  /** Address of PostgreSQL; empty for an embedded database in the folder. */
  readonly url: string
  /** Bucket for the files of images; null for the folder. */
  readonly bucket: FileStore | null
  /** Replaces a calendar that is there. */
  readonly force: boolean
}

/** Restores a backup. It is checked first, so that a damaged one changes nothing. */
export async function restore(
  path: string,
  target: RestoreTarget,
  onProgress: OnBackupProgress = () => {},
): Promise<BackupHeader> {
  const file = await open(path)
  try {
    const backup = await check(path, file, onProgress)
    const isDump = backup.contents.database === DUMP_FILE
    if (isDump && target.url === '')
      throw new BackupError(
        'the backup has a dump of PostgreSQL: restore it with --database, then use "kalends copy" for an embedded database',
      )
    await (target.url === '' ? toFolder(file, backup, target, onProgress) : toServer(file, backup, target, onProgress))
    return backup.header
  } catch (error) {
    throw error instanceof storage.RestoreError ? new BackupError(error.message) : error
  } finally {
    await file.close()
  }
}

async function toFolder(
  file: FileHandle,
  backup: CheckedBackup,
  { folder, bucket, force }: RestoreTarget,
  onProgress: OnBackupProgress,
): Promise<void> {
  if (storage.isUsed(folder)) {
    if (!force) throw new BackupError(`${folder} has a calendar: choose another folder, or --force replaces it`)
    storage.refuseIfInUse(folder)
  }
  const made = existsSync(folder) ? null : await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const work = join(folder, `restoring-${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(work, { mode: FOLDER_MODE })
    await extractDatabase(file, backup, work)
    await storage.checkRestored(work, backup.header.migrations)
    await storage.endSeries(work)
    await putFiles(file, backup, bucket ?? folderStore(work), onProgress)
    await storage.replaceData(work, folder)
    await sync(folder)
  } catch (error) {
    if (made) await rm(made, { recursive: true, force: true })
    throw error
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function toServer(
  file: FileHandle,
  backup: CheckedBackup,
  { url, folder, bucket, force }: RestoreTarget,
  onProgress: OnBackupProgress,
): Promise<void> {
  await storage.refuseUsedServer(url, force)
  const work = await mkdtemp(join(tmpdir(), 'kalends-restore-'))
  try {
    const database = await extractDatabase(file, backup, work)
    if (backup.contents.database === DUMP_FILE) await storage.restoreByDump(url, database)
    else {
      await storage.checkRestored(work, backup.header.migrations)
      await storage.restoreByRows(url, work, (_, done, of) => onProgress('database', done, of))
    }
    await storage.endSeries(url)
    await putFiles(file, backup, bucket ?? folderStore(folder), onProgress)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Answers the path of the database. */
async function extractDatabase(file: FileHandle, { entries, contents }: CheckedBackup, to: string): Promise<string> {
  const entry = entries.find(({ name }) => name === contents.database)
  if (entry === undefined || ![DATABASE_FILE, DUMP_FILE].includes(entry.name))
    throw new BackupError('the backup has no database')
  const path = join(to, entry.name)
  const target = await open(path, 'wx', FILE_MODE)
  try {
    await extract(file, entry, target)
    await target.sync()
  } finally {
    await target.close()
  }
  await sync(dirname(path))
  return path
}

async function putFiles(
  file: FileHandle,
  { entries, contents }: CheckedBackup,
  store: FileStore,
  onProgress: OnBackupProgress,
): Promise<void> {
  const unused = new Set(contents.unused.map(keyOf))
  const wanted = entries.filter((entry) => isFile(entry) && !unused.has(entry.name))
  for (const [n, entry] of wanted.entries()) {
    await store.put(entry.name, await readContent(file, entry), mimeOf(entry))
    onProgress('images', n + 1, wanted.length)
  }
}

const MIMES: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
}

function mimeOf({ name }: TarEntry): string {
  return MIMES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
}
