import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pino, { type Logger, type LoggerOptions } from 'pino'
import { type Config, ConfigError } from './config.ts'
import { acting } from './domain/acting.ts'
import { forgettingAudit } from './domain/audit.ts'
import type { BackupOptions, BackupReport } from './domain/backups/backup.ts'
import type { BackupHeader, OnBackupProgress } from './domain/backups/format.ts'
import { backingUp } from './domain/backups/schedule.ts'
import { forgetting as forgettingChanges } from './domain/changes.ts'
import type { CheckPart } from './domain/check.ts'
import { CurrentSite } from './domain/current-site.ts'
import { type Damage, type OnDamage, reportingOnce } from './domain/damage.ts'
import type { Diagnosis } from './domain/diagnosis.ts'
import { sharedFigures } from './domain/figures.ts'
import { forgettingKeys } from './domain/idempotency.ts'
import { sweeping } from './domain/image-files.ts'
import { inspectRegularly } from './domain/inspection.ts'
import { type JobKind, Jobs } from './domain/jobs.ts'
import { Limits, type Sharing, throughDatabase } from './domain/limits.ts'
import { mailing } from './domain/mail.ts'
import { PasswordAttempts } from './domain/password-attempts.ts'
import { publishing } from './domain/publishing.ts'
import { Quotas } from './domain/quotas.ts'
import type { Scope, Site, User } from './domain/scope.ts'
import { extendingSeries } from './domain/series-extension.ts'
import { forgettingSessions } from './domain/sessions.ts'
import { SignIns } from './domain/sign-ins.ts'
import { announcing } from './domain/suggestion-notices.ts'
import { forgetting, settling } from './domain/suggestion-review.ts'
import { delivering, forgettingDeliveries } from './domain/webhooks/delivering.ts'
import { seal } from './domain/webhooks/outbox.ts'
import { exportEvents as writeEvents } from './feeds/export.ts'
import { feeds } from './feeds/views.ts'
import type { Routes } from './http/endpoint.ts'
import { mayRead } from './http/metrics.ts'
import { createServer } from './http/server.ts'
import type { Service } from './http/server-options.ts'
import { importJobs } from './imports/jobs.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { ConnectionCounter } from './lib/connection-counts.ts'
import { tuneHeap } from './lib/heap.ts'
import { loadLazyPackages, once } from './lib/lazy.ts'
import { readableLine } from './lib/log-line.ts'
import { LogOutput } from './lib/log-output.ts'
import { smtpMailer } from './lib/mailer.ts'
import { type Family, joinMetrics, METRICS_TYPE, readMetrics, writeMetrics } from './lib/metrics.ts'
import { roomForConnections } from './lib/open-files.ts'
import { PasswordChecker } from './lib/passwords.ts'
import { measureProcess } from './lib/process-figures.ts'
import { withoutSecrets } from './lib/secrets.ts'
import { currentTracer, isTraced, setTracer, Tracer } from './lib/traces.ts'
import { version } from './lib/version.ts'
import { manageViews } from './manage/views.ts'
import { assetFiles } from './pages/assets.ts'
import { embedFile } from './pages/embed.ts'
import { errorPage } from './pages/errors.ts'
import { rewritePluginAddress } from './pages/plugin-addresses.ts'
import { pages } from './pages/views.ts'
import { serveAssistant } from './rest/assistant/stdio.ts'
import { assistantViews } from './rest/assistant/views.ts'
import { endpoints as plainEndpoints, restEndpoints } from './rest/endpoints.ts'
import { RenderedEvents } from './rest/rendered/rendered-events.ts'
import { webhookSender } from './rest/webhook-records.ts'
import { wordpressViews } from './rest/wordpress/views.ts'
import { siteOf } from './site.ts'
import { type Database, openDatabase } from './storage/database.ts'
import { type FileStore, folderStore, s3Store } from './storage/files.ts'
import { makeImagesPrivate } from './storage/sqlite/private-files.ts'

/** How often a process looks for jobs that others have added, in an embedded database and on a server, in milliseconds. */
const POLL_EMBEDDED = 1000
const POLL_SERVER = 5000

/** An assembled service that does not listen yet. */
export interface App {
  readonly db: Database
  readonly clock: Clock
  readonly server: Awaited<ReturnType<typeof createServer>>
  /** Runs background jobs until it is finished or closed. */
  startJobs(): void
  /** Gets ready for connections that are accepted elsewhere; the server may listen by itself instead. */
  ready(): Promise<void>
  /** Figures of this process and, if asked for, those that all processes share. */
  metrics(withShared: boolean): Promise<Family[]>
  /** Reads the certificate again, for new connections. */
  reloadCertificate(): void
  /** Answers the requests of a connection. */
  take(connection: Socket): void
  /** Finishes running requests, and jobs: see Stopping. */
  finish(): Promise<void>
  /** Finishes running requests, then closes the database. */
  close(): Promise<void>
}

