import { DAY_NAME, MONTH_NAME, ORDINAL, RELATION, ROMAN_MONTH, UNIT } from './date-words.ts'

/**
 * The formats of PHP's strtotime, which its manual lists, as patterns with named groups. At each place of a text the
 * longest match counts, and of equally long ones the first: `1.11.26` is a time of day, `1.11.2026` and `30.11.26` are dates.
 */

const month = '(?<month>1[0-2]|0?\\d)'
const month2 = '(?<month>1[0-2]|0\\d)'
const monthName = `(?<monthName>${MONTH_NAME}|(?-i:${ROMAN_MONTH}))(?![a-z])`
const monthShort = '(?<monthName>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)'
const suffix = '(?:st|nd|rd|th)'
const day = `(?<day>3[01]|[0-2]?\\d)${suffix}?`
const day2 = '(?<day>3[01]|[0-2]\\d)'
const year4 = '(?<year>\\d{4})'
/** A year of any length, and not the hour of a time: `10 June 22:00` has no year. */
const year = '(?<year>\\d{1,4})(?!\\d|[:.]\\d| ?[ap]\\.?m(?![a-z]))'
const between = '[ .-]*'

/** There is no 24:00 and no leap second: that day, or minute, is over. So `24.12.26` is a date. */
const hour = '(?<hour>2[0-3]|[01]?\\d)'
const hour2 = '(?<hour>2[0-3]|[01]\\d)'
const minute = '(?<minute>[0-5]?\\d)'
const minute2 = '(?<minute>[0-5]\\d)'
const second = '(?<second>[0-5]?\\d)'
const second2 = '(?<second>[0-5]\\d)'
const half = ' ?(?<half>[ap])\\.? ?m\\.?(?=[ ,]|$)'
const clock = `${hour2}:${minute2}:${second2}`

const DATES = [
  `${month}/${day}(?:/(?<year>\\d{1,4}))?`,
  `${year4}/${month}/${day}`,
  `(?<year>[+-]?\\d{4,19})-${month2}-${day2}`,
  `(?<year>\\d{1,4})-${month}-${day}`,
  `${year4}-${month}`,
  `${day}${between}${monthName}${between}${year}`,
  `${day}[.-]${month}[.-]${year4}`,
  `${day}\\.${month}\\.(?<year>\\d\\d)`,
  `${monthName}${between}${year4}(?!\\d|:)`,
  `${year4}${between}${monthName}`,
  `${monthName}${between}(?<day>3[01]|[0-2]?\\d)(?:${suffix}[,. ]*|[,. ]+)${year}`,
  `${monthName}${between}${day}(?=[,. ]|$)`,
  `${day}${between}${monthName}`,
  `${year4}${month2}${day2}`,
  `${year4}[.-]?(?<dayOfYear>\\d{3})`,
  `${year4}-?W(?<week>\\d\\d)(?:-?(?<dayOfWeek>[0-7]))?`,
  `${monthShort}-${day2}-(?<year>\\d{1,4})`,
  `(?<year>\\d{1,4})-${monthShort}-${day2}`,
  `(?<monthName>${MONTH_NAME})(?![a-z])`,
]

const TIMES = [
  `t?(?<hour>1[0-2]|0?[1-9])(?:[:.]${minute2})?${half}`,
  `t?(?<hour>1[0-2]|0?[1-9])[:.]${minute}[:.]${second2}(?:[:.]\\d+)?${half}`,
  `t?${hour}[:.]${minute}(?:[:.]${second}(?:[.,]\\d+)?)?`,
  `t${hour}`,
  `t?${hour2}${minute2}${second2}`,
]

const BOTH = [`${day}/${monthShort}/${year4}:${clock}`, `${year4}:${month2}:${day2} ${clock}`]

const ZONE = [
  '(?-i:[A-Z][a-z]+(?:[_/-][A-Za-z]+)+(?:[+-]\\d+)?)',
  '(?:GMT|UTC)?[+-](?:2[0-3]|[01]\\d)(?::[0-5]\\d:[0-5]\\d|[0-5]\\d[0-5]\\d)',
  '(?:GMT|UTC)?[+-](?:2[0-3]|[01]?\\d)(?::?[0-5]?\\d)?',
  '\\(?[a-z]{1,6}\\)?',
].join('|')

export type Kind =
  | 'date'
  | 'time'
  | 'fourDigits'
  | 'word'
  | 'edgeOfMonth'
  | 'quarter'
  | 'weekdayOf'
  | 'counted'
  | 'named'
  | 'weekday'
  | 'zone'
  | 'timestamp'
  | 'nothing'

const PATTERNS: readonly (readonly [Kind, string])[] = [
  ['word', '(?<word>yesterday|now|noon|midnight|today|tomorrow|ago)(?![a-z])'],
  ['timestamp', '@(?<seconds>-?\\d+)(?:\\.\\d{0,6})?'],
  ['edgeOfMonth', '(?<edge>first|last) day of(?![a-z])'],
  ['quarter', `(?<side>front|back) of ${hour}(?:${half})?`],
  ['weekdayOf', `(?<amount>${ORDINAL}|${RELATION}) (?<unit>${DAY_NAME}) of(?![a-z])`],
  ...TIMES.map((pattern) => ['time', pattern] as const),
  ['fourDigits', `t?${hour2}${minute2}`],
  ...DATES.map((pattern) => ['date', pattern] as const),
  ...BOTH.map((pattern) => ['date', pattern] as const),
  ['fourDigits', year4],
  ['weekday', `(?<unit>${DAY_NAME})`],
  ['named', `(?<amount>${RELATION}) (?<unit>${UNIT})`],
  ['named', `(?<amount>${ORDINAL}) (?!week(?![a-z]))(?<unit>${UNIT})`],
  ['counted', `(?<sign>[+-]*) ?(?<amount>\\d+) ?(?<unit>${UNIT})`],
  ['nothing', '[ .,]|at(?![a-z])'],
  ['zone', `(?<zone>${ZONE})`],
]

const RULES = PATTERNS.map(([kind, pattern]) => ({ kind, pattern: new RegExp(pattern, 'iy') }))

export interface Token {
  readonly kind: Kind
  readonly text: string
  readonly parts: Readonly<Record<string, string | undefined>>
}

/** The longest token at a place of a text; null where none begins. */
export function tokenAt(text: string, place: number): Token | null {
  let longest: Token | null = null
  for (const { kind, pattern } of RULES) {
    pattern.lastIndex = place
    const match = pattern.exec(text)
    if (match !== null && match[0].length > (longest?.text.length ?? 0))
      longest = { kind, text: match[0], parts: match.groups ?? {} }
  }
  return longest
}
