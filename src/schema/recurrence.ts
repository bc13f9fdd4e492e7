import { fromWall } from '../calendar/civil.ts'
import { instantAt } from '../calendar/clock.ts'
import { linesOf, readContentLine } from '../calendar/content-lines.ts'
import { type DateText, readDate } from '../calendar/date-text.ts'
import { readIcalTime } from '../calendar/ical-values.ts'
import { RuleError } from '../calendar/recurrence-rule.ts'
import { readStrictRule, tidyRule } from '../calendar/rule-syntax.ts'
import { findZone, type WallClock } from '../calendar/zone.ts'
import { type ReadContext, Refused, type ValueType } from './field.ts'
import { Type } from './json-schema.ts'

/** A date of a series. A day alone takes the time of the series. */
export type SeriesDate = DateText | { readonly day: string }

/** What a request says of a recurrence. Parts that are undefined were not sent. */
export interface RecurrenceValue {
  readonly rule?: string | null
  readonly dates?: readonly SeriesDate[]
  readonly except?: readonly SeriesDate[]
}

/** Limit on dates and exceptions: a series has no more occurrences. */
const MAX_DATES = 5000
/** Limit on the text of a recurrence, in UTF-16 units. */
const MAX_TEXT = 100_000

const DATES = Type.Array(Type.String(), { maxItems: MAX_DATES })

/** `recurrence` of events: iCalendar lines, or an object of rule, dates and exceptions. */
export const recurrence: ValueType<RecurrenceValue> = {
  type: 'object',
  schema: Type.Object(
    {
      rule: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      dates: Type.Optional(DATES),
      except: Type.Optional(DATES),
    },
    { additionalProperties: true },
  ),
  accepts: [Type.String({ maxLength: MAX_TEXT })],
  read(raw, reading) {
    if (typeof raw === 'string') return readText(raw)
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Refused('not_a_recurrence')
    return readObject(raw as Record<string, unknown>, reading)
  },
}

function readObject(raw: Record<string, unknown>, reading: ReadContext): RecurrenceValue {
  const { rule, dates, except } = raw
  if (rule === undefined && dates === undefined && except === undefined) throw new Refused('not_a_recurrence')
  if (typeof rule === 'string' && /[\r\n]/.test(rule.trim())) throw new Refused('several_rules')
  if (rule !== undefined && rule !== null && typeof rule !== 'string') throw new Refused('not_text')
  return {
    ...(rule !== undefined && { rule: rule ? readRuleText(rule) : null }),
    ...(dates !== undefined && { dates: readDates(dates, reading) }),
    ...(except !== undefined && { except: readDates(except, reading) }),
  }
}

function readRuleText(text: string): string {
  const rule = tidyRule(text)
  try {
    readStrictRule(rule)
    return rule
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    const part = error.message.slice(0, 80)
    throw /^FREQ=(SECOND|MINUTE|HOUR)LY$/.test(part)
      ? new Refused('rule_too_frequent', { part })
      : new Refused('bad_rule', { part })
  }
}

function readDates(raw: unknown, reading: ReadContext): SeriesDate[] {
  const given = raw === null || raw === '' ? [] : typeof raw === 'string' ? raw.split(',') : raw
  if (!Array.isArray(given)) throw new Refused('not_a_recurrence')
  if (given.length > MAX_DATES) throw new Refused('too_many', { most: MAX_DATES })
  return given.filter((one) => one !== '' && one !== null).map((one) => readSeriesDate(one, () => reading.today))
}

function readSeriesDate(raw: unknown, today: () => WallClock): SeriesDate {
  const date = typeof raw === 'string' ? readDate(raw, today) : null
  if (date === null) throw new Refused('not_a_series_date', { value: String(raw).slice(0, 80) })
  const isDay = /^\s*\d{4}-?\d{2}-?\d{2}\s*$/.test(String(raw))
  return isDay && 'wall' in date ? { day: date.wall.slice(0, 10) } : date
}

/** Reads lines of iCalendar: one rule, which may lack its name, and any number of RDATE and EXDATE. */
function readText(text: string): RecurrenceValue {
  if (text.length > MAX_TEXT) throw new Refused('too_long', { longest: MAX_TEXT })
  const rules: string[] = []
  const dates: SeriesDate[] = []
  const except: SeriesDate[] = []
  for (const { text: line } of linesOf(text)) {
    if (line.trim() === '') continue
    if (/^\s*(RRULE:|[A-Z]+=)/i.test(line)) rules.push(line)
    else if (/^\s*RDATE[;:]/i.test(line)) dates.push(...readIcalDates(line.trim()))
    else if (/^\s*EXDATE[;:]/i.test(line)) except.push(...readIcalDates(line.trim()))
    else throw new Refused('bad_recurrence_line', { line: line.slice(0, 80) })
  }
  if (rules.length > 1) throw new Refused('several_rules')
  if (dates.length + except.length > MAX_DATES) throw new Refused('too_many', { most: MAX_DATES })
  const [rule] = rules
  const hasDates = dates.length + except.length > 0
  if (rule === undefined && dates.length === 0) throw new Refused('not_a_recurrence')
  return { rule: rule === undefined ? null : readRuleText(rule), ...(hasDates && { dates, except }) }
}

function readIcalDates(text: string): SeriesDate[] {
  const line = readContentLine({ text, line: 1 })
  const tzid = line?.parameters.get('TZID')?.[0]
  const zone = tzid === undefined ? null : findZone(tzid)
  if (line === null || (tzid !== undefined && zone === null))
    throw new Refused('bad_recurrence_line', { line: text.slice(0, 80) })
  return line.value.split(',').map((value) => {
    const time = readIcalTime(value)
    if (time === null) throw new Refused('not_a_series_date', { value: value.slice(0, 80) })
    if (time.isDate) return { day: time.wall.slice(0, 10) }
    if (time.isUtc) return { instant: fromWall(time.wall) }
    return zone === null ? { wall: time.wall } : { instant: instantAt(fromWall(time.wall), zone) }
  })
}
