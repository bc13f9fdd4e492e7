import { isDeepStrictEqual } from 'node:util'
import { civilDate, DAY, fromWall, toWall, type WallSeconds, weekday } from '../../calendar/civil.ts'
import { type Rule, RuleError, readRule } from '../../calendar/recurrence-rule.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Problem } from '../../lib/errors.ts'

/** Fields of a form that say how an event repeats, and the recurrence that they mean. */

export const REPEATS = ['none', 'daily', 'weekly', 'monthly', 'yearly', 'dates', 'custom'] as const
export const MONTHLY = ['day', 'weekday', 'last_weekday', 'last_day'] as const
export const ENDS = ['never', 'until', 'count'] as const
/** As rules name them, from Monday. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const

/** Names of the fields. `recurrence` is the one of the REST interface; the others help to write it. */
export const REPEAT_FIELDS = [
  'repeat',
  'repeat_interval',
  'repeat_days',
  'repeat_monthly',
  'repeat_end',
  'repeat_until',
  'repeat_count',
  'repeat_dates',
  'repeat_except',
  'recurrence',
] as const

/** A recurrence as the REST interface takes it. */
export interface SentRecurrence {
  readonly rule: string | null
  readonly dates: readonly string[]
  readonly except: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

/** Several texts: a list, or with commas or lines between them. */
function listOf(value: unknown): string[] {
  const texts = Array.isArray(value) ? value : [value]
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.split(/[,;\n]/) : []))
    .map((text) => text.trim())
    .filter(Boolean)
}

/**
 * The recurrence that the fields mean: null for a single event, a text for a rule of one's own, which may have lines for
 * dates. Undefined if the form says nothing about it.
 */
export function recurrenceOf(fields: Fields): SentRecurrence | string | null | undefined {
  const repeat = textOf(fields.repeat)
  const custom = textOf(fields.recurrence)
  if (fields.repeat === undefined) return fields.recurrence === undefined ? undefined : custom || null
  if (repeat === 'none' || repeat === '') return null
  const dates = listOf(fields.repeat_dates)
  const except = listOf(fields.repeat_except)
  if (repeat === 'dates') return dates.length === 0 ? null : { rule: null, dates, except }
  if (repeat === 'custom') return customOf(custom, dates, except)
  return { rule: ruleOf(repeat, fields), dates, except }
}

function customOf(text: string, dates: string[], except: string[]): SentRecurrence | string | null {
  if (dates.length + except.length === 0) return text || null
  const rule = text.replace(/^RRULE:/i, '')
  return { rule: rule === '' ? null : rule, dates, except }
}

/** The rule of the fields. What it does not say comes from the start of the event. */
function ruleOf(repeat: string, fields: Fields): string {
  const interval = textOf(fields.repeat_interval)
  const parts = [`FREQ=${repeat.toUpperCase()}`]
  if (interval !== '' && interval !== '1') parts.push(`INTERVAL=${interval}`)
  if (repeat === 'weekly') {
    const days = listOf(fields.repeat_days)
    if (days.length > 0) parts.push(`BYDAY=${WEEKDAYS.filter((day) => days.includes(day))}`)
  }
  if (repeat === 'monthly') parts.push(...monthlyPart(textOf(fields.repeat_monthly), textOf(fields.start_date)))
  parts.push(...endOf(fields))
  return parts.join(';')
}

function monthlyPart(by: string, start: string): string[] {
  if (by === 'last_day') return ['BYMONTHDAY=-1']
  if (by !== 'weekday' && by !== 'last_weekday') return []
  const day = Math.floor(wallOf(start) / DAY)
  if (Number.isNaN(day)) return []
  const nth = Math.ceil(civilDate(day).day / 7)
  return [`BYDAY=${by === 'last_weekday' || nth === 5 ? -1 : nth}${WEEKDAYS[weekday(day)]}`]
}

function endOf(fields: Fields): string[] {
  const end = textOf(fields.repeat_end)
  if (end === 'count') return [`COUNT=${textOf(fields.repeat_count)}`]
  const until = textOf(fields.repeat_until).slice(0, 10)
  return end === 'until' ? [`UNTIL=${until.replaceAll('-', '')}`] : []
}

const COUNTING = /^0*[1-9]\d*$/

/** The field of a rule that holds nothing a rule can have, and why; null if none does. */
export function badPart(fields: Fields): readonly [name: string, problem: Problem] | null {
  const [repeat, interval, end] = [textOf(fields.repeat), textOf(fields.repeat_interval), textOf(fields.repeat_end)]
  if (!/^(?:daily|weekly|monthly|yearly)$/.test(repeat)) return null
  if (interval !== '' && !COUNTING.test(interval)) return ['repeat_interval', { problem: 'too_small', least: 1 }]
  const name = `repeat_${end}`
  const value = textOf(fields[name])
  if (end !== 'count' && end !== 'until') return null
  if (value === '') return [name, { problem: 'missing' }]
  if (end === 'count') return COUNTING.test(value) ? null : [name, { problem: 'too_small', least: 1 }]
  return Number.isNaN(wallOf(value)) ? [name, { problem: 'not_a_date' }] : null
}

