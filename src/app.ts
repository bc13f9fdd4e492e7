import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { acting } from './domain/acting.ts'
import { forgettingAudit } from './domain/audit.ts'
import { backingUp } from './domain/backups/schedule.ts'
import { forgetting as forgettingChanges } from './domain/changes.ts'
import { CurrentSite } from './domain/current-site.ts'
import { type Damage, type OnDamage, reportingOnce } from './domain/damage.ts'
import { renderingEvents } from './domain/event-rendering.ts'
import { sharedFigures } from './domain/figures.ts'
import { forgettingKeys } from './domain/idempotency.ts'
import { sweeping } from './domain/image-files.ts'
import { mergingIndexes } from './domain/index-merging.ts'
import { inspectRegularly } from './domain/inspection.ts'
import { type JobKind, Jobs } from './domain/jobs.ts'
import { KeptChoices } from './domain/kept-choices.ts'
import { KeptPlaces } from './domain/kept-places.ts'
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
import type { Routes } from './http/endpoint.ts'
import { mayRead } from './http/metrics.ts'
import { createServer } from './http/server.ts'
import type { Service } from './http/server-options.ts'
import { importJobs } from './imports/jobs.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { ConnectionCounter } from './lib/connection-counts.ts'
import { loadLazyPackages, preload } from './lib/lazy.ts'
import { smtpMailer } from './lib/mailer.ts'
import { type Family, joinMetrics, METRICS_TYPE, readMetrics, writeMetrics } from './lib/metrics.ts'
import { roomForConnections } from './lib/open-files.ts'
import { PasswordChecker } from './lib/passwords.ts'
import { measureProcess } from './lib/process-figures.ts'
import { currentTracer, isTraced, setTracer, Tracer } from './lib/traces.ts'
import { setV8Flags } from './lib/v8-flags.ts'
import { createLogger } from './log.ts'
import { assetFiles } from './pages/assets.ts'
import { embedFile } from './pages/embed.ts'
import { errorPage } from './pages/errors.ts'
import { rewritePluginAddress } from './pages/plugin-addresses.ts'
import { serveAssistant } from './rest/assistant/stdio.ts'
import { assistantViews } from './rest/assistant/views.ts'
import { endpoints as plainEndpoints, restEndpoints } from './rest/endpoints.ts'
import { eventRenderer, RenderedEvents } from './rest/rendered/rendered-events.ts'
import { webhookSender } from './rest/webhook-records.ts'
import { wordpressViews } from './rest/wordpress/views.ts'
import { siteOf } from './site.ts'
import type { Database } from './storage/database.ts'
import { backUpStore, openFiles } from './store.ts'

/** How often a process looks for jobs that others have added, in an embedded database and on a server, in milliseconds. */
const POLL_EMBEDDED = 1000
const POLL_SERVER = 5000

// Rooms that are not needed for the first response of the REST interface.
const feeds = () => import('./feeds/views.ts')
const pages = () => import('./pages/views.ts')
const manage = () => import('./manage/views.ts')
for (const room of [feeds, pages, manage]) preload(room)

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
  const rendered = new RenderedEvents(config.cache ? db.changesBetween : null)
  const endpoints = restEndpoints(rendered)
  const routes: Routes = {
    endpoints,
    views: async () => [
      ...(await feeds()).feeds,
      ...(await pages()).pages,
      ...(await manage()).manageViews,
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
    loadLazyPackages(setV8Flags)
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
    ...(config.databaseUrl === '' ? [mergingIndexes(service)] : []),
    ...(config.cache ? [renderingEvents(service, eventRenderer)] : []),
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
    choices: new KeptChoices(config.cache),
    places: new KeptPlaces(config.cache),
    site: siteOf(config),
    files: openFiles(config),
    mail: config.smtpUrl === '' ? null : smtpMailer(config.smtpUrl, config.mailFrom),
    fetchLimits: { allowedHosts: config.fetchHosts, mostBytes: config.uploadLimit, timeout: 10_000 },
  }
  const sender = webhookSender(scope, config.baseUrl)
  db.beforeCommit('webhooks', (tx) => seal(tx, sender))
  db.onLogged((user, bytes) => scope.quotas.history.add(db, user, bytes))
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

/** Limit on sockets to PostgreSQL per process. */
function databaseSockets({ databaseUrl, replicaUrls, databaseConnections }: Config): number {
  return databaseUrl === '' ? 0 : databaseConnections * (1 + replicaUrls.length)
}
