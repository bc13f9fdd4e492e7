import type { Problem } from '../../lib/errors.ts'

/** Which number comes first in a date such as 03/04/2031. */
export const DATE_ORDERS = ['day-first', 'month-first'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** A date in digits: two short numbers and a year, possibly behind a weekday and before a time. */
const DIGITS = /^(?:\p{L}{2,12}[.,]?\s+)?(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)[,\s]*(.{0,60})$/su
/** A date whose order is clear. */
const CLEAR = /^(\d{4})([/-]?)(\d{2}|(?<=[/-])\d)\2(\d{2}|(?<=[/-])\d)(?:[T,\s]\s*(.{0,60}))?$/s
const TIME = /^(\d{1,2})(?:[:.h](\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?\s*(?:h|uhr)?\s*(?:([ap])\.?\s?m\.?)?$/i

/** Longer cells hold no date; patterns are not tried on them. */
const MAX_LENGTH = 100

/** Years of two digits, as PHP and spreadsheets read them. */
const FIRST_SHORT_YEAR = 70

interface Seen {
  /** Dates whose first number is no month, and whose second number is none. */
  dayFirst: boolean
  monthFirst: boolean
  /** An example, if possible one that both orders could read. */
  sample: { readonly value: string; readonly line: number; readonly isUnclear: boolean }
}

/** How the dates of a table are written: as told or, without that, as the table shows. */
export class TableDates {
  readonly #told: DateOrder | null
  readonly #assumed: DateOrder | null
  readonly #seen = new Map<string, Seen>()

  /** `assumed` is the order of dates for which the table shows none. */
  constructor(told: DateOrder | null, assumed: DateOrder | null = null) {
    this.#told = told
    this.#assumed = assumed
  }

  /** Learns from a date of the table. */
  see(value: string, line: number): void {
    if (value.length > MAX_LENGTH) return
    const [, first = '', sign = '', second = ''] = DIGITS.exec(value) ?? []
    if (first === '') return
    const isUnclear = Number(first) <= 12 && Number(second) <= 12 && Number(first) !== Number(second)
    const sample = { value: value.slice(0, 40), line, isUnclear }
    const seen = this.#seen.get(sign) ?? { dayFirst: false, monthFirst: false, sample }
    if (Number(first) > 12) seen.dayFirst = true
    if (Number(second) > 12) seen.monthFirst = true
    if (isUnclear && !seen.sample.isUnclear) seen.sample = sample
    this.#seen.set(sign, seen)
  }

  /** Without a sign in the table, slashes mean month first, points and hyphens day first, as in the REST interface. */
  #order(sign: string): DateOrder {
    if (this.#told !== null) return this.#told
    const { dayFirst = false, monthFirst = false } = this.#seen.get(sign) ?? {}
    if (dayFirst !== monthFirst) return dayFirst ? 'day-first' : 'month-first'
    return this.#assumed ?? (sign === '/' ? 'month-first' : 'day-first')
  }

  /** The day of a written date, as `2031-06-10`, and what follows it; null if it is not in digits. */
  dayOf(value: string): { readonly day: string; readonly rest: string; readonly isRewritten: boolean } | null {
    if (value.length > MAX_LENGTH) return null
    const [, year = '', , month = '', date = '', time = ''] = CLEAR.exec(value) ?? []
    if (year !== '') return { day: dayText(year, month, date), rest: time, isRewritten: false }
    const [, first = '', sign = '', second = '', last = '', rest = ''] = DIGITS.exec(value) ?? []
    if (first === '') return null
    const full = last.length === 4 ? last : `${Number(last) < FIRST_SHORT_YEAR ? 20 : 19}${last}`
    const day = this.#order(sign) === 'day-first' ? dayText(full, second, first) : dayText(full, first, second)
    return { day, rest, isRewritten: true }
  }

  /** What to tell of the order that was used, with an example and its line. */
  notes(): { readonly line: number; readonly problem: Problem }[] {
    return [...this.#seen].map(([sign, { dayFirst, monthFirst, sample }]) => {
      const { value, line } = sample
      const day = this.dayOf(value)?.day ?? ''
      const isAssumed = this.#told === null && dayFirst === monthFirst
      const isDayFirst = this.#order(sign) === 'day-first'
      const problem: Problem = isDayFirst
        ? isAssumed
          ? { problem: 'dates_day_first_assumed', value, day }
          : { problem: 'dates_day_first', value, day }
        : isAssumed
          ? { problem: 'dates_month_first_assumed', value, day }
          : { problem: 'dates_month_first', value, day }
      return { line, problem }
    })
  }
}

function dayText(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A time of day as `19:00:00`, from `7:00 PM`, `19:00`, `19.00 Uhr`, `19h30` and so on; null if it is none. */
export function readTimeOfDay(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const [, hour = '', minute = '00', second = '00', half] = TIME.exec(text.trim()) ?? []
  if (hour === '') return null
  const isHalf = half !== undefined
  if (isHalf && (Number(hour) < 1 || Number(hour) > 12)) return null
  const hours = isHalf ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return `${String(hours).padStart(2, '0')}:${minute}:${second}`
}
