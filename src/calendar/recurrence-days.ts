import { civilDate, dayNumber, daysInMonth, daysInYear, weekday } from './civil.ts'
import type { Rule } from './recurrence-rule.ts'

/** Whether a day is one of a rule, and the months of all that are: what the rule does not say of the day is as the first one has it. */
export function dayFilter(rule: Rule, first: { month: number; day: number } | null, firstWeekday: number) {
  const { frequency } = rule
  const saysDay = [rule.byWeek, rule.byYearDay, rule.byMonthDay, rule.byDay].some((part) => part.length > 0)
  const byDate = first !== null && !saysDay && (frequency === 'YEARLY' || frequency === 'MONTHLY')
  const months = byDate && frequency === 'YEARLY' && rule.byMonth.length === 0 ? [first.month] : rule.byMonth
  const monthDays = byDate ? [first.day] : rule.byMonthDay
  const onlyWeeks = rule.byWeek.length > 0 && rule.byDay.length + rule.byYearDay.length + rule.byMonthDay.length === 0
  const sameWeekday = (frequency === 'WEEKLY' && !saysDay) || (frequency === 'YEARLY' && onlyWeeks)
  const byDay = sameWeekday ? [{ nth: 0, day: firstWeekday }] : rule.byDay
  // A numbered weekday counts within the month, or within the year if that is the period.
  const inYear = frequency === 'YEARLY' && rule.byMonth.length === 0
  const matches = (number: number): boolean => {
    const { year, month, day } = civilDate(number)
    if (months.length > 0 && !months.includes(month)) return false
    const length = daysInMonth(year, month)
    if (monthDays.length > 0 && !monthDays.includes(day) && !monthDays.includes(day - length - 1)) return false
    const dayOfYear = number - dayNumber(year, 1, 1) + 1
    const days = daysInYear(year)
    if (rule.byYearDay.length > 0 && !rule.byYearDay.some((one) => one === dayOfYear || one === dayOfYear - days - 1))
      return false
    if (rule.byWeek.length > 0 && !isInWeeks(number, year, rule)) return false
    if (byDay.length === 0) return true
    const [place, size] = inYear ? [dayOfYear, days] : [day, length]
    return byDay.some(
      (one) =>
        one.day === weekday(number) &&
        (one.nth === 0 ||
          (one.nth > 0 ? one.nth === Math.ceil(place / 7) : -one.nth === Math.ceil((size - place + 1) / 7))),
    )
  }
  return { matches, months }
}

/** Weeks belong to the year that has at least four of their days. */
function isInWeeks(number: number, year: number, { byWeek, weekStart }: Rule): boolean {
  const firstWeek = (of: number) => {
    const fourth = dayNumber(of, 1, 4)
    return fourth - ((weekday(fourth) - weekStart + 7) % 7)
  }
  const ofYear = number >= firstWeek(year + 1) ? year + 1 : number >= firstWeek(year) ? year : year - 1
  const week = Math.floor((number - firstWeek(ofYear)) / 7) + 1
  const weeks = (firstWeek(ofYear + 1) - firstWeek(ofYear)) / 7
  return byWeek.includes(week) || byWeek.includes(week - weeks - 1)
}
