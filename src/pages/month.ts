import { addDays } from '../calendar/days.ts'
import type { EventEntry } from '../domain/event-entries.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { writeValid } from '../http/write-valid.ts'
import { attribute, html, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import { eventItem, eventPath, hue, JOINED, recurs, whereOf } from './cards.ts'
import { type Context, contextOf } from './context.ts'
import { say, startTime, weekStart, whenShort } from './dates.ts'
import { type Around, longStrip, part, showDays, touches } from './day-range.ts'
import { LIST_FILTERS, readDay } from './filters.ts'
import { costOf } from './money.ts'
import { type Day, isLongerThanBar, layOut, type Slot } from './weeks.ts'

/** Rows per day in a month. A script opens further events in place; without it, a link leads to the day. */
const LANES = 4

async function month(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const first = `${/^\d{4}-\d{2}$/.test(call.slug) || call.slug === '' ? call.slug || context.today.slice(0, 7) : 'x'}-01`
  const day = readDay(first, 'month') ?? first
  const last = addDays(day, Temporal.PlainDate.from(day).daysInMonth - 1)
  const from = weekStart(context, day)
  const to = addDays(weekStart(context, last), 6)
  const title = say(context, day, 'month')
  const nothing = context.t('empty.month', { when: title })
  const range = {
    view: 'month',
    title,
    day,
    from,
    to,
    last,
    previous: addDays(day, -1),
    next: addDays(last, 1),
  } as const
  const draw = (all: readonly EventEntry[], around: Around) => {
    const [long, found] = part(all, ({ row }) => isLongerThanBar(row))
    const weeks = layOut(found, from, (Temporal.PlainDate.from(from).until(to).days + 1) / 7, true)
    const touching = long.filter((event) => touches(event, day, last))
    return html`<div class="month-view">${longStrip(context, touching)}${monthGrid(context, weeks, { first: day, last, title }, around)}</div>`
  }
  return showDays(context, { ...range, nothing }, draw, {
    full: true,
    styles: ['month.css'],
    scripts: ['month.js', 'event-card.js'],
  })
}

interface Month {
  readonly first: string
  readonly last: string
  readonly title: string
}

/** Month as a grid of weeks and, on a narrow screen, a chosen day below it. */
function monthGrid(context: Context, weeks: readonly Day[][], month: Month, around: Around): Markup {
  const { t } = context
  const heads = (weeks[0] ?? []).map(
    ({ day }) =>
      html`<th role="columnheader" scope="col"><span aria-hidden="true">${say(context, day, 'weekdayShort')}</span><span class="unseen">${say(context, day, 'weekday')}</span></th>`,
  )
  const rows = weeks.map((week) => html`<tr role="row">${week.map((one) => cell(context, one, month, around))}</tr>\n`)
  return html`<table class="month" role="grid" aria-label="${month.title}" aria-describedby="grid-keys" data-less="${t('less')}">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows}</tbody></table>
<p class="keys" id="grid-keys">${t('grid_keys')}</p>
${chosenDay(context, weeks.flat(), month, around)}`
}

/** Events of a day that have a row, and the number of others. */
function rowsOf({ day, slots }: Day, { hidden }: Around): { shown: readonly Slot[]; more: number } {
  const shown = slots.filter(({ lane }) => lane < LANES)
  return { shown, more: slots.length - shown.length + hidden(day) }
}

function cell(context: Context, one: Day, { first, last }: Month, around: Around): Markup {
  const { day } = one
  const { shown, more } = rowsOf(one, around)
  const isOutside = day < first || day > last
  const classes = [isOutside && 'outside', day === context.today && 'today'].filter(Boolean).join(' ')
  const current = day === context.today && html` aria-current="date"`
  const total = shown.length + more
  return html`<td role="gridcell" class="${classes}"${more > 0 && html` data-more="${context.count('more', more)}"`} id="day-${day}"><a class="date" href="${around.toDay(day)}"${current}><time datetime="${day}"><span class="unseen">${say(context, day, 'day')}</span><span aria-hidden="true">${Number(day.slice(8))}</span></time>${total > 0 && html`<span class="unseen">, ${context.count('events', total)}</span>`}</a>
${shown.length > 0 && html`<ul>${writeValid(context.call.scope, shown, (slot) => bar(context, slot))}</ul>`}${moreLink(context, day, more, around)}</td>
`
}

function moreLink(context: Context, day: string, more: number, around: Around): MarkupPart {
  if (more === 0) return false
  const words = context.count('more', more)
  return html`<div class="tail"><a class="more" href="${around.toDay(day)}" data-count="${words}"><span>${words}</span><span class="unseen"> ${say(context, day, 'short')}</span></a></div>`
}

const UNTABBED = safe(' tabindex="-1"')

/** Event in a cell. On later days of a bar the link has no text to see: the bar of the first day covers it. */
function bar(context: Context, { event, lane, span, before, after }: Slot): Markup {
  const { row } = event
  const time = startTime(context, row)
  const isBar = span !== 1 || row.all_day === 1 || before || after
  const bars = isBar ? ` bar${span > 1 ? ` span-${span}` : ''}${span === 0 ? ' over' : ''}` : ''
  const classes = `lane-${lane} ${hue(event)}${bars}${before ? ' before' : ''}${after ? ' after' : ''}`
  const where = whereOf(event)
  const cost = costOf(context, event)
  return html`<li class="${classes}"><a href="${context.link(eventPath(event))}"${span === 0 ? UNTABBED : attribute('title', row.title)} data-when="${whenShort(context, row)}"${where !== '' && attribute('data-where', where)}${cost !== '' && attribute('data-cost', cost)}>${!isBar && time !== '' && html`<span class="time">${time}</span> `}<span class="name" dir="auto">${row.title}</span>${span !== 0 && recurs(context, event, JOINED)}</a></li>`
}

/** The chosen day, on a narrow screen: today or the first day with events. A script changes it. */
function chosenDay(context: Context, days: readonly Day[], { first, last }: Month, around: Around): Markup {
  const inMonth = days.filter(({ day }) => first <= day && day <= last)
  const busy = inMonth.find((one) => rowsOf(one, around).shown.length > 0)
  const chosen = inMonth.find(({ day }) => day === context.today) ?? busy ?? inMonth[0]
  if (chosen === undefined) return html``
  const { day } = chosen
  const { shown, more } = rowsOf(chosen, around)
  const none = context.t('empty.day', { when: say(context, day, 'day') })
  return html`<section class="chosen-day" data-day="${day}" aria-labelledby="chosen-day"><h2 id="chosen-day"><a href="${around.toDay(day)}">${say(context, day, 'day')}</a></h2>
<ul class="events">${writeValid(context.call.scope, shown, ({ event }) => eventItem(context, event, 3, false))}</ul>
<p class="none"${shown.length > 0 && html` hidden`} data-words="${context.t('empty.day', { when: '{when}' })}">${none}</p>${moreLink(context, day, more, around)}</section>`
}

/** Routes of the month: at today, and at the date of the address. */
export const monthViews: readonly View[] = [
  { path: '/events/month', methods: ['GET'], parameters: LIST_FILTERS, few: true, handle: month },
  { path: '/events/month/:slug', methods: ['GET'], parameters: LIST_FILTERS, few: true, handle: month },
]
