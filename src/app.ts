import pino, { type Logger } from 'pino'
import type { Config } from './config.ts'
import { publishDue } from './domain/events.ts'
import { Limits } from './domain/limits.ts'
import type { Site } from './domain/scope.ts'
import type { Service } from './http/server.ts'
import { createServer } from './http/server.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { PasswordChecker } from './lib/passwords.ts'
import { type Database, openDatabase } from './storage/database.ts'
import { type FileStore, folderStore, s3Store } from './storage/files.ts'

/** How often scheduled publishing looks for what is due, in milliseconds. */
const PUBLISHING_INTERVAL = 1000

/** A service that is put together and not yet listening. */
export interface App {
  readonly db: Database
  readonly clock: Clock
  readonly server: Awaited<ReturnType<typeof createServer>>
  /** Publishes what is due, now and then every second, until it is closed. */
  keepSchedule(): Promise<void>
  /** Finishes running requests, then closes the database. */
  close(): Promise<void>
}

/** Wires the rooms together. The tables must be up to date before it is asked anything; `isReady` tells. */
export async function createApp(
  config: Config,
  db: Database,
  options: { clock?: Clock; logger?: Logger | false } = {},
): Promise<App> {
  const clock = options.clock ?? systemClock
  const service: Service = {
    db,
    clock,
    passwords: new PasswordChecker(clock),
    limits: new Limits(config.databaseUrl === '' ? null : db),
    site: siteOf(config),
    files: openFiles(config),
    fetchLimits: { allowedHosts: config.fetchHosts, mostBytes: config.uploadLimit, timeout: 10_000 },
    isReady: async () => (await db.pending()).length === 0,
  }
  const server = await createServer(service, { ...config, logger: options.logger ?? createLogger(config.logLevel) })
  service.limits.share((error) => server.log.warn({ err: error }, 'limits could not be shared'))
  let schedule: NodeJS.Timeout | undefined
  const keepSchedule = async () => {
    await publishDue(service).catch((error) => server.log.error({ err: error }, 'scheduled publishing failed'))
    schedule = setTimeout(keepSchedule, PUBLISHING_INTERVAL).unref()
  }
  return {
    db,
    clock,
    server,
    keepSchedule,
    async close() {
      await server.close()
      clearTimeout(schedule)
      service.limits.stop()
      await db.close()
    },
  }
}

export { CopyError, copyDatabase } from './storage/copy.ts'

/** Opens the database that an address names: `postgres://…`, or `sqlite:` and a folder. */
export function openAddress(address: string): Database | null {
  if (/^postgres(ql)?:\/\/\S+$/.test(address)) return openDatabase(address)
  const folder = /^sqlite:(.+)$/.exec(address)?.[1]
  return folder === undefined ? null : openDatabase(folder)
}

/** Opens the database that a configuration names. */
export function openStore({
  data,
  databaseUrl,
  replicaUrls,
}: Pick<Config, 'data' | 'databaseUrl' | 'replicaUrls'>): Database {
  return openDatabase(databaseUrl === '' ? data : databaseUrl, { replicas: replicaUrls })
}

function siteOf({ timezone, currency, baseUrl, siteName, languages, logo, accent, stylesheet, tiles }: Config): Site {
  const design = { logo, accent, stylesheet, tiles }
  return { timezone, currency, home: baseUrl, name: siteName, languages, design }
}

/** Where the files of images are kept: a bucket if one is configured, else beside the database. */
function openFiles({ data, s3Bucket, s3Region, s3KeyId, s3Secret }: Config): FileStore {
  if (s3Bucket === '') return folderStore(data)
  return s3Store({ bucket: s3Bucket, region: s3Region, accessKeyId: s3KeyId, secretAccessKey: s3Secret })
}

/** Structured logs on standard output; what is secret never reaches them. */
function createLogger(level: string): Logger {
  return pino({
    level,
    serializers: {
      req: ({ method, url, ip }: { method: string; url: string; ip: string }) => ({
        method,
        url: withoutSecrets(url),
        ip,
      }),
      res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
    },
  })
}

function withoutSecrets(url: string): string {
  const mark = url.indexOf('?')
  if (mark === -1) return url
  const search = new URLSearchParams(url.slice(mark + 1))
  for (const name of [...search.keys()]) if (/^\s*(password|token)/i.test(name)) search.set(name, '[hidden]')
  return `${url.slice(0, mark)}?${search}`
}
