import { DEFAULT_LANGUAGE, keysOf, LANGUAGES, text } from '../lib/texts.ts'

/** Numbers, names and lists of one language, as sentences about a recurrence need them. */
export interface RuleWords {
  /** Text of a key below `recurrence`. */
  say(key: string, fill?: Record<string, string | number>): string
  /** Text of a key for a number of days: `key.one`, `key.two`, `key.few` or `key.other`. */
  sayNth(key: string, n: number, fill?: Record<string, string | number>): string
  /** Text of a key for a number of things: `key.one` or `key.other`, the number in words. */
  sayCount(key: string, n: number): string
  /** In words up to twelve. */
  number(n: number): string
  /** `first Monday`; from the end if `nth` is negative. French and Spanish have the article. */
  nthOf(nth: number, noun: string): string
  and(items: readonly string[]): string
  or(items: readonly string[]): string
  /** From Monday, 0. */
  weekday(day: number): string
  /** From January, 1. */
  month(month: number): string
}

const made = new Map<string, RuleWords>()

export function ruleWords(language: string): RuleWords {
  const known = LANGUAGES.includes(language) ? language : DEFAULT_LANGUAGE
  const found = made.get(known) ?? makeWords(known)
  made.set(known, found)
  return found
}

function makeWords(language: string): RuleWords {
  // British English has no comma before the last item of a list.
  const locale = language === 'en' ? 'en-GB' : language
  const keys = new Set(keysOf(language))
  const has = (key: string) => keys.has(`recurrence.${key}`)
  const say: RuleWords['say'] = (key, fill) => text(language, `recurrence.${key}`, fill)
  const ordinals = new Intl.PluralRules(locale, { type: 'ordinal' })
  const sayNth: RuleWords['sayNth'] = (key, n, fill) => {
    const category = ordinals.select(n)
    return say(has(`${key}.${category}`) ? `${key}.${category}` : `${key}.other`, { n, ...fill })
  }
  const digits = new Intl.NumberFormat(locale)
  const number = (n: number) => (has(`numbers.${n}`) ? say(`numbers.${n}`) : digits.format(n))
  const names = (options: Intl.DateTimeFormatOptions, dates: readonly Date[]) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    return dates.map((date) => format.format(date))
  }
  const some = (length: number) => Array.from({ length }, (_, at) => at)
  // 1 January 2029 is a Monday.
  const weekdays = names(
    { weekday: 'long' },
    some(7).map((day) => new Date(Date.UTC(2029, 0, 1 + day))),
  )
  const months = names(
    { month: 'long' },
    some(12).map((month) => new Date(Date.UTC(2029, month, 1))),
  )
  const conjunction = new Intl.ListFormat(locale, { type: 'conjunction' })
  const disjunction = new Intl.ListFormat(locale, { type: 'disjunction' })
  return {
    say,
    sayNth,
    sayCount: (key, n) => say(`${key}.${n === 1 ? 'one' : 'other'}`, { n: number(n) }),
    number,
    nthOf(nth, noun) {
      if (nth < 0 && !has(`last.${-nth}`)) return sayNth('from_end', -nth, { noun })
      const word = nth < 0 ? say(`last.${-nth}`) : has(`ordinals.${nth}`) ? say(`ordinals.${nth}`) : sayNth('nth', nth)
      return say('nth_noun', { nth: word, noun })
    },
    and: (items) => conjunction.format(items),
    or: (items) => disjunction.format(items),
    weekday: (day) => weekdays[day] ?? '',
    month: (month) => months[month - 1] ?? '',
  }
}