/** The field that is seen with a problem of the recurrence, and what is wrong with it. */
export function faultOf(fields: Fields, problem: Problem): readonly [name: string, problem: Problem] {
  const isOwn = fields.repeat === undefined || textOf(fields.repeat) === 'custom'
  return badPart(fields) ?? [isOwn ? 'recurrence' : 'repeat', problem]
}

/** A time of a form, `2031-06-10T19:00` or with a space; NaN if it is none. */
export function wallOf(text: string): WallSeconds {
  const [, day, time = ''] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?$/.exec(text.trim()) ?? []
  return day === undefined ? Number.NaN : fromWall(`${day} ${(time || '00:00').padEnd(8, ':00')}`)
}

/** A stored recurrence as fields. A rule that the other fields cannot say is one of one's own. */
export function repeatValues(recurrence: SentRecurrence | null, start: string, zone: Zone): Record<string, string> {
  if (recurrence === null) return { repeat: 'none' }
  const { rule, dates, except } = recurrence
  const lists = { repeat_dates: shortLines(dates, start), repeat_except: shortLines(except, start) }
  if (rule === null) return { repeat: 'dates', ...lists }
  const values = rule === '' ? null : helperValues(rule, start, zone)
  return { ...(values ?? { repeat: 'custom', recurrence: rule }), ...lists }
}

/** One in a line, without the time where it is that of the series. */
function shortLines(times: readonly string[], start: string): string {
  const time = start.slice(11, 16)
  return times.map((one) => (one.slice(11, 16) === time ? one.slice(0, 10) : one.slice(0, 16))).join('\n')
}

function helperValues(text: string, start: string, zone: Zone): Record<string, string> | null {
  try {
    const rule = readRule(text, zone)
    const values = { ...valuesOfRule(rule), repeat_monthly: monthlyOf(rule, start) }
    const again = ruleOf(values.repeat, { ...values, start_date: start })
    // The fields say all of the rule, or nothing.
    return isSame(rule, readRule(again, zone), start) ? values : null
  } catch (error) {
    if (error instanceof RuleError) return null
    throw error
  }
}

function valuesOfRule(rule: Rule) {
  return {
    repeat: rule.frequency.toLowerCase(),
    repeat_interval: String(rule.interval),
    repeat_days: rule.byDay.map(({ day }) => WEEKDAYS[day]).join(', '),
    repeat_end: rule.count !== null ? 'count' : rule.until !== null ? 'until' : 'never',
    repeat_until: rule.until === null ? '' : toWall(rule.until).slice(0, 10),
    repeat_count: rule.count === null ? '' : String(rule.count),
  }
}

function monthlyOf({ frequency, byDay, byMonthDay }: Rule, start: string): string {
  if (byMonthDay.join() === '-1') return 'last_day'
  if (frequency !== 'MONTHLY' || byDay.length === 0) return 'day'
  const nth = Math.ceil(Number(start.slice(8, 10)) / 7)
  return byDay[0]?.nth === -1 && nth < 5 ? 'last_weekday' : 'weekday'
}

/** Whether two rules are one: the time of the day of the end does not matter, as long as the last day keeps its occurrence. */
function isSame(one: Rule, other: Rule, start: string): boolean {
  const lastDay = ({ until }: Rule) => {
    if (until === null) return null
    const day = Math.floor(until / DAY)
    return until - day * DAY < wallOf(start) - Math.floor(wallOf(start) / DAY) * DAY ? day - 1 : day
  }
  const plain = (rule: Rule) => ({ ...rule, byDay: [...rule.byDay].sort(byDay), until: lastDay(rule) })
  // Weeks begin on Monday in the fields, which matters only where there are gaps between them.
  const weekStart = one.interval === 1 ? other.weekStart : one.weekStart
  return isDeepStrictEqual({ ...plain(one), weekStart }, plain(other))
}

const byDay = (one: { nth: number; day: number }, other: { nth: number; day: number }) =>
  one.day - other.day || one.nth - other.nth

/** A recurrence in one line, for people who compare two of them. */
export function sayRecurrence(sent: ReturnType<typeof recurrenceOf>): string {
  if (typeof sent !== 'object' || sent === null) return sent ?? ''
  const { rule, dates, except } = sent
  return [rule ?? '', ...dates.map((date) => `+ ${date}`), ...except.map((date) => `− ${date}`)].join(' ').trim()
}

/** Whether the fields say what was stored before. */
export function isUnchanged(fields: Fields, before: SentRecurrence | null, start: string, zone: Zone): boolean {
  const shown = repeatValues(before, start, zone)
  const again = recurrenceOf({ ...shown, start_date: start })
  const sent = recurrenceOf({ ...fields, start_date: start })
  return isDeepStrictEqual(again, sent)
}
