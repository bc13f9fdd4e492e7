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
  const counts = new Map<string, BoundedCache<number, string>>()
  return {
    call: { ...call, scope: { ...scope, clock } },
    language,
    locale,
    now,
    today,
    assets: assetsOf(site),
    t,
    count(key, number) {
      const words = counts.get(key) ?? countWords(`${language} ${locale} ${key}`)
      counts.set(key, words)
      const known = words.get(number, () => 1)
      if (known !== undefined) return known
      const { rules, numbers } = countingIn(locale)
      const form = rules.select(number) === 'one' ? 'one' : 'other'
      const written = t(`${key}.${form}`, { count: numbers.format(number) })
      words.set(number, written, 1)
      return written
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

/** Numbers in words, by language, locale and text: pages count the same things again and again. */
const counted = new Map<string, BoundedCache<number, string>>()

function countWords(form: string): BoundedCache<number, string> {
  const words = counted.get(form) ?? new BoundedCache<number, string>(500)
  counted.set(form, words)
  return words
}

function countingIn(locale: string): Counting {
  const found = countings.get(locale) ?? {
    rules: new Intl.PluralRules(locale),
    numbers: new Intl.NumberFormat(locale),
  }
  countings.set(locale, found)
  return found
}
