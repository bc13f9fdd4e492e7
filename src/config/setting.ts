import { existsSync } from 'node:fs'

/** How a setting is parsed from a variable or flag. */
export interface Setting<T> {
  /** Environment variable. */
  readonly variable: `KALENDS_${string}`
  readonly fallback: string
  readonly help: string
  /** Returns undefined for an invalid text. */
  read(text: string): T | undefined
  /** Description of valid values, for the sentence "… must be …". */
  readonly must: string
}

export function setting<T>(
  variable: Setting<T>['variable'],
  fallback: string,
  help: string,
  must: string,
  read: Setting<T>['read'],
): Setting<T> {
  return { variable, fallback, help, must, read }
}

export const whole = (least: number, most: number) => (text: string) =>
  /^\d{1,9}$/.test(text) && +text >= least && +text <= most ? +text : undefined
export const list = (item: RegExp) => (text: string) => {
  const items = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return items.every((part) => item.test(part)) ? items : undefined
}

export function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
}

export function isFile(path: string, name: RegExp): boolean {
  return name.test(path) && existsSync(path)
}

export function readBaseUrl(text: string): string | undefined {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '')
    return undefined
  return url.href.replace(/\/+$/, '')
}

export function readFlag(text: string): boolean | undefined {
  if (/^(yes|true|1|on)$/i.test(text)) return true
  return /^(no|false|0|off)$/i.test(text) ? false : undefined
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a time such as `24h`; null for none. */
export function readDuration(text: string): number | null | undefined {
  if (text === '') return null
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  return count === '' ? undefined : Number(count) * (UNITS[unit] ?? 1)
}
