import { X509Certificate } from 'node:crypto'
import { access, constants, readFile, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Mailer } from '../lib/mailer.ts'
import { hasDatabase } from '../storage/backup-copy.ts'
import type { Database } from '../storage/database.ts'
import { journalMode, serverSettings } from '../storage/diagnosis.ts'
import type { Scope } from './scope.ts'

/** One line of a diagnosis. */
export interface Diagnosis {
  readonly isWell: boolean
  readonly name: string
  readonly text: string
  /** What to do. */
  readonly advice: string
}

/** Least free space, in bytes. */
const MIN_FREE = 200 * 2 ** 20
/** By how many seconds clocks may differ. */
const MAX_SKEW = 5
/** How long an answer may take, in milliseconds. */
const PATIENCE = 5000
const OLDEST_SERVER = 14

const line = (isWell: boolean, name: string, text: string, advice: string): Diagnosis => ({
  isWell,
  name,
  text,
  advice,
})
const words = (error: unknown) => (error instanceof Error ? error.message || String(error) : String(error))

/** Whether the data folder can be used, and by its owner alone. */
export async function diagnoseFolder(folder: string): Promise<Diagnosis[]> {
  const found = await stat(folder).catch(() => null)
  const name = 'data folder'
  if (found === null) return [line(true, name, `${folder} is not there yet`, '"kalends serve" makes it')]
  if (!found.isDirectory()) return [line(false, name, `${folder} is a file`, 'name a folder with --data')]
  const isWritable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable)
    return [
      line(false, name, `${folder} cannot be written`, `let the user of the service own it: chown -R USER ${folder}`),
    ]
  const isOpen = (found.mode & 0o077) !== 0 && (found.mode & 0o1000) === 0
  const mode = (found.mode & 0o777).toString(8)
  return [
    isOpen
      ? line(false, 'permissions', `others may read ${folder} (${mode})`, `close it: chmod 700 ${folder}`)
      : line(true, 'permissions', `${folder} is readable by its owner alone`, 'nothing to do'),
    await diagnoseSpace(folder),
    await diagnoseClock(folder),
  ]
}

/** Whether something was written later than now. */
async function diagnoseClock(folder: string): Promise<Diagnosis> {
  const names = ['', 'kalends.sqlite', 'kalends.sqlite-wal']
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)))
  const ahead = Math.max(...found.map((one) => one?.mtimeMs ?? 0)) - Date.now()
  const now = new Date().toISOString()
  return ahead > MAX_SKEW * 1000
    ? line(false, 'clock', `it is ${now}, and the data was written later`, 'set the clock: let the machine use NTP')
    : line(true, 'clock', `it is ${now}`, 'nothing to do')
}

async function diagnoseSpace(folder: string): Promise<Diagnosis> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const text = `${Math.floor(free / 2 ** 20)} MiB are free at ${folder}`
  return free < MIN_FREE
    ? line(false, 'free space', text, 'make room: writes are refused on a full disk')
    : line(true, 'free space', text, 'nothing to do')
}

/** Whether backups by schedule can be written to their folder, which is made if it is not there. */
export async function diagnoseBackups(folder: string): Promise<Diagnosis[]> {
  if (folder === '') return []
  const name = 'backups'
  let place = resolve(folder)
  let found = await stat(place).catch(() => null)
  for (; found === null && place !== dirname(place); found = await stat(place).catch(() => null)) place = dirname(place)
  const isWritable = await access(place, constants.W_OK | constants.X_OK).then(
    () => found?.isDirectory() === true,
    () => false,
  )
  if (!isWritable)
    return [
      line(
        false,
        name,
        `they cannot be written to ${folder}`,
        'name another folder with KALENDS_BACKUP_TO, or let the user of the service write there',
      ),
    ]
  return [line(true, name, `they can be written to ${folder}`, 'nothing to do'), await diagnoseSpace(place)]
}

/** Whether the certificate of the service can be used today. */
export async function diagnoseCertificate({
  tlsCert,
  tlsKey,
}: Record<'tlsCert' | 'tlsKey', string>): Promise<Diagnosis[]> {
  if (tlsCert === '') return []
  const name = 'certificate'
  try {
    const cert = await readFile(tlsCert)
    createSecureContext({ cert, key: await readFile(tlsKey) })
    const { validFromDate, validToDate } = new X509Certificate(cert)
    const isValid = validFromDate.getTime() <= Date.now() && Date.now() < validToDate.getTime()
    const text = `it is valid from ${validFromDate.toISOString()} to ${validToDate.toISOString()}`
    return [line(isValid, name, text, isValid ? 'nothing to do' : 'renew it, and let SIGHUP read it again')]
  } catch (error) {
    return [line(false, name, words(error), 'check the files of KALENDS_TLS_CERT and KALENDS_TLS_KEY')]
  }
}