/** Assembles the service. The database must be migrated before the first request, unless `isMigrating` returns true until then. */
export async function createApp(
  config: Config,
  db: Database,
  options: {
    clock?: Clock
    logger?: Logger | false
    sharing?: Sharing
    counter?: ConnectionCounter
    /** Whether migrations run, so that requests cannot be answered. */
    isMigrating?: () => boolean
    /** Figures of all processes, as text; without it, those of this one. */
    readMetrics?: () => Promise<string>
  } = {},
): Promise<App> {
  const clock = options.clock ?? systemClock
  const limits = new Limits(options.sharing ?? (config.databaseUrl === '' ? null : throughDatabase(db)), clock)
  let trouble: string | null = null
  const onDamage = reportingOnce((damage) => logDamage(server.log, damage))
  const current = new CurrentSite(db, (stored) => siteOf(config, stored))
  const service: Service = {
    ...createScope(config, db, clock, limits),
    current,
    get site() {
      return current.last
    },
    onDamage,
    limits,
    isReady: async () => {
      const before = trouble
      trouble = await db.trouble()
      if (trouble !== null && trouble !== before) server.log.error({ trouble }, 'the service is not ready')
      return trouble === null && (await db.pending()).length === 0
    },
    trouble: () => trouble,
    isMigrating: options.isMigrating ?? (() => false),
  }
  const sender = webhookSender(service, config.baseUrl)
  db.beforeCommit('webhooks', (tx) => seal(tx, sender))
  const rendered = new RenderedEvents(config.cache)
  const endpoints = restEndpoints(rendered)
  const routes: Routes = {
    endpoints,
    views: [
      ...feeds,
      ...pages,
      ...manageViews,
      ...assistantViews(endpoints),
      ...wordpressViews(config.mounts, endpoints),
    ],
    files: [assetFiles, embedFile],
    rewrite: rewritePluginAddress,
    errorPage,
  }
  if (isTraced(process.env))
    setTracer(new Tracer(process.env, (error) => server.log.warn({ err: error }, 'traces cannot be sent')))
  const metrics = async (withShared: boolean) => [
    ...(await readMetrics()),
    ...(withShared ? await sharedFigures(db, config.backupTo) : []),
  ]
  const readText = options.readMetrics ?? (async () => writeMetrics(await metrics(true)))
  if (config.metricsPort !== null || config.metricsToken !== '') measureProcess()
  const server: App['server'] = await createServer(service, routes, {
    ...config,
    logger: options.logger ?? createLogger(config),
    counter: options.counter,
    roomForConnections: roomForConnections(databaseSockets(config)),
    metrics:
      config.metricsToken === '' || config.metricsPort !== null ? null : { token: config.metricsToken, read: readText },
  })
  const takePlain = (connection: Socket) => void server.server.emit('connection', connection)
  const tls = config.tlsCert === '' ? null : new (await import('./http/tls.ts')).TlsConnections(config, takePlain)
  let isClosed = false
  const warmUp = async () => {
    void db.warmUp().catch((error) => {
      if (!isClosed) server.log.warn({ err: error }, 'the database is not ready')
    })
    loadLazyPackages(tuneHeap)
  }
  server.addHook('onListen', warmUp)
  service.limits.share((error) => server.log.warn({ err: error }, 'limits could not be shared'))
  const inspection = inspectRegularly(db, server.log)
  const poll = config.databaseUrl === '' ? POLL_EMBEDDED : POLL_SERVER
  const jobs = new Jobs({ db, clock, log: server.log, poll }, [
    publishing(service),
    extendingSeries(service),
    sweeping(service),
    mailing(service),
    announcing(service),
    settling(service),
    forgetting(service),
    forgettingKeys(service),
    forgettingSessions(service),
    forgettingChanges(service),
    delivering(service, sender),
    forgettingDeliveries(service),
    forgettingAudit(service, config.auditDays),
    ...importJobs(service),
    ...backupJobs(config, server.log),
  ])
  return {
    db,
    clock,
    server,
    metrics,
    startJobs: () => jobs.start(),
    async ready() {
      await server.ready()
      // From now on Node enforces its timeouts for incoming requests.
      server.server.emit('listening')
      await warmUp()
    },
    take: tls === null ? takePlain : (connection) => tls.take(connection),
    reloadCertificate() {
      try {
        tls?.reload()
        server.log.info('the certificate was read again')
      } catch (error) {
        server.log.error({ err: error }, 'the certificate cannot be read again: the former one is used')
      }
    },
    async finish() {
      service.signIns.stop()
      await Promise.all([server.stopping.finish(), jobs.stop()])
    },
    async close() {
      service.signIns.stop()
      await server.close()
      await currentTracer()?.flush()
      isClosed = true
      inspection.stop()
      await jobs.stop()
      service.limits.stop()
      await db.close()
    },
  }
}

