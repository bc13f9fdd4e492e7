import { addDays } from '../calendar/days.ts'
import type { EventEntry } from '../domain/event-entries.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { writeValid } from '../http/write-valid.ts'
import { html, type Markup } from '../lib/markup.ts'
import { direction, eventItem, eventPath, hue, recurs, whereOf } from './cards.ts'
import { type Context, contextOf } from './context.ts'
import { lastDay, say, sayRange, startDay, timeOf, weekStart, whenShort } from './dates.ts'
import { type Around, longStrip, part, showDays } from './day-range.ts'
import { LIST_FILTERS, readDay } from './filters.ts'
import { monthViews } from './month.ts'
import { type Day, layOut } from './weeks.ts'

/** Events per day of a week that are open from the start. */
const OPEN_IN_WEEK = 6

async function week(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const day = readDay(call.slug, 'week') ?? context.today
  const from = weekStart(context, day)
  const to = addDays(from, 6)
  const title = sayRange(context, from, to, 'shortYear')
  const nothing = context.t('empty.week', { when: say(context, from, 'shortYear') })
  const range = { view: 'week', title, day: from, from, to, last: to, nothing } as const
  return showDays(
    context,
    { ...range, previous: addDays(from, -7), next: addDays(from, 7) },
    (all, around) => {
      const [long, found] = part(all, isLong)
      const days = layOut(found, from, 1).flat()
      return html`${longStrip(context, long)}${weekJumps(context, days, around)}${weekColumns(context, days, around)}`
    },
    { full: true },
  )
}

async function day(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const of = readDay(call.slug, 'day') ?? context.today
  const title = say(context, of, 'dayYear')
  const nothing = context.t('empty.day', { when: title })
  const range = { view: 'day', title, day: of, from: of, to: of, last: of, nothing } as const
  return showDays(context, { ...range, previous: addDays(of, -1), next: addDays(of, 1) }, (all, { toList, hidden }) => {
    const [long, found] = part(all, isLong)
    return html`${longStrip(context, long)}<h2 class="unseen">${context.count('events', found.length + hidden(of))}</h2><ul class="events single">${writeValid(context.call.scope, found, (event) => eventItem(context, event, 3))}</ul>${hidden(of) > 0 && html`<p><a class="button" href="${toList(of, found.length)}">${context.count('more', hidden(of))}</a></p>`}`
  })
}

function isLong({ row }: EventEntry): boolean {
  return startDay(row) !== lastDay(row)
}

/** Links to the days of a week, with the number of events; shown on a narrow screen. */
function weekJumps(context: Context, days: readonly Day[], { hidden }: Around): Markup {
  const item = ({ day: of, slots }: Day) => {
    const total = slots.length + hidden(of)
    return html`<li><a href="#day-${of}"${of === context.today && html` aria-current="date"`}><span class="weekday">${say(context, of, 'weekdayShort')}</span> <span class="number">${Number(of.slice(8))}</span> <span class="unseen">${context.count('events', total)}</span><span class="total" aria-hidden="true">${total || '–'}</span></a></li>`
  }
  return html`<nav class="jumps" aria-label="${context.t('navigation.days')}"><ol>${days.map(item)}</ol></nav>`
}

/** Week as seven columns or, on a narrow screen, seven lists. */
function weekColumns(context: Context, days: readonly Day[], around: Around): Markup {
  const { toDay } = around
  return html`<ol class="week">${days.map(
    (
      one,
    ) => html`<li class="day${one.day === context.today && ' today'}" id="day-${one.day}"><h2><a href="${toDay(one.day)}"><time datetime="${one.day}"><span class="weekday">${say(context, one.day, 'weekdayShort')}</span> <span class="number">${Number(one.day.slice(8))}</span> <span class="unseen">${say(context, one.day, 'month')}</span></time></a></h2>
${weekDay(context, one, around)}</li>
`,
  )}</ol>`
}

/** Events of a day. Those after the first few open in place. */
function weekDay(context: Context, { day: of, slots }: Day, { toDay, hidden }: Around): Markup {
  // One more event takes no more room than the control that would hide it.
  const open = slots.length <= OPEN_IN_WEEK + 1 ? slots.length : OPEN_IN_WEEK
  const cards = (some: Day['slots']) =>
    html`<ul>${writeValid(context.call.scope, some, ({ event }) => weekCard(context, event))}</ul>`
  const rest = slots.slice(open)
  return html`${slots.length > 0 && cards(slots.slice(0, open))}${rest.length > 0 && html`<details><summary class="more">${context.t('further', { count: rest.length })}</summary>${cards(rest)}</details>`}${hidden(of) > 0 && html`<a class="more" href="${toDay(of)}">${context.count('more', hidden(of))}</a>`}`
}

function weekCard(context: Context, event: EventEntry): Markup {
  const where = whereOf(event)
  return html`<li class="${hue(event)}"${direction(event)}><p class="when">${timeOf(event.row, whenShort(context, event.row))}${recurs(context, event)}</p><h3><a href="${context.link(eventPath(event))}" dir="auto">${event.row.title}</a></h3>${where !== '' && html`<p class="where"><bdi>${where}</bdi></p>`}</li>`
}

/** Routes of the views: at today, and at the date of the address. */
export const gridViews: readonly View[] = [
  ...monthViews,
  { path: '/events/week', methods: ['GET'], parameters: LIST_FILTERS, few: true, handle: week },
  { path: '/events/week/:slug', methods: ['GET'], parameters: LIST_FILTERS, few: true, handle: week },
  { path: '/events/day', methods: ['GET'], parameters: LIST_FILTERS, few: true, handle: day },
  { path: '/events/day/:slug', methods: ['GET'], parameters: LIST_FILTERS, few: true, handle: day },
]
