import { CALENDAR_SETTINGS } from './config/calendar.ts'
import { PROCESS_SETTINGS } from './config/process.ts'
import { SERVICE_SETTINGS } from './config/service.ts'
import type { Setting } from './config/setting.ts'

/** Invalid setting. The message names it and says which values are valid. */
export class ConfigError extends Error {}

/** All settings. Those that are also flags of `serve` have the name of the flag, in camel case. */
export const SETTINGS = { ...PROCESS_SETTINGS, ...CALENDAR_SETTINGS, ...SERVICE_SETTINGS } as const

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
