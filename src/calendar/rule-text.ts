import { civilDate, DAY, type WallSeconds, weekday } from './civil.ts'
import type { Rule } from './recurrence-rule.ts'
import { inOrder, partsText, timesOf } from './rule-parts.ts'
import { type RuleWords, ruleWords } from './rule-words.ts'

/** What a sentence about a recurrence is made of. */
export interface RecurrenceToSay {
  /** Null if there are dates alone. */
  readonly rule: Rule | null
  /** The first occurrence: a rule takes from it what it does not say. */
  readonly start: WallSeconds
  /** Number of further dates, which no rule gives. */
  readonly dates: number
}

/** Lists of dates that are longer are said in a technical way. */
const MAX_DATES = 12

/**
 * A recurrence in words: `Every Tuesday, ten times`. Rules that people use have a sentence of their own; every other rule
 * is described by its parts, so that no sentence says less than the rule.
 */
export function ruleText({ rule, start, dates }: RecurrenceToSay, language: string): string {
  const words = ruleWords(language)
  if (rule === null) return words.sayCount('only_dates', dates + 1)
  const sentence = plainSentence(words, rule, start) ?? partsText(words, rule, start, everyText(words, rule))
  const also = dates > 0 ? words.sayCount('also', dates) : ''
  return capitalised(`${sentence}${untilText(words, rule, start)}${countText(words, rule)}${also}`)
}

function capitalised(words: string): string {
  return words.charAt(0).toLocaleUpperCase() + words.slice(1)
}

/** `Every two weeks`. */
function everyText(words: RuleWords, { frequency, interval }: Rule): string {
  const name = frequency.toLowerCase()
  return interval === 1 ? words.say(`every.${name}`) : words.say(`each.${name}`, { n: words.number(interval) })
}

function countText(words: RuleWords, { count }: Rule): string {
  if (count === null) return ''
  return count <= 12 ? words.say(`times.${count}`) : words.say('times.other', { n: words.number(count) })
}

/** The last day that can have an occurrence. */
function untilText(words: RuleWords, rule: Rule, start: WallSeconds): string {
  if (rule.until === null) return ''
  const day = Math.floor(rule.until / DAY)
  const [first = 0] = timesOf(rule, start)
  const { year, month, day: n } = civilDate(rule.until - day * DAY < first ? day - 1 : day)
  return words.sayNth('until', n, { month: words.month(month), year })
}

/** The sentence of a rule that people use; null for any other. */
function plainSentence(words: RuleWords, rule: Rule, start: WallSeconds): string | null {
  const times = timesOf(rule, start)
  if (times.length > MAX_DATES || (times.length > 1 && rule.byPosition.length > 0)) return null
  const makers = { DAILY: daily, WEEKLY: weekly, MONTHLY: monthly, YEARLY: yearly } as const
  const make = makers[rule.frequency as keyof typeof makers]
  const sentence = make?.(words, rule, start) ?? null
  return sentence === null ? null : `${sentence}${weekStartText(words, rule)}${timesText(words, rule, times)}`
}

/** Times of the day, where they are not those of the start. */
function timesText(words: RuleWords, { byHour, byMinute, bySecond }: Rule, times: readonly number[]): string {
  if (byHour.length + byMinute.length + bySecond.length === 0) return ''
  const pad = (n: number) => String(n).padStart(2, '0')
  const clock = (at: number) => `${pad(Math.floor(at / 3600))}:${pad(Math.floor(at / 60) % 60)}`
  const exact = (at: number) => (at % 60 === 0 ? clock(at) : `${clock(at)}:${pad(at % 60)}`)
  return words.say('limit.times', { times: words.and(times.map(exact)) })
}

/** Said where it changes which days are meant. */
function weekStartText(words: RuleWords, { frequency, interval, byDay, byWeek, weekStart }: Rule): string {
  const matters = byWeek.length > 0 || (frequency === 'WEEKLY' && interval > 1 && byDay.length > 1)
  return matters && weekStart !== 0 ? words.say('limit.week_start', { day: words.weekday(weekStart) }) : ''
}

function monthsText(words: RuleWords, { byMonth, interval }: Rule): string {
  if (byMonth.length === 0 || byMonth.length === 12) return ''
  const months = words.and(byMonth.map(words.month))
  return words.say(interval === 1 ? 'limit.months' : 'limit.only_months', { months })
}

/** Days of the week in order, if none is numbered and at least one is named. */
function plainDays({ byDay }: Rule): readonly number[] | null {
  if (byDay.length === 0 || byDay.some(({ nth }) => nth !== 0)) return null
  return byDay.map(({ day }) => day).sort((one, other) => one - other)
}

function lacks(rule: Rule, ...parts: ('byWeek' | 'byYearDay' | 'byMonthDay' | 'byDay' | 'byPosition')[]): boolean {
  return parts.every((part) => rule[part].length === 0)
}

