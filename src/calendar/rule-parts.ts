import { civilDate, DAY, type WallSeconds, weekday } from './civil.ts'
import type { Rule } from './recurrence-rule.ts'
import type { RuleWords } from './rule-words.ts'

/** Seconds of a day at which occurrences begin, in order. */
export function timesOf({ byHour, byMinute, bySecond }: Rule, start: WallSeconds): number[] {
  const time = start - Math.floor(start / DAY) * DAY
  const hours = byHour.length > 0 ? byHour : [Math.floor(time / 3600)]
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(time / 60) % 60]
  const seconds = bySecond.length > 0 ? bySecond : [time % 60]
  return hours.flatMap((hour) => minutes.flatMap((minute) => seconds.map((one) => hour * 3600 + minute * 60 + one)))
}

/** Numbers that count from the end come last, the last of all at the end. */
export function inOrder(numbers: readonly number[]): number[] {
  return [...numbers.filter((n) => n > 0), ...numbers.filter((n) => n < 0)]
}

/** Any rule by its parts: `Every year on each day with: month November; weekday Tuesday; day of the month 2, 3 or 4`. */
export function partsText(words: RuleWords, rule: Rule, start: WallSeconds, every: string): string {
  const { frequency, byDay, byHour, byMinute, bySecond, byPosition, weekStart, byWeek, interval } = rule
  const ended = (n: number) => (n > 0 ? String(n) : words.say('parts.from_end', { n: -n }))
  const numbers = (all: readonly number[]) => inOrder(all).map(ended)
  const part = (name: string, items: readonly string[]) =>
    items.length === 0 ? [] : [words.say(`parts.${name}`, { values: words.or(items) })]
  const { byMonth, byMonthDay, days } = withStart(rule, start)
  const parts = [
    ...part('month', byMonth.map(words.month)),
    ...part('week', numbers(byWeek)),
    ...part('year_day', numbers(rule.byYearDay)),
    ...part('month_day', numbers(byMonthDay)),
    ...part(
      'weekday',
      days.map((one) => weekdayText(words, rule, one, ended)),
    ),
    ...part('hour', byHour.map(String)),
    ...part('minute', byMinute.map(String)),
    ...part('second', bySecond.map(String)),
    ...part(`position_${frequency.toLowerCase()}`, numbers(byPosition)),
  ]
  const matters = weekStart !== 0 && (byWeek.length > 0 || (frequency === 'WEEKLY' && interval + byDay.length > 2))
  const weeks = matters ? words.say('limit.week_start', { day: words.weekday(weekStart) }) : ''
  if (parts.length === 0) return `${every}${weeks}`
  const key = frequency === 'DAILY' && interval === 1 ? 'parts.every_day' : 'parts.all'
  return `${words.say(key, { every, parts: parts.join(words.say('parts.between')) })}${weeks}`
}

/** A numbered weekday counts within the month, or within the year if that is the period. */
function weekdayText(
  words: RuleWords,
  { frequency, byMonth }: Rule,
  { nth, day }: Rule['byDay'][number],
  ended: (n: number) => string,
): string {
  if (nth === 0) return words.weekday(day)
  const inYear = frequency === 'YEARLY' && byMonth.length === 0
  return words.say(`parts.nth_in_${inYear ? 'year' : 'month'}`, { day: words.weekday(day), n: ended(nth) })
}

/** The parts of a rule that limit days, with those that it takes from its start. */
function withStart(rule: Rule, start: WallSeconds): Pick<Rule, 'byMonth' | 'byMonthDay'> & { days: Rule['byDay'] } {
  const { frequency, byMonth, byMonthDay, byDay, byWeek, byYearDay } = rule
  const first = Math.floor(start / DAY)
  const { month, day } = civilDate(first)
  const saysDay = byMonthDay.length + byDay.length + byYearDay.length > 0
  const own = [{ nth: 0, day: weekday(first) }]
  if (frequency === 'WEEKLY' && !saysDay && byWeek.length === 0) return { byMonth, byMonthDay, days: own }
  if (frequency === 'YEARLY' && !saysDay && byWeek.length > 0) return { byMonth, byMonthDay, days: own }
  if (saysDay || byWeek.length > 0 || (frequency !== 'MONTHLY' && frequency !== 'YEARLY'))
    return { byMonth, byMonthDay, days: byDay }
  return { byMonth: frequency === 'YEARLY' && byMonth.length === 0 ? [month] : byMonth, byMonthDay: [day], days: byDay }
}
