import { toWallClock } from '../calendar/zone.ts'
import type { Call } from '../http/endpoint.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { textsBelow } from '../lib/texts.ts'
import { type Assets, assetsOf, basePath } from './assets.ts'
import { localeOf } from './locale.ts'

/** Length of a page's meta description, in characters. */
export const MAX_ABOUT = 300

/** The part of a request that a page depends on. */
export type Reader = Pick<
  Call,
  'scope' | 'session' | 'addresses' | 'language' | 'path' | 'slug' | 'search' | 'sent' | 'version'
>

/** Context of a page: reader, language and day. */
export interface Context {
  readonly call: Reader
  readonly language: string
  /** Locale, such as `en-GB`, with the clock and week of the site. */
  readonly locale: string
  /** Unix seconds. */
  readonly now: number
  /** In the site's time zone, `YYYY-MM-DD`. */
  readonly today: string
  readonly assets: Assets
  /** Translated text, with `{name}` filled in. */
  t(key: string, fill?: Record<string, string | number>): string
  /** Translated text in the plural form for a number; `{count}` is filled in. */
  count(key: string, number: number): string
  /** Address of a path, in the language of this page's address. */
  link(path: string): string
  /** The same as an absolute address. */
  absolute(path: string): string
}

export function contextOf(call: Reader): Context {
  const { language, scope, addresses } = call
  const { site } = scope
  // A page is cached until midnight. A page that may change earlier sets its own time.
  const clock = () => scope.clock('day')
  const now = clock()
  const today = toWallClock(now, site.timezone).slice(0, 10)
  const locale = localeOf(language, site)
  const base = basePath(addresses.pages)
  const t: Context['t'] = textsBelow('pages', language)
  return {
    call: { ...call, scope: { ...scope, clock } },
    language,
    locale,
    now,
    today,
    assets: assetsOf(site),
    t,
    count(key, number) {
      const { form, count } = countedIn(locale, number)
      return t(`${key}.${form}`, { count })
    },
    link: (path) => `${base}${path}`,
    absolute: (path) => `${addresses.pages}${path}`,
  }
}

/** How a locale counts. To make these takes longer than to use them a hundred times. */
interface Counting {
  readonly rules: Intl.PluralRules
  readonly numbers: Intl.NumberFormat
}

const countings = new Map<string, Counting>()

/** A number in words: its plural form, and how it is written. */
interface Counted {
  readonly form: 'one' | 'other'
  readonly count: string
}

const counted = new BoundedCache<string, Counted>(2000)

function countedIn(locale: string, number: number): Counted {
  const key = `${locale} ${number}`
  const known = counted.get(key, () => 1)
  if (known !== undefined) return known
  const { rules, numbers } = countingIn(locale)
  const made: Counted = { form: rules.select(number) === 'one' ? 'one' : 'other', count: numbers.format(number) }
  counted.set(key, made, 1)
  return made
}

function countingIn(locale: string): Counting {
  const found = countings.get(locale) ?? {
    rules: new Intl.PluralRules(locale),
    numbers: new Intl.NumberFormat(locale),
  }
  countings.set(locale, found)
  return found
}