/** Whether the database can be opened, and is set as it should be. */
export async function diagnoseDatabase(
  open: () => Database,
  location: { folder: string; isServer: boolean; connections: number },
): Promise<Diagnosis[]> {
  const name = 'database'
  if (!location.isServer && !hasDatabase(location.folder))
    return [line(true, name, 'there is none yet', '"kalends serve" makes it')]
  let db: Database | undefined
  try {
    db = open()
    await db.finished()
    const pending = await db.pending()
    const state =
      pending.length === 0
        ? line(true, name, 'it answers, and its tables are up to date', 'nothing to do')
        : line(true, name, `it lacks ${pending.length} migrations`, 'the next start runs them; back it up first')
    return [state, ...(location.isServer ? await diagnoseServer(db, location.connections) : await diagnoseFile(db))]
  } catch (error) {
    const advice = location.isServer
      ? 'check the address in KALENDS_DATABASE_URL, the server and its password'
      : 'start the version that the sentence names, or restore a backup'
    return [line(false, name, words(error instanceof Error && error.cause ? error.cause : error), advice)]
  } finally {
    await db?.close()
  }
}

async function diagnoseFile(db: Database): Promise<Diagnosis[]> {
  const mode = await journalMode(db)
  const damage = await db.inspect()
  return [
    line(
      mode === 'wal',
      'database settings',
      `the journal mode is ${mode}`,
      mode === 'wal' ? 'nothing to do' : 'put the data on a local disk',
    ),
    damage === null
      ? line(true, 'database file', 'its pages are whole', '"kalends check" looks further')
      : line(false, 'database file', damage, 'restore a backup with "kalends restore"'),
  ]
}

async function diagnoseServer(db: Database, wanted: number): Promise<Diagnosis[]> {
  const found = await serverSettings(db)
  const major = Math.floor(found.version / 10_000)
  const skew = Math.abs(found.now - Date.now() / 1000)
  const set = 'database settings'
  const lines = [
    [major >= OLDEST_SERVER, `PostgreSQL ${major}`, `use ${OLDEST_SERVER} or later`],
    [found.encoding === 'UTF8', `the encoding is ${found.encoding}`, 'create the database with encoding UTF8'],
    [found.fsync === 'on', `fsync is ${found.fsync}`, 'turn it on: writes are lost in a power failure'],
    [found.has_trigrams, 'the extension pg_trgm', 'install the contrib package of PostgreSQL'],
    [
      found.max_connections > wanted,
      `max_connections is ${found.max_connections}, and this node opens up to ${wanted}`,
      'raise max_connections, or lower KALENDS_DATABASE_CONNECTIONS',
    ],
  ] as const
  return [
    ...lines.map(([isWell, text, advice]) => line(isWell, set, text, isWell ? 'nothing to do' : advice)),
    line(
      skew <= MAX_SKEW,
      'clock',
      `it differs from that of the database by ${skew.toFixed(1)} s`,
      skew <= MAX_SKEW ? 'nothing to do' : 'let both machines use NTP',
    ),
  ]
}

/** Whether the service answers at its public address, and whether the clocks agree. */
export async function diagnoseAddress(baseUrl: string, isSet: boolean): Promise<Diagnosis[]> {
  const name = 'base address'
  try {
    const answer = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(PATIENCE), redirect: 'manual' })
    const body = await answer.text()
    if (answer.status !== 200 || !body.includes('alive'))
      return [
        line(
          false,
          name,
          `${baseUrl}/healthz answers ${answer.status}, and not as Kalends`,
          'let the proxy pass everything to the service',
        ),
      ]
    const skew = Math.abs(Date.parse(answer.headers.get('date') ?? '') - Date.now()) / 1000
    return [
      line(true, name, `the service answers at ${baseUrl}`, 'nothing to do'),
      line(
        !(skew > MAX_SKEW + 1),
        'clock',
        `it differs from that of the answer by ${skew.toFixed(0)} s`,
        skew > MAX_SKEW + 1 ? 'set the clock: let the machine use NTP' : 'nothing to do',
      ),
    ]
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    if (!isSet)
      return [
        line(
          true,
          name,
          `nobody answers at ${baseUrl}, and no address is set`,
          'set KALENDS_BASE_URL for a public calendar',
        ),
      ]
    return [
      line(
        false,
        name,
        `${baseUrl} cannot be reached: ${words(cause)}`,
        'start the service; check the name, the proxy and the firewall',
      ),
    ]
  }
}

/** Whether the mail server lets us send. */
export async function diagnoseMail(mail: Mailer | null): Promise<Diagnosis> {
  if (mail === null)
    return line(true, 'mail', 'it is not configured', 'set KALENDS_SMTP_URL and KALENDS_MAIL_FROM to send letters')
  try {
    await mail.verify()
    return line(true, 'mail', 'the server takes letters', 'nothing to do')
  } catch (error) {
    return line(false, 'mail', words(error), 'check KALENDS_SMTP_URL: host, port, user and password')
  }
}

/** Whether files of images can be read. */
export async function diagnoseFiles(files: Scope['files'], isBucket: boolean): Promise<Diagnosis[]> {
  if (!isBucket) return []
  try {
    await files.size('images/doctor')
    return [line(true, 'bucket', 'it answers', 'nothing to do')]
  } catch (error) {
    return [
      line(
        false,
        'bucket',
        words(error instanceof Error && error.cause ? error.cause : error),
        'check KALENDS_S3_BUCKET and its key',
      ),
    ]
  }
}
