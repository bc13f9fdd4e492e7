import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { findZone, type Zone } from './calendar/zone.ts'
import { parseColour } from './lib/colour.ts'
import { LANGUAGES } from './lib/texts.ts'

/** Invalid setting. The message names it and says which values are valid. */
export class ConfigError extends Error {}

/** How a setting is parsed from a variable or flag. */
interface Setting<T> {
  /** Environment variable. */
  readonly variable: `KALENDS_${string}`
  readonly fallback: string
  readonly help: string
  /** Returns undefined for an invalid text. */
  read(text: string): T | undefined
  /** Description of valid values, for the sentence "… must be …". */
  readonly must: string
}

function setting<T>(
  variable: Setting<T>['variable'],
  fallback: string,
  help: string,
  must: string,
  read: Setting<T>['read'],
): Setting<T> {
  return { variable, fallback, help, must, read }
}

const whole = (least: number, most: number) => (text: string) =>
  /^\d{1,9}$/.test(text) && +text >= least && +text <= most ? +text : undefined
const list = (item: RegExp) => (text: string) => {
  const items = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return items.every((part) => item.test(part)) ? items : undefined
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Default name of a calendar. */
export const PROGRAM_NAME = 'Kalends'

/** All settings. Those that are also flags of `serve` have the name of the flag, in camel case. */
export const SETTINGS = {
  port: setting('KALENDS_PORT', '8080', 'port to listen on', 'a port number from 0 to 65535', whole(0, 65535)),
  host: setting(
    'KALENDS_HOST',
    'localhost',
    'address to listen on; 0.0.0.0 for every one',
    'a host name or address',
    (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
  ),
  workers: setting<number>(
    'KALENDS_WORKERS',
    '1',
    'processes that answer requests; auto for one per core',
    'a number from 1 to 256, or auto',
    (text) => (text === 'auto' ? availableParallelism() : whole(1, 256)(text)),
  ),
  data: setting('KALENDS_DATA', './data', 'folder of the database', 'the path of a folder', (text) => text),
  databaseUrl: setting<string>(
    'KALENDS_DATABASE_URL',
    '',
    'address of a PostgreSQL database, in place of the embedded one',
    'an address such as postgres://user:password@host/database',
    (text) => (text === '' || /^postgres(ql)?:\/\/\S+$/.test(text) ? text : undefined),
  ),
  replicaUrls: setting(
    'KALENDS_REPLICA_URLS',
    '',
    'addresses of streaming replicas that reads may go to, comma-separated',
    'a comma-separated list of addresses such as postgres://user:password@host/database',
    list(/^postgres(ql)?:\/\/\S+$/),
  ),
  databaseConnections: setting(
    'KALENDS_DATABASE_CONNECTIONS',
    '10',
    'connections to PostgreSQL, of each process and to each server',
    'a number from 2 to 1000',
    whole(2, 1000),
  ),
  databaseConnectTimeout: setting(
    'KALENDS_DATABASE_CONNECT_TIMEOUT',
    '3',
    'seconds that a request waits for a connection to PostgreSQL',
    'a number of seconds from 1 to 300',
    whole(1, 300),
  ),
  databaseQueryTimeout: setting(
    'KALENDS_DATABASE_QUERY_TIMEOUT',
    '10',
    'seconds that a query to PostgreSQL may take',
    'a number of seconds from 1 to 3600',
    whole(1, 3600),
  ),
  databaseIdleTimeout: setting(
    'KALENDS_DATABASE_IDLE_TIMEOUT',
    '30',
    'seconds after which an unused connection to PostgreSQL is closed; 0 for never',
    'a number of seconds from 0 to 86400',
    whole(0, 86400),
  ),
  baseUrl: setting<string>(
    'KALENDS_BASE_URL',
    '',
    'public address of the service (default: http://localhost:PORT)',
    'an http(s) address without a query',
    readBaseUrl,
  ),
  timezone: setting<Zone>(
    'KALENDS_TIMEZONE',
    'UTC',
    'time zone of the site',
    'an IANA time zone such as Europe/Paris, or an offset such as UTC+5.5',
    (text) => findZone(text) ?? undefined,
  ),
  currency: setting(
    'KALENDS_CURRENCY',
    '$',
    'symbol shown before a bare number in a cost',
    'a symbol of up to 5 characters',
    (text) => (text.length <= 5 ? text : undefined),
  ),
  languages: setting(
    'KALENDS_LANGUAGES',
    'en,fr,de,es',
    'languages of texts and addresses, the first for readers of any other, comma-separated',
    `a comma-separated list of ${LANGUAGES.join(', ')}`,
    readLanguages,
  ),
  siteName: setting('KALENDS_SITE_NAME', PROGRAM_NAME, 'name of the calendar', 'up to 100 characters', (text) =>
    text.length <= 100 ? text : undefined,
  ),
  familyTerms: setting(
    'KALENDS_FAMILY_TERMS',
    'family,families,kids,children,Familie,Familien,Kinder,famille,familles,enfants,familia,familias,niños,niñas,infantil',
    'names or slugs of the categories and tags that "For families" shows, comma-separated',
    'a comma-separated list of names',
    list(/^.{1,100}$/),
  ),
  logo: setting<string>(
    'KALENDS_LOGO',
    '',
    'logo beside that name: an image file or its address',
    'the path of an SVG, PNG, JPEG or WebP file, or an http(s) address',
    (text) => (text === '' || isAddress(text) || isFile(text, /\.(svg|png|jpe?g|webp)$/i) ? text : undefined),
  ),
  accent: setting<string>(
    'KALENDS_ACCENT',
    '#2f6b46',
    'colour of links and buttons, made darker or lighter where it could not be read',
    'a colour such as #2f6b46',
    (text) => (parseColour(text) === null ? undefined : text),
  ),
  stylesheet: setting<string>(
    'KALENDS_STYLESHEET',
    '',
    'a file of styles of your own, which come last',
    'the path of a CSS file',
    (text) => (text === '' || isFile(text, /\.css$/i) ? text : undefined),
  ),
  tiles: setting<string>(
    'KALENDS_TILES',
    '',
    'address of map tiles; without one maps are drawn from files of our own, and nothing is asked of others',
    'an http(s) address with {z}, {x} and {y} in it',
    (text) =>
      text === '' || (isAddress(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part))) ? text : undefined,
  ),
  clock: setting<12 | 24 | null>(
    'KALENDS_CLOCK',
    '',
    'clock of pages and of the widget: 12 or 24 hours; without it the language decides',
    '12 or 24',
    (text) => (text === '' ? null : text === '12' ? 12 : text === '24' ? 24 : undefined),
  ),
  weekStart: setting<number | null>(
    'KALENDS_WEEK_START',
    '',
    'first day of the week on pages and in the widget; without it the language decides',
    `one of ${WEEKDAYS.join(', ')}`,
    (text) => (text === '' ? null : WEEKDAYS.indexOf(text.toLowerCase()) + 1 || undefined),
  ),
  suggest: setting('KALENDS_SUGGEST', 'no', 'whether anybody may suggest events at /suggest', 'yes or no', readFlag),
  dateOrder: setting<'dmy' | 'mdy'>(
    'KALENDS_DATE_ORDER',
    'dmy',
    'order of day and month in imported tables that do not show it',
    'dmy (day first) or mdy (month first)',
    (text) => (text === 'dmy' || text === 'mdy' ? text : undefined),
  ),
  smtpUrl: setting<string>(
    'KALENDS_SMTP_URL',
    '',
    'address of a mail server; without one, nobody is told by mail',
    'an address such as smtps://user:password@mail.example.org',
    (text) => (text === '' || (/^smtps?:\/\/[^\s/]+\/?(\?\S*)?$/.test(text) && URL.canParse(text)) ? text : undefined),
  ),
  mailFrom: setting<string>(
    'KALENDS_MAIL_FROM',
    '',
    'sender of mail',
    'an e-mail address, or a name and an address such as Town Calendar <calendar@example.org>',
    (text) => (text === '' || /^([^<>@\r\n]{1,100}<)?[^\s<>,;]+@[^\s<>,;]+>?$/.test(text) ? text : undefined),
  ),
  mounts: setting(
    'KALENDS_MOUNTS',
    '',
    'further paths to the REST interface, comma-separated',
    'a comma-separated list of paths such as /wp-json/tribe/events/v1',
    list(/^\/[\w./-]*\w$/),
  ),
  maxPerPage: setting(
    'KALENDS_MAX_PER_PAGE',
    '50',
    'largest number of records that a page of a list holds',
    'a whole number from 10 to 500',
    whole(10, 500),
  ),
  seriesYears: setting(
    'KALENDS_SERIES_YEARS',
    '2',
    'how many years ahead the events of a series exist',
    'a whole number from 1 to 10',
    whole(1, 10),
  ),
  writeOrigins: setting(
    'KALENDS_WRITE_ORIGINS',
    '',
    'origins whose pages may write, comma-separated',
    'a comma-separated list of origins such as https://example.org',
    list(/^https?:\/\/[^/\s]+$/),
  ),
  bodyLimit: setting(
    'KALENDS_BODY_LIMIT',
    '1048576',
    'largest request body, in bytes',
    'a number of bytes from 1024 to 104857600',
    whole(1024, 104857600),
  ),
  uploadLimit: setting(
    'KALENDS_UPLOAD_LIMIT',
    '10485760',
    'largest image or calendar that is uploaded or fetched, in bytes',
    'a number of bytes from 1024 to 104857600',
    whole(1024, 104857600),
  ),
  uploadQuota: setting(
    'KALENDS_UPLOAD_QUOTA',
    '1073741824',
    'bytes that the images of one author may take; 0 for no limit',
    'a whole number of bytes',
    (text) => (/^\d{1,15}$/.test(text) ? +text : undefined),
  ),
  draftQuota: setting(
    'KALENDS_DRAFT_QUOTA',
    '1000',
    'unpublished records that one contributor may have; 0 for no limit',
    'a whole number',
    whole(0, 999999999),
  ),
  cache: setting(
    'KALENDS_CACHE',
    'on',
    'whether responses are cached; off is slower, and answers the same',
    'on or off',
    (text) => (text === 'on' ? true : text === 'off' ? false : undefined),
  ),
  backupEvery: setting<number | null>(
    'KALENDS_BACKUP_EVERY',
    '',
    'time between two backups, such as 24h; without it none is made by itself',
    'a number with s, m, h or d, such as 24h',
    readDuration,
  ),
  backupTo: setting('KALENDS_BACKUP_TO', '', 'folder of these backups', 'the path of a folder', (text) => text),
  keep: setting('KALENDS_BACKUP_KEEP', '14', 'how many of them are kept', 'a number from 1 to 10000', whole(1, 10_000)),
  fetchHosts: setting(
    'KALENDS_FETCH_HOSTS',
    '',
    'hosts that images and imports may be fetched from although they are not public, comma-separated',
    'a comma-separated list of hosts or host:port pairs',
    list(/^[\w.[\]:-]+$/),
  ),
  s3Bucket: setting<string>(
    'KALENDS_S3_BUCKET',
    '',
    'address of an S3-compatible bucket that keeps the files of images',
    'an http(s) address without a query',
    readBaseUrl,
  ),
  s3Region: setting('KALENDS_S3_REGION', 'us-east-1', 'region of that bucket', 'the name of a region', (text) => text),
  s3KeyId: setting('KALENDS_S3_ACCESS_KEY_ID', '', 'id of the key to that bucket', 'text', (text) => text),
  s3Secret: setting('KALENDS_S3_SECRET_ACCESS_KEY', '', 'secret of that key', 'text', (text) => text),
  rateLimit: setting(
    'KALENDS_RATE_LIMIT',
    '600',
    'requests a minute from one address; 0 for no limit',
    'a whole number',
    whole(0, 999999999),
  ),
  userRateLimit: setting(
    'KALENDS_USER_RATE_LIMIT',
    '1200',
    'requests a minute of one user; 0 for no limit',
    'a whole number',
    whole(0, 999999999),
  ),
  loginLimit: setting(
    'KALENDS_LOGIN_LIMIT',
    '20',
    'wrong passwords of users and events a minute from one address; 0 for no limit',
    'a whole number',
    whole(0, 999999999),
  ),
  rateLimitLoopback: setting(
    'KALENDS_RATE_LIMIT_LOOPBACK',
    'no',
    'whether requests from this machine count too',
    'yes or no',
    readFlag,
  ),
  connections: setting(
    'KALENDS_CONNECTIONS',
    '10000',
    'connections at once; 0 for no limit',
    'a whole number',
    whole(0, 999999999),
  ),
  connectionsPerAddress: setting(
    'KALENDS_CONNECTIONS_PER_ADDRESS',
    '256',
    'connections at once from one address; 0 for no limit',
    'a whole number',
    whole(0, 999999999),
  ),
  trustProxy: setting(
    'KALENDS_TRUST_PROXY',
    '',
    'addresses of proxies whose X-Forwarded-For is believed, comma-separated',
    'a comma-separated list of addresses or networks',
    list(/^[\w.:/]+$/),
  ),
  requestTimeout: setting(
    'KALENDS_REQUEST_TIMEOUT',
    '30',
    'seconds that a request may take to arrive',
    'a number of seconds from 1 to 3600',
    whole(1, 3600),
  ),
  stopDelay: setting(
    'KALENDS_STOP_DELAY',
    '3',
    'seconds that requests are still accepted after SIGTERM; 0 to stop at once',
    'a number of seconds from 0 to 3600',
    whole(0, 3600),
  ),
  tlsCert: setting(
    'KALENDS_TLS_CERT',
    '',
    'file of a certificate with its chain (PEM): the service speaks https itself',
    'the path of a file',
    (text) => (text === '' || existsSync(text) ? text : undefined),
  ),
  tlsKey: setting('KALENDS_TLS_KEY', '', 'file of its key (PEM)', 'the path of a file', (text) =>
    text === '' || existsSync(text) ? text : undefined,
  ),
  metricsPort: setting<number | null>(
    'KALENDS_METRICS_PORT',
    '',
    'port of its own for /metrics, for Prometheus; without it and a token, figures are not shown',
    'a port number from 0 to 65535',
    (text) => (text === '' ? null : whole(0, 65535)(text)),
  ),
  metricsToken: setting<string>(
    'KALENDS_METRICS_TOKEN',
    '',
    'token that /metrics asks for, as "Authorization: Bearer"; without a port of its own, it is shown on the main one',
    'text without spaces',
    (text) => (/\s/.test(text) ? undefined : text),
  ),
  logFormat: setting<'auto' | 'json' | 'text'>(
    'KALENDS_LOG_FORMAT',
    'auto',
    'json for machines, text for people; auto is text on a terminal',
    'auto, json or text',
    (text) => (text === 'auto' || text === 'json' || text === 'text' ? text : undefined),
  ),
  logLevel: setting(
    'KALENDS_LOG_LEVEL',
    'info',
    'least important log lines that are written',
    'one of trace, debug, info, warn, error, fatal, silent',
    (text) => (/^(trace|debug|info|warn|error|fatal|silent)$/.test(text) ? text : undefined),
  ),
} as const

export type SettingName = keyof typeof SETTINGS
export type Config = { readonly [N in SettingName]: (typeof SETTINGS)[N] extends Setting<infer T> ? T : never } & {
  /** Settings that a variable or flag decides, each with the name of that. */
  readonly given: Readonly<Partial<Record<SettingName, string>>>
}

/** Reads the configuration: flags before variables before defaults. */
export function readConfig(
  flags: Partial<Record<SettingName, string>>,
  env: Record<string, string | undefined>,
): Config {
  const given: Partial<Record<SettingName, string>> = {}
  const entries = Object.entries(SETTINGS).map(([name, { variable, fallback, must, read }]) => {
    const flag = flags[name as SettingName]
    const sent = (flag ?? env[variable] ?? '').trim()
    const text = sent || fallback
    const value = read(text)
    const source = flag === undefined ? variable : flagName(name)
    if (sent !== '') given[name as SettingName] = source
    if (value === undefined) throw new ConfigError(`${source} must be ${must}, and "${text}" is not`)
    return [name, value]
  })
  const config: Config = { ...Object.fromEntries(entries), given }
  if (config.s3Bucket !== '' && (config.s3KeyId === '' || config.s3Secret === '')) {
    throw new ConfigError('KALENDS_S3_BUCKET needs KALENDS_S3_ACCESS_KEY_ID and KALENDS_S3_SECRET_ACCESS_KEY')
  }
  if ((config.tlsCert === '') !== (config.tlsKey === ''))
    throw new ConfigError('KALENDS_TLS_CERT (--tls-cert) and KALENDS_TLS_KEY (--tls-key) need each other')
  if ((config.backupEvery === null) !== (config.backupTo === ''))
    throw new ConfigError('KALENDS_BACKUP_EVERY (--backup-every) and KALENDS_BACKUP_TO (--backup-to) need each other')
  if (config.smtpUrl !== '' && config.mailFrom === '') throw new ConfigError('KALENDS_SMTP_URL needs KALENDS_MAIL_FROM')
  if (config.workers > 1 && config.databaseUrl === '' && config.data === ':memory:') {
    throw new ConfigError('KALENDS_WORKERS needs a database that several processes can open, and memory is not')
  }
  const scheme = config.tlsCert === '' ? 'http' : 'https'
  return config.baseUrl === '' ? { ...config, baseUrl: `${scheme}://localhost:${config.port}` } : config
}

/** `baseUrl` is set by `--base-url`. */
export function flagName(setting: string): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
}

function isFile(path: string, name: RegExp): boolean {
  return name.test(path) && existsSync(path)
}

function readLanguages(text: string): string[] | undefined {
  const names = list(/^[a-z]{2}$/)(text)
  return names !== undefined && names.length > 0 && names.every((name) => LANGUAGES.includes(name)) ? names : undefined
}

function readBaseUrl(text: string): string | undefined {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
    return undefined
  return url.href.replace(/\/+$/, '')
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a time such as `24h`; null for none. */
function readDuration(text: string): number | null | undefined {
  if (text === '') return null
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  return count === '' ? undefined : Number(count) * (UNITS[unit] ?? 1)
}

function readFlag(text: string): boolean | undefined {
  if (/^(yes|true|1|on)$/i.test(text)) return true
  return /^(no|false|0|off)$/i.test(text) ? false : undefined
}
