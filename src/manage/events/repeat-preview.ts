import { fromWall, toWall, type WallSeconds } from '../../calendar/civil.ts'
import { addDays } from '../../calendar/days.ts'
import { expansion, type Recurrence } from '../../calendar/recurrence.ts'
import type { Budget } from '../../calendar/recurrence-budget.ts'
import { readRule } from '../../calendar/recurrence-rule.ts'
import { ruleText } from '../../calendar/rule-text.ts'
import { findZone } from '../../calendar/zone.ts'
import { readingOf } from '../../domain/records.ts'
import { resolvePattern } from '../../domain/series-pattern.ts'
import type { Answer } from '../../http/endpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { problemText } from '../../lib/problem-text.ts'
import { runInSlices } from '../../lib/time-slices.ts'
import { say } from '../../pages/dates.ts'
import { Refused } from '../../schema/field.ts'
import { recurrence as recurrenceType } from '../../schema/recurrence.ts'
import { SECTIONS } from '../layout.ts'
import type { Screen, StaffContext } from '../screen.ts'
import { badPart, faultOf, REPEAT_FIELDS, recurrenceOf, wallOf } from './repeat-values.ts'

/** Dates that are shown. */
const SHOWN = 12
/** Years that are looked through for them: few for a rule with many dates. */
const YEARS = [1, 8, 60]
/** Steps for one answer: it is asked for while somebody types. */
const MAX_STEPS = 40_000

const NOTHING = { text: '', dates: [], days: [], more: false, problem: null }

/** What the fields of a form mean: the rule in words, its next dates, and the days of a month that have one. */
async function show(context: StaffContext): Promise<Answer> {
  const { call, language } = context
  const fields = Object.fromEntries(call.search)
  // Nobody is blamed for a field that was not filled in yet.
  if (badPart(fields)?.[1].problem === 'missing') return { body: NOTHING, secret: true }
  try {
    return { body: await previewOf(context, fields), secret: true }
  } catch (error) {
    const problem =
      error instanceof Refused
        ? error.problem
        : error instanceof AppError
          ? error.details.params?.recurrence
          : undefined
    if (problem === undefined) throw error
    return { body: { ...NOTHING, problem: problemText(language, faultOf(fields, problem)[1]) }, secret: true }
  }
}

async function previewOf(context: StaffContext, fields: Record<string, unknown>): Promise<object> {
  const series = seriesOf(context, fields)
  if (series === null) return NOTHING
  const budget = { left: MAX_STEPS }
  const { times, more } = await firstTimes(series, budget)
  const month = String(fields.month ?? '')
  const days = /^\d{4}-\d{2}$/.test(month) ? await daysOfMonth(series, month, budget) : []
  const [rule = null] = series.rules
  const words = (wall: string) => say(context, wall, series.isDate ? 'dayShortYear' : 'dayYearTime')
  return {
    ...NOTHING,
    text: ruleText({ rule, start: series.start, dates: series.also.length }, context.language),
    dates: times.map((at) => ({ date: toWall(at), words: words(toWall(at)) })),
    days,
    more,
  }
}

/** The recurrence of the fields; null for a single event, or one without a start. */
function seriesOf({ call }: StaffContext, fields: Record<string, unknown>): Recurrence | null {
  const sent = recurrenceOf(fields)
  const start = wallOf(String(fields.start_date ?? ''))
  if (sent === null || sent === undefined || Number.isNaN(start)) return null
  const zone = findZone(String(fields.timezone ?? '')) ?? call.scope.site.timezone
  const isDate = Boolean(fields.all_day)
  const wall = toWall(start)
  const times = { timezone: zone, start_local: wall, end_local: wall, allDay: isDate }
  const pattern = resolvePattern(recurrenceType.read(sent, readingOf(call.scope)), times, null)
  if (pattern === null) return null
  return {
    start,
    isDate,
    zone,
    rules: pattern.rule === null ? [] : [readRule(pattern.rule, zone)],
    also: pattern.dates.map(fromWall),
    except: new Set(pattern.except.map(fromWall)),
  }
}

/** The first dates, and whether there are more. */
async function firstTimes(
  recurrence: Recurrence,
  budget: Budget,
): Promise<{ times: readonly WallSeconds[]; more: boolean }> {
  let starts: readonly WallSeconds[] = []
  const first = Math.min(recurrence.start, ...recurrence.also)
  for (const years of YEARS) {
    const found = await runInSlices(expansion(recurrence, first + years * 366 * 86_400, recurrence.start, budget))
    starts = found.starts
    if (starts.length > SHOWN || found.cut) break
  }
  return { times: starts.slice(0, SHOWN), more: starts.length > SHOWN }
}

/** Days of a month that the rule gives, those that are left out included. */
async function daysOfMonth(recurrence: Recurrence, month: string, budget: Budget): Promise<string[]> {
  const from = fromWall(`${month}-01 00:00:00`)
  const last = addDays(`${toWall(from + 31 * 86_400).slice(0, 7)}-01`, -1)
  const alone = { ...recurrence, also: [], except: new Set<WallSeconds>() }
  const { starts } = await runInSlices(expansion(alone, fromWall(`${last} 23:59:59`), from, budget, from))
  return [...new Set(starts.filter((at) => at >= from).map((at) => toWall(at).slice(0, 10)))]
}

export const repeatPreview: Screen = {
  path: '/events/recurrence-preview',
  allows: SECTIONS.events,
  parameters: [...REPEAT_FIELDS, 'start_date', 'timezone', 'all_day', 'month'],
  show,
}
