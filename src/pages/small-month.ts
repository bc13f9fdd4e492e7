import { addDays } from '../calendar/days.ts'
import * as eventDays from '../domain/event-days.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import type { Context } from './context.ts'
import { say, weekStart } from './dates.ts'
import { readDay } from './filters.ts'
import { icon } from './icons.ts'
import { checkReach, isInReach } from './reach.ts'
import { MAX_BAR } from './weeks.ts'

/** First day of the month that `?month=` names, or of the present month. */
export function readMonth(context: Context): string {
  const given = context.call.search.get('month')?.trim() ?? ''
  if (given === '') return `${context.today.slice(0, 7)}-01`
  const first = readDay(`${given}-01`, 'month') ?? given
  checkReach(context, first)
  return first
}

/** Days of a month with events. An event of more than a week counts on its first day only. */
async function busyDays({ call }: Context, first: string, last: string): Promise<ReadonlySet<string>> {
  const eve = addDays(first, -1)
  const starts = await eventDays.countDays(call.scope, () => ({ starts_after: eve, starts_before: last }))
  const spans = await eventDays.listSpans(call.scope, () => ({
    starts_after: addDays(eve, -MAX_BAR),
    starts_before: last,
    ends_after: eve,
    ends_before: addDays(last, MAX_BAR),
  }))
  const days = new Set(starts.keys())
  for (const { first: from, last: stored, ending } of spans) {
    const isDayBefore = ending === 'midnight' || (ending === 'small-hours' && stored === addDays(from, 1))
    const to = isDayBefore && stored > from ? addDays(stored, -1) : stored
    if (addDays(from, MAX_BAR) <= to) continue
    for (let day = from; day <= to && day <= last; day = addDays(day, 1)) days.add(day)
  }
  return days
}

/** Small calendar of a month. Days with events are links. */
export async function smallMonth(context: Context, first: string): Promise<Markup> {
  const { today, link } = context
  const { daysInMonth } = Temporal.PlainDate.from(first)
  const last = addDays(first, daysInMonth - 1)
  const from = weekStart(context, first)
  const before = Temporal.PlainDate.from(from).until(first).days
  const days = Array.from({ length: Math.ceil((before + daysInMonth) / 7) * 7 }, (_, n) => addDays(from, n))
  const busy = await busyDays(context, first, last)
  const cell = (day: string) => {
    if (day < first || day > last) return html`<span></span>`
    const number = Number(day.slice(8))
    const now = day === today
    const classes = [busy.has(day) && 'busy', now && 'today'].filter(Boolean).join(' ')
    const current = now && html` aria-current="date"`
    if (!busy.has(day)) return html`<span class="${classes}"${current}>${number}</span>`
    return html`<a class="${classes}" href="${link(`/events/day/${day}/`)}"${current}>${number}</a>`
  }
  return html`<nav class="small-month" id="small-month" aria-labelledby="this-month"><div class="turn">${turn(context, addDays(first, -1), 'previous')}<h2 id="this-month"><a href="${link(`/events/month/${first.slice(0, 7)}/`)}">${say(context, first, 'month')}</a></h2>${turn(context, addDays(last, 1), 'next')}</div>
${days.slice(0, 7).map((day) => html`<span class="weekday" aria-hidden="true">${say(context, day, 'weekdayShort')}</span>`)}${days.map(cell)}</nav>`
}

function turn(context: Context, day: string, way: 'previous' | 'next'): MarkupPart {
  if (!isInReach(context, day)) return html`<span></span>`
  const path = `/?month=${day.slice(0, 7)}#small-month`
  const label = context.t(`${way}_month`)
  return html`<a class="step" href="${context.link(path)}" rel="${way === 'next' ? 'next' : 'prev'} nofollow" title="${label}">${icon(way === 'next' ? 'forward' : 'back')}<span class="unseen">${label}</span></a>`
}
