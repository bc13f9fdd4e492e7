/** In milliseconds. */
const DAY = 86_400_000

/** Days are texts, `YYYY-MM-DD`; as dates they are at midnight UTC, where no clock is ever changed. @param {string} day */
export function dateOf(day) {
  return new Date(`${day}T00:00:00Z`)
}

/** What a clock shows, `YYYY-MM-DD hh:mm:ss`, as a date in UTC. @param {string} wall */
export function wallOf(wall) {
  return new Date(`${wall.replace(' ', 'T')}Z`)
}

/** @param {Date} date */
export function dayOf(date) {
  return date.toISOString().slice(0, 10)
}

/** @param {string} day @param {number} days */
export function addDays(day, days) {
  return dayOf(new Date(dateOf(day).getTime() + days * DAY))
}

/** The same day of another month, or the last day of it. @param {string} day @param {number} months */
export function addMonths(day, months) {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + months]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return dayOf(new Date(Date.UTC(year, month, Math.min(Number(day.slice(8)), last))))
}

/** The reader's day. */
export function today() {
  const now = new Date()
  return dayOf(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())))
}

/** How many days of a week are before this one. @param {string} day @param {number} firstDay */
export function placeInWeek(day, firstDay) {
  return ((dateOf(day).getUTCDay() || 7) - firstDay + 7) % 7
}

/** The whole weeks that a month, `YYYY-MM`, lies in. @param {string} month @param {number} firstDay */
export function weeksOf(month, firstDay) {
  const first = addDays(`${month}-01`, -placeInWeek(`${month}-01`, firstDay))
  const end = addMonths(`${month}-01`, 1)
  const weeks = []
  for (let week = first; week < end; week = addDays(week, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(week, index)))
  }
  return weeks
}

/** @param {{ start_date: string, end_date: string }} event @param {string} day */
export function isOn({ start_date, end_date }, day) {
  return start_date.slice(0, 10) <= day && end_date.slice(0, 10) >= day
}

/** How many days an event touches. @param {{ start_date: string, end_date: string }} event */
export function daysOf({ start_date, end_date }) {
  return (dateOf(end_date.slice(0, 10)).getTime() - dateOf(start_date.slice(0, 10)).getTime()) / DAY + 1
}

/** Days of the week in locales, from Monday. */
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** How dates are written in a locale, and on which day its weeks begin, 1 for Monday. @param {string} locale */
export function writerOf(locale) {
  /** @param {Intl.DateTimeFormatOptions} options */
  const format = (options) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format
  /** The same at the beginning of a heading: some languages write days and months in lower case. @param {Intl.DateTimeFormatOptions} options */
  const heading = (options) => (/** @type {Date} */ date) => {
    const words = format(options)(date)
    return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1)
  }
  /** @param {'numeric' | '2-digit'} hour */
  const clockWith = (hour) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', hour, minute: '2-digit' })
  const is24 = clockWith('numeric').resolvedOptions().hourCycle === 'h23'
  const clock = clockWith(is24 ? '2-digit' : 'numeric')
  const set = WEEKDAYS.indexOf(/-fw-(\w{3})/.exec(locale)?.[1] ?? '') + 1
  const known = /** @type {Intl.Locale & { getWeekInfo?(): WeekInfo, weekInfo?: WeekInfo }} */ (new Intl.Locale(locale))
  return {
    day: heading({ weekday: 'long', day: 'numeric', month: 'long' }),
    short: format({ day: 'numeric', month: 'short' }),
    time: clock.format,
    times: (/** @type {Date} */ start, /** @type {Date} */ end) => clock.formatRange(start, end),
    month: heading({ month: 'long', year: 'numeric' }),
    weekday: format({ weekday: 'short' }),
    weekdayLong: format({ weekday: 'long' }),
    firstDay: set || ((known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1),
  }
}

/** @typedef {{ firstDay: number }} WeekInfo */
/** @typedef {ReturnType<typeof writerOf>} Writer */