/** The job that backs up, if it is wanted. */
function backupJobs(config: Config, log: Pick<Logger, 'info' | 'error'>): JobKind[] {
  const { backupEvery: every, backupTo: to, keep } = config
  if (every === null) return []
  return [backingUp({ every, to, keep, log, backUp: (target, options) => backUpStore(config, target, options) })]
}

/** Logs records that are left out of lists, feeds and pages because they are damaged. */
function logDamage(log: Pick<Logger, 'error'>, { kind, id, reason }: Damage): void {
  const why = reason instanceof Error ? { err: reason } : { problems: reason }
  log.error({ [kind]: id, ...why }, `${kind} left out: what is stored of it cannot be shown`)
}

/** Serves an assistant on standard input and output, with the rights of a user. */
export async function serveAssistantFor(config: Config, db: Database, user: User): Promise<void> {
  const site = await readSite(config, db)
  await serveAssistant(plainEndpoints, acting({ ...createScope(config, db), site, user }, 'command', { user }))
}

/** The site, with the settings of the database. */
export function readSite(config: Config, db: Database): Promise<Site> {
  return new CurrentSite(db, (stored) => siteOf(config, stored)).read()
}

/** Context for domain functions, without a user, and with the settings of the process alone: see readSite. */
export function createScope(
  config: Config,
  db: Database,
  clock: Clock = systemClock,
  limits: Limits = new Limits(null),
): Omit<Scope, 'user'> {
  const attempts = new PasswordAttempts(limits, config.loginLimit)
  const scope: Omit<Scope, 'user'> = {
    ...acting({ db, clock }, 'job'),
    passwords: new PasswordChecker(clock),
    attempts,
    signIns: new SignIns(attempts),
    quotas: new Quotas(config),
    site: siteOf(config),
    files: openFiles(config),
    mail: config.smtpUrl === '' ? null : smtpMailer(config.smtpUrl, config.mailFrom),
    fetchLimits: { allowedHosts: config.fetchHosts, mostBytes: config.uploadLimit, timeout: 10_000 },
  }
  const sender = webhookSender(scope, config.baseUrl)
  db.beforeCommit('webhooks', (tx) => seal(tx, sender))
  return scope
}

export { BackupError } from './domain/backups/format.ts'
export { ExportError } from './feeds/export.ts'
export { EXPORTS } from './feeds/formats.ts'
export { warnAtStart as warnOfProxy } from './http/proxy-warning.ts'
export { auditEntry } from './rest/present-audit.ts'
export { CopyError, copyDatabase } from './storage/copy.ts'
export { joinMetrics, METRICS_TYPE, mayRead, writeMetrics }

/** Streams an export: public events or, with `all`, every event that is not in the trash. */
export async function exportEvents(
  config: Config,
  db: Database,
  {
    format,
    query,
    all,
    onDamage = () => {},
  }: { format: string; query: Record<string, unknown>; all: boolean; onDamage?: OnDamage },
): ReturnType<typeof writeEvents> {
  const user = all ? ({ id: 0, name: '', role: 'administrator' } as const) : null
  const site = await readSite(config, db)
  const scope = { db, clock: systemClock, site, user, onDamage: reportingOnce(onDamage) }
  return writeEvents(scope, format, query)
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

/** Limit on sockets to PostgreSQL per process. */
function databaseSockets({ databaseUrl, replicaUrls, databaseConnections }: Config): number {
  return databaseUrl === '' ? 0 : databaseConnections * (1 + replicaUrls.length)
}

/** Storage for image files: the configured bucket, or a folder beside the database. */
function openFiles({ data, s3Bucket, s3Region, s3KeyId, s3Secret }: Config): FileStore {
  if (s3Bucket === '') return folderStore(data)
  return s3Store({ bucket: s3Bucket, region: s3Region, accessKeyId: s3KeyId, secretAccessKey: s3Secret })
}

/** Logger on standard output: JSON, or one readable line on a terminal. Secrets are removed. */
export function createLogger({ logLevel: level, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const options: LoggerOptions = {
    level,
    serializers: {
      req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({
        method,
        url: withoutSecrets(url),
        ip,
      }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  }
  const output = logOutput()
  const isTerminal = process.stdout.isTTY === true
  if (logFormat === 'json' || (logFormat === 'auto' && !isTerminal)) return pino(options, output)
  return pino(options, { write: (line) => output.write(readableLine(line, isTerminal && !process.env.NO_COLOR)) })
}

/** The log output, shared by the whole process. */
const logOutput = once(
  () =>
    new LogOutput((dropped) => {
      const line = { level: pino.levels.values.warn, time: Date.now(), pid: process.pid, hostname: hostname(), dropped }
      return `${JSON.stringify({ ...line, msg: 'log lines were dropped' })}\n`
    }),
)

/** Flushes the log, with a timeout for a reader that is stuck. */
export function drainLog(patience = 1000): Promise<void> {
  return logOutput().drain(patience)
}
