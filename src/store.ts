import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Config, ConfigError } from './config.ts'
import type { BackupOptions, BackupReport } from './domain/backups/backup.ts'
import type { BackupHeader, OnBackupProgress } from './domain/backups/format.ts'
import type { CheckPart } from './domain/check.ts'
import type { Diagnosis } from './domain/diagnosis.ts'
import { smtpMailer } from './lib/mailer.ts'
import { version } from './lib/version.ts'
import { type Database, openDatabase } from './storage/database.ts'
import { type FileStore, folderStore, s3Store } from './storage/files.ts'
import { makeImagesPrivate } from './storage/sqlite/private-files.ts'

/** The configured database and images: opened, protected, backed up, restored and checked. */

/** Opens the configured database. */
export function openStore(config: Config): Database {
  const { data, databaseUrl, replicaUrls: replicas } = config
  const pool = {
    connections: config.databaseConnections,
    connectTimeout: config.databaseConnectTimeout,
    queryTimeout: config.databaseQueryTimeout,
    idleTimeout: config.databaseIdleTimeout,
  }
  return openDatabase(databaseUrl === '' ? data : databaseUrl, { replicas, pool })
}

/** Storage for image files: the configured bucket, or a folder beside the database. */
export function openFiles({ data, s3Bucket, s3Region, s3KeyId, s3Secret }: Config): FileStore {
  if (s3Bucket === '') return folderStore(data)
  return s3Store({ bucket: s3Bucket, region: s3Region, accessKeyId: s3KeyId, secretAccessKey: s3Secret })
}

/** Opens the database at an address: `postgres://…`, or `sqlite:` and a folder. */
export function openAddress(address: string): Database | null {
  if (/^postgres(ql)?:\/\/\S+$/.test(address)) return openDatabase(address, { isCopied: true })
  const folder = /^sqlite:(.+)$/.exec(address)?.[1]
  return folder === undefined ? null : openDatabase(folder, { isCopied: true })
}

/** Backs the configured database and images up to a file: see domain/backups. */
export async function backUpStore(config: Config, target: string, options: BackupOptions): Promise<BackupReport> {
  const { backUp } = await import('./domain/backups/backup.ts')
  const location = config.databaseUrl === '' ? config.data : config.databaseUrl
  return backUp({ location, files: openFiles(config), version: version() }, target, options)
}

/** Restores a backup to the configured database and images. */
export async function restoreStore(
  config: Config,
  file: string,
  force: boolean,
  onProgress: OnBackupProgress,
): Promise<BackupHeader> {
  const { restore } = await import('./domain/backups/restore.ts')
  const bucket = config.s3Bucket === '' ? null : openFiles(config)
  return restore(file, { folder: config.data, url: config.databaseUrl, bucket, force }, onProgress)
}

/** Checks what is stored, part by part: see domain/check.ts. */
export async function* checkStore(config: Config, repair: boolean): AsyncGenerator<CheckPart> {
  const { check } = await import('./domain/check.ts')
  const db = openDatabase(config.databaseUrl === '' ? config.data : config.databaseUrl, { isCopied: true })
  try {
    await db.finished()
    if ((await db.pending()).length > 0)
      throw new ConfigError('the database is of an earlier version: run "kalends migrate" first')
    yield* check({ db, files: openFiles(config) }, repair)
  } finally {
    await db.close()
  }
}

/** Looks at everything that a service needs: see domain/diagnosis.ts. */
export async function* diagnoseStore(config: Config): AsyncGenerator<Diagnosis> {
  const diagnosis = await import('./domain/diagnosis.ts')
  const { data, databaseUrl, smtpUrl, mailFrom, s3Bucket, workers, databaseConnections } = config
  yield* await diagnosis.diagnoseFolder(data)
  const location = { folder: data, isServer: databaseUrl !== '', connections: workers * databaseConnections }
  yield* await diagnosis.diagnoseDatabase(() => openStore(config), location)
  yield* await diagnosis.diagnoseFiles(openFiles(config), s3Bucket !== '')
  yield* await diagnosis.diagnoseBackups(config.backupTo)
  yield* await diagnosis.diagnoseCertificate(config)
  yield* await diagnosis.diagnoseAddress(config.baseUrl, config.given.baseUrl !== undefined)
  yield diagnosis.diagnoseMail(smtpUrl === '' ? null : smtpMailer(smtpUrl, mailFrom))
}

/** How long a start waits for the modes of images, in milliseconds: the folder around them is closed before. */
const PATIENCE = 2000

/** Makes the data folder and its files readable by their owner only. */
export async function protectData({ data, s3Bucket }: Config, log: Pick<Logger, 'warn'>): Promise<void> {
  if (s3Bucket !== '' || data === ':memory:') return
  const done = makeImagesPrivate(data).catch((error) =>
    log.warn({ err: error }, 'the modes of files in the data folder cannot be set'),
  )
  await Promise.race([done, sleep(PATIENCE, undefined, { ref: false })])
}
