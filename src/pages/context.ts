import { toWallClock } from '../calendar/zone.ts'
import { type Call, NAMESPACE } from '../http/endpoint.ts'
import { text } from '../lib/texts.ts'
import { type Assets, assetsOf, basePath } from './assets.ts'

/** How much of its text describes a page to machines, in characters. */
export const LONGEST_ABOUT = 300

/** As much of a request as a page depends on. */
export type Reader = Pick<Call, 'scope' | 'addresses' | 'language' | 'slug' | 'search' | 'sent'>

/** What every part of a page needs to know: who reads it, in which words, and on which day. */
export interface Context {
  readonly call: Reader
  readonly language: string
  /** The language and the customs of the place, such as `en-GB`. */
  readonly locale: string
  /** Unix seconds. */
  readonly now: number
  /** By the site's clock, `YYYY-MM-DD`. */
  readonly today: string
  readonly assets: Assets
  /** A text of the pages, with `{name}` filled in. */
  t(key: string, fill?: Record<string, string | number>): string
  /** A text that depends on a number, by the language's own plurals; `{count}` is filled in. */
  count(key: string, number: number): string
  /** The address of a path of ours, in the language that the address of this page chose. */
  link(path: string): string
  /** The same with scheme and host. */
  absolute(path: string): string
}

export function contextOf(call: Reader): Context {
  const { language, scope, addresses } = call
  const { site } = scope
  // What a page says holds for the day, so that it is kept until midnight; one that may change before says so itself.
  const clock = () => scope.clock('day')
  const now = clock()
  const today = toWallClock(now, site.timezone).slice(0, 10)
  // An address that chose the language goes on choosing it.
  const prefix = addresses.rest.slice(addresses.home.length, -(NAMESPACE.length + 1))
  const locale = localeOf(language, site.timezone)
  const base = basePath(addresses.home)
  const t: Context['t'] = (key, fill) => text(language, `pages.${key}`, fill)
  return {
    call: { ...call, scope: { ...scope, clock } },
    language,
    locale,
    now,
    today,
    assets: assetsOf(site),
    t,
    count(key, number) {
      const form = pluralRules(locale).select(number) === 'one' ? 'one' : 'other'
      return t(`${key}.${form}`, { count: new Intl.NumberFormat(locale).format(number) })
    },
    link: (path) => `${base}${prefix}${path}`,
    absolute: (path) => `${addresses.home}${prefix}${path}`,
  }
}

/** English is written as in America only on calendars that are kept there: clocks, dates and weeks differ. */
function localeOf(language: string, zone: string): string {
  if (language !== 'en') return language
  return /^(America|US)\/|^Pacific\/Honolulu$/.test(zone) ? 'en-US' : 'en-GB'
}

/** The date, days later or earlier; beyond the years that there are, the last one of them. */
export function addDays(day: string, days: number): string {
  // By `Date`, which is faster than Temporal by far: a month does this some thousand times.
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  if (date.getUTCFullYear() > 9999) return '9999-12-31'
  return date.getUTCFullYear() < 1 ? '0001-01-01' : date.toISOString().slice(0, 10)
}

const rules = new Map<string, Intl.PluralRules>()

function pluralRules(locale: string): Intl.PluralRules {
  const found = rules.get(locale) ?? new Intl.PluralRules(locale)
  rules.set(locale, found)
  return found
}
