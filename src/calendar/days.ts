import { dayNumber, numberOfDay, writeDay } from './civil.ts'

const FIRST_DAY = dayNumber(1, 1, 1)
const LAST_DAY = dayNumber(9999, 12, 31)
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/** Adds days to a date, `YYYY-MM-DD`, within the supported years. Text that is no date is returned as it is. */
export function addDays(day: string, days: number): string {
  // By arithmetic: a month page does this some thousand times, and `Date` takes ten times as long.
  if (!DATE.test(day)) return day
  return writeDay(Math.min(Math.max(numberOfDay(day) + days, FIRST_DAY), LAST_DAY))
}
