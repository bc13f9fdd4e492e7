/** The English words of written dates, in lower case. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')

/** The number of a month, from 1, of its name or its Roman numeral. */
export function monthNumber(name: string): number {
  return 1 + (ROMAN.includes(name) ? ROMAN.indexOf(name) : MONTHS.indexOf(name.slice(0, 3)))
}

/** The number of a day of the week, Sunday being 0, of its name. */
export function weekdayNumber(name: string): number {
  return DAYS.indexOf(name.slice(0, 3))
}

/** How many a word counts: `third` 3, `next` 1, `last` -1, `this` 0. */
export function amountOf(word: string): number {
  if (word === 'this') return 0
  if (word === 'last' || word === 'previous') return -1
  return word === 'next' ? 1 : ORDINALS.findIndex((ordinal) => ordinal.startsWith(word)) + 1
}

/** A unit of time: `seconds` pass whatever the clock shows; days, months and years are counted in the calendar. */
export type Unit = { readonly [part in 'seconds' | 'days' | 'months' | 'years']?: number }

const UNITS: Readonly<Record<string, Unit>> = {
  sec: { seconds: 1 },
  second: { seconds: 1 },
  min: { seconds: 60 },
  minute: { seconds: 60 },
  hour: { seconds: 3600 },
  day: { days: 1 },
  week: { days: 7 },
  fortnight: { days: 14 },
  forthnight: { days: 14 },
  month: { months: 1 },
  year: { years: 1 },
}

/** The unit of a word in the singular or the plural. */
export function unitOf(word: string): Unit | undefined {
  return UNITS[word] ?? UNITS[word.replace(/s$/, '')]
}

/** The same words as parts of patterns. */
export const MONTH_NAME =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
export const ROMAN_MONTH = 'VIII|VII|VI|V|IV|IX|III|II|I|XII|XI|X'
export const DAY_NAME = '(?:sun|mon|tue|wed|thu|fri|sat)(?![a-z])|(?:sun|mon|tues|wednes|thurs|fri|satur)days?(?![a-z])'
export const ORDINAL = [...ORDINALS, 'eight'].join('|')
export const RELATION = 'next|last|previous|this'
export const UNIT = `(?:${Object.keys(UNITS).reverse().join('|')}|weekday)s?(?![a-z])|${DAY_NAME}`