const isMondayToFriday = (days: readonly number[]) => days.join() === '0,1,2,3,4'

/** `Every Monday and Thursday`: the same whatever the period is, if none is left out. */
function weekdaysText(words: RuleWords, rule: Rule, days: readonly number[]): string {
  const sentence =
    days.length === 7
      ? words.say('every.daily')
      : isMondayToFriday(days)
        ? words.say('working_days')
        : words.say('weekdays', { days: words.and(days.map(words.weekday)) })
  return `${sentence}${monthsText(words, rule)}`
}

function daily(words: RuleWords, rule: Rule, start: WallSeconds): string | null {
  if (!lacks(rule, 'byWeek', 'byYearDay', 'byPosition')) return null
  const days = plainDays(rule)
  if (days === null && !lacks(rule, 'byDay')) return null
  if (!lacks(rule, 'byMonthDay'))
    return rule.interval === 1 ? `${monthDaysText(words, rule, start)}${onlyWeekdays(words, rule)}` : null
  if (days !== null && rule.interval === 1) return weekdaysText(words, rule, days)
  return `${everyText(words, rule)}${monthsText(words, rule)}${onlyWeekdays(words, rule)}`
}

function weekly(words: RuleWords, rule: Rule, start: WallSeconds): string | null {
  if (!lacks(rule, 'byWeek', 'byYearDay', 'byMonthDay', 'byPosition')) return null
  const days = lacks(rule, 'byDay') ? [weekday(Math.floor(start / DAY))] : plainDays(rule)
  if (days === null) return null
  if (rule.interval === 1) return weekdaysText(words, rule, days)
  const every = everyText(words, rule)
  const sentence = isMondayToFriday(days)
    ? words.say('from_monday', { every })
    : words.say('weeks', {
        every,
        days: words.and(days.map((day) => words.say('weekday', { day: words.weekday(day) }))),
      })
  return `${sentence}${monthsText(words, rule)}`
}

function monthly(words: RuleWords, rule: Rule, start: WallSeconds): string | null {
  if (!lacks(rule, 'byWeek', 'byYearDay')) return null
  const days = numberedDays(words, rule)
  if (days !== null) {
    const sentence =
      rule.interval === 1 && rule.byDay.length < 7
        ? words.say('nth_of_month', { days })
        : words.say('days', { every: everyText(words, rule), days })
    return `${sentence}${monthsText(words, rule)}`
  }
  if (!lacks(rule, 'byPosition')) return null
  const plain = plainDays(rule)
  if (plain !== null && lacks(rule, 'byMonthDay')) return rule.interval === 1 ? weekdaysText(words, rule, plain) : null
  if (plain === null && !lacks(rule, 'byDay')) return null
  return `${monthDaysText(words, rule, start)}${onlyWeekdays(words, rule)}`
}

/** The days of the week that limit other days. */
function onlyWeekdays(words: RuleWords, rule: Rule): string {
  const days = plainDays(rule)
  return days === null ? '' : words.say('limit.weekdays', { days: words.or(days.map(words.weekday)) })
}

/** `Every month on the 5th and last day`. */
function monthDaysText(words: RuleWords, rule: Rule, start: WallSeconds): string {
  const named = lacks(rule, 'byMonthDay') ? [civilDate(Math.floor(start / DAY)).day] : rule.byMonthDay
  const days = words.and(daysOfMonth(words, named))
  const every = rule.frequency === 'MONTHLY' ? everyText(words, rule) : words.say('every.monthly')
  return `${words.say('days', { every, days })}${monthsText(words, rule)}`
}

/** `15th`, `last day`. */
function daysOfMonth(words: RuleWords, days: readonly number[]): string[] {
  const noun = words.say('noun.day')
  // `15th and 4th day from the end` would leave open where the 15th is.
  const isClear = days.every((day) => words.nthOf(day, noun).endsWith(` ${noun}`))
  return inOrder(days).map((day) => (day > 0 && isClear ? words.sayNth('day', day) : words.nthOf(day, noun)))
}

/** `second Friday`, `last working day`: numbered days of the week, and nothing else that limits days; null for others. */
function numberedDays(words: RuleWords, rule: Rule): string | null {
  const { byDay, byPosition } = rule
  if (byDay.length === 0 || !lacks(rule, 'byMonthDay', 'byYearDay', 'byWeek')) return null
  const days = plainDays(rule)
  if (days !== null && byPosition.length > 0) {
    const noun = nounOf(words, days)
    // `The second Monday or Tuesday` could be either of two.
    if (noun === null && byPosition.some((place) => Math.abs(place) !== 1)) return null
    return words.and(nthsText(words, byPosition, noun ?? words.or(days.map(words.weekday))))
  }
  if (byPosition.length > 0 || byDay.some(({ nth }) => nth === 0)) return null
  const ordered = [...byDay].sort((one, other) => order(one.nth) - order(other.nth) || one.day - other.day)
  if (ordered.every(({ day }) => day === ordered[0]?.day))
    return words.and(
      nthsText(
        words,
        ordered.map(({ nth }) => nth),
        words.weekday(ordered[0]?.day ?? 0),
      ),
    )
  return words.and(ordered.map(({ nth, day }) => words.nthOf(nth, words.weekday(day))))
}

const order = (nth: number) => (nth > 0 ? nth : nth + 1000)

/** `first`, `third`, `last Friday`: the noun stands once, behind the last, unless one has more words behind the noun. */
function nthsText(words: RuleWords, nths: readonly number[], noun: string): string[] {
  const ordered = inOrder(nths)
  const whole = ordered.map((nth) => words.nthOf(nth, noun))
  if (!whole.every((item) => item.endsWith(` ${noun}`))) return whole
  return whole.map((item, at) => (at < whole.length - 1 ? item.slice(0, -noun.length - 1) : item))
}

/** One word for some days of the week; null if there is none. */
function nounOf(words: RuleWords, days: readonly number[]): string | null {
  if (days.length === 1) return words.weekday(days[0] ?? 0)
  if (days.length === 7) return words.say('noun.day')
  if (isMondayToFriday(days)) return words.say('noun.working_day')
  return days.join() === '5,6' ? words.say('noun.weekend_day') : null
}

function yearly(words: RuleWords, rule: Rule, start: WallSeconds): string | null {
  const every = everyText(words, rule)
  if (rule.byWeek.length > 0) return weeksOfYear(words, rule, every, start)
  const numbered = numberedDays(words, rule)
  if (numbered !== null) return numberedOfYear(words, rule, every, numbered)
  if (!lacks(rule, 'byPosition')) return null
  if (rule.byYearDay.length > 0) {
    if (!lacks(rule, 'byDay', 'byMonthDay') || rule.byMonth.length > 0 || rule.byYearDay.length > MAX_DATES) return null
    return words.say('of_year', { every, days: words.and(nthsText(words, rule.byYearDay, words.say('noun.day'))) })
  }
  const plain = plainDays(rule)
  if (plain !== null && lacks(rule, 'byMonthDay')) return rule.interval === 1 ? weekdaysText(words, rule, plain) : null
  if (plain === null && !lacks(rule, 'byDay')) return null
  const dates = datesOfYear(words, rule, every, start)
  return dates === null ? null : `${dates}${onlyWeekdays(words, rule)}`
}

function weeksOfYear(words: RuleWords, rule: Rule, every: string, start: WallSeconds): string | null {
  const { byWeek, byMonth } = rule
  const days = lacks(rule, 'byDay') ? [weekday(Math.floor(start / DAY))] : plainDays(rule)
  if (days === null || byMonth.length > 0 || !lacks(rule, 'byYearDay', 'byMonthDay', 'byPosition')) return null
  if (byWeek.some((week) => week < 0) || byWeek.length > MAX_DATES) return null
  return words.say(`week.${byWeek.length === 1 ? 'one' : 'other'}`, {
    every,
    weeks: words.and(byWeek.map(String)),
    days: words.and(days.map((day) => words.say('weekday', { day: words.weekday(day) }))),
  })
}

/** Numbered days count within each month that is named, and within the year if none is. BYSETPOS counts within the year. */
function numberedOfYear(words: RuleWords, rule: Rule, every: string, days: string): string | null {
  const { byMonth } = rule
  if (byMonth.length === 0) return words.say('of_year', { every, days })
  if (byMonth.length === 1) return words.say('in_month', { every, days, month: words.say(`of_month.${byMonth[0]}`) })
  if (!lacks(rule, 'byPosition')) return null
  return words.say('in_months', { every, days, months: words.and(byMonth.map(words.month)) })
}

/** `Every year on 6 January`. */
function datesOfYear(words: RuleWords, rule: Rule, every: string, start: WallSeconds): string | null {
  const first = civilDate(Math.floor(start / DAY))
  if (rule.byMonth.length === 0 && rule.byMonthDay.length > 0)
    return rule.interval === 1 ? monthDaysText(words, rule, start) : null
  const months = rule.byMonth.length === 0 ? [first.month] : rule.byMonth
  const days = rule.byMonthDay.length === 0 ? [first.day] : inOrder(rule.byMonthDay)
  if (days.every((day) => day > 0)) {
    const dates = months.flatMap((month) => days.map((day) => words.sayNth('date', day, { month: words.month(month) })))
    return dates.length > MAX_DATES ? null : words.say('dates', { every, days: words.and(dates) })
  }
  if (months.length > 1) return null
  const month = words.say(`of_month.${months[0]}`)
  return words.say('in_month', { every, days: words.and(daysOfMonth(words, days)), month })
}
