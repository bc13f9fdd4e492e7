import { addDays } from '../calendar/days.ts'
import type { Event } from '../domain/events.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { writeValid } from '../http/write-valid.ts'
import { AppError } from '../lib/errors.ts'
import { html, type Markup } from '../lib/markup.ts'
import { eventItem, eventPath, hue, strip, whereOf } from './cards.ts'
import { type Context, contextOf } from './context.ts'
import { controls, type ViewName, type Way } from './controls.ts'
import { lastDay, say, sayRange, startDay, startTime, weekStart, whenShort } from './dates.ts'
import {
  eventsOn,
  type Filters,
  feedOf,
  isNarrowed,
  LIST_FILTERS,
  PER_PAGE,
  readDay,
  readFilters,
  searchOf,
} from './filters.ts'
import { answer } from './layout.ts'
import { empty } from './list.ts'
import { type Day, layOut, type Slot } from './weeks.ts'

/** Rows per day in a month. Further events are behind a link to the day. */
const LANES = 4
/** Events longer than this many days are listed above the month. */
const MAX_BAR = 7
/** Limit on events shown per day, against floods of events. */
const PER_DAY = { month: 8, week: 40, day: 200 } as const
/** Limit on events of a view. */
const MOST = 500
/** Years around today that have links, so that crawlers come to an end. */
const YEARS_BACK = 20
const YEARS_AHEAD = 10
/** Pages beyond this distance have `noindex`. */
const YEARS_LISTED = 2

/** Common part of month, week and day. */
interface DayRange {
  readonly view: Extract<ViewName, 'month' | 'week' | 'day'>
  readonly title: string
  /** Date in the address. */
  readonly day: string
  readonly from: string
  readonly to: string
  readonly previous: string
  readonly next: string
}

async function month(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const first = `${/^\d{4}-\d{2}$/.test(call.slug) || call.slug === '' ? call.slug || context.today.slice(0, 7) : 'x'}-01`
  const day = readDay(first, 'month') ?? first
  const start = Temporal.PlainDate.from(day)
  const last = addDays(day, start.daysInMonth - 1)
  const from = weekStart(context, day)
  const to = addDays(weekStart(context, last), 6)
  return show(
    context,
    {
      view: 'month',
      title: say(context, day, 'month'),
      day,
      from,
      to,
      previous: addDays(day, -1),
      next: addDays(last, 1),
    },
    (all, around) => {
      const [long, found] = part(all, ({ row }) => addDays(startDay(row), MAX_BAR) <= lastDay(row))
      const weeks = (Temporal.PlainDate.from(from).until(to).days + 1) / 7
      return html`${longStrip(context, long)}${monthGrid(context, layOut(found, from, weeks, true), day, around)}`
    },
  )
}

async function week(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const day = readDay(call.slug, 'week') ?? context.today
  const from = weekStart(context, day)
  const to = addDays(from, 6)
  const title = sayRange(context, from, to, 'shortYear')
  return show(
    context,
    { view: 'week', title, day: from, from, to, previous: addDays(from, -7), next: addDays(from, 7) },
    (all, around) => {
      const [long, found] = part(all, isLong)
      return html`${longStrip(context, long)}${weekColumns(context, layOut(found, from, 1).flat(), around)}`
    },
  )
}

async function day(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const of = readDay(call.slug, 'day') ?? context.today
  const title = say(context, of, 'dayYear')
  return show(
    context,
    { view: 'day', title, day: of, from: of, to: of, previous: addDays(of, -1), next: addDays(of, 1) },
    (all, { toList, hidden }) => {
      const [long, found] = part(all, isLong)
      return html`${longStrip(context, long)}<h2 class="unseen">${context.count('events', found.length + hidden(of))}</h2><ul class="events single">${writeValid(context.call.scope, found, (event) => eventItem(context, event, 3))}</ul>${hidden(of) > 0 && html`<p><a class="button" href="${toList(of, found.length)}">${context.t('more', { count: hidden(of) })}</a></p>`}`
    },
  )
}

/** Context of the days of a view. */
interface Around {
  /** Address of a day, with the active filters. */
  toDay(day: string): string
  /** Address of the list of a day's events, at the page of the event with this number. */
  toList(day: string, behind: number): string
  /** Number of events of a day that are not shown. */
  hidden(day: string): number
}

function hiddenOn(events: readonly Event[], counts: ReadonlyMap<string, number>): Around['hidden'] {
  const shown = new Map<string, number>()
  for (const { row } of events) shown.set(startDay(row), (shown.get(startDay(row)) ?? 0) + 1)
  return (day) => (counts.get(day) ?? 0) - (shown.get(day) ?? 0)
}

async function show(
  context: Context,
  span: DayRange,
  draw: (found: readonly Event[], around: Around) => Markup,
): Promise<Answer> {
  const { view, title } = span
  checkReach(context, span.day)
  const filters = await readFilters(context)
  const { events: all, counts } = await eventsOn(context, filters, span, PER_DAY[view], MOST)
  // An event that ends in the night of the first day belongs to the day before.
  const found = all.filter(({ row }) => lastDay(row) >= span.from)
  const hidden = hiddenOn(all, counts)
  const isNow = span.from <= context.today && context.today <= span.to
  const path = `/events/${view}/${context.call.slug === '' ? '' : `${address(view, span.day)}/`}`
  const way = (to: string, key: string): Way | undefined =>
    isInReach(context, to)
      ? {
          path: `/events/${view}/${address(view, to)}/${searchOf(filters, NO_DATES)}`,
          label: context.t(`${key}_${view}`),
        }
      : undefined
  const toDay = (day: string) => context.link(`/events/day/${day}/${searchOf(filters, NO_DATES)}`)
  const toList = (day: string, behind: number) =>
    context.link(
      `/events/${searchOf(filters, { start: day, end: day, page: Math.max(1, Math.floor(behind / PER_PAGE)) })}`,
    )
  const main = html`<div class="wide">
<h1>${title}</h1>
${await controls(context, { view, day: isNow ? context.today : span.day, filters, previous: way(span.previous, 'previous'), next: way(span.next, 'next') }, path)}
${found.length > 0 || view === 'month' ? draw(found, { toDay, toList, hidden }) : empty(context)}
</div>`
  return answer(context, {
    title,
    description: context.t('view_description', { when: title, name: context.call.scope.site.name }),
    path: `${path}${searchOf(filters, NO_DATES)}`,
    main,
    at: 'calendar',
    feed: feedOf('/events', filters),
    hidden: isNarrowed(filters) || found.length === 0 || isFar(context, span.day),
  })
}

const NO_DATES: Partial<Filters> = { start: null, end: null, page: 1 }

function address(view: DayRange['view'], day: string): string {
  return view === 'month' ? day.slice(0, 7) : day
}

function isInReach({ today }: Context, day: string): boolean {
  const years = Number(day.slice(0, 4)) - Number(today.slice(0, 4))
  return years >= -YEARS_BACK && years <= YEARS_AHEAD
}

function checkReach(context: Context, day: string): void {
  if (!isInReach(context, day)) throw new AppError('rest_no_route')
}

function isFar({ today }: Context, day: string): boolean {
  return Math.abs(Number(day.slice(0, 4)) - Number(today.slice(0, 4))) > YEARS_LISTED
}

function isLong({ row }: Event): boolean {
  return startDay(row) !== lastDay(row)
}

function part(events: readonly Event[], test: (event: Event) => boolean): [Event[], Event[]] {
  return [events.filter(test), events.filter((event) => !test(event))]
}

/** Long events, listed once above the days. */
function longStrip(context: Context, events: readonly Event[]): Markup | null {
  return events.length > 0 ? strip(context, 'long', context.t('several_days'), events) : null
}

/** Month as a grid of weeks. On a narrow screen: a small calendar with links to a list of days. */
function monthGrid(context: Context, weeks: readonly Day[][], month: string, around: Around): Markup {
  const days = weeks.flat()
  const isOutside = (day: string) => day.slice(0, 7) !== month.slice(0, 7)
  const older = new Map(
    days
      .flatMap(({ day: of, slots }) => (isOutside(of) ? [] : slots))
      .filter(({ event }) => startDay(event.row) < month)
      .map(({ event }) => [event.row.id, event]),
  )
  const heads = (weeks[0] ?? []).map(({ day: of }) => html`<span>${say(context, of, 'weekdayShort')}</span>`)
  const small = days.map(({ day: of, slots }) => {
    const classes = [isOutside(of) && 'outside', of === context.today && 'today', begins(slots) && 'busy']
    const name = classes.filter(Boolean).join(' ')
    return begins(slots) && !isOutside(of)
      ? html`<a class="${name}" href="#day-${of}">${Number(of.slice(8))}</a>`
      : html`<span class="${name}">${Number(of.slice(8))}</span>`
  })
  return html`<nav class="small-month" aria-label="${context.t('navigation.days')}">${heads}${small}</nav>
<div class="weekdays" aria-hidden="true">${heads}</div>
${older.size > 0 && html`<div class="small-only">${strip(context, 'older', context.t('several_days'), [...older.values()])}</div>`}
<ol class="month">${days.map((one) => monthDay(context, one, isOutside(one.day), around))}</ol>
${days.every(({ slots, day: of }) => slots.length === 0 || isOutside(of)) && html`<div class="empty small-only"><p>${context.t('none')}</p></div>`}`
}

/** Whether an event begins on a day. */
function begins(slots: readonly Slot[]): boolean {
  return slots.some(({ span, before }) => span > 0 && !before)
}

function monthDay(context: Context, { day: of, slots }: Day, outside: boolean, around: Around): Markup {
  const { t } = context
  const address = around.toDay(of)
  const shown = slots.filter(({ lane }) => lane < LANES)
  const more = slots.length - shown.length + around.hidden(of)
  const classes = ['day', outside && 'outside', of === context.today && 'today', !begins(slots) && 'idle']
  return html`<li class="${classes.filter(Boolean).join(' ')}" id="day-${of}"><h2><a href="${address}"><time datetime="${of}"><span class="long">${say(context, of, 'day')}</span><span class="number" aria-hidden="true">${Number(of.slice(8))}</span></time></a></h2>
${slots.length > 0 && html`<ul>${writeValid(context.call.scope, shown, (slot) => bar(context, slot))}</ul>`}${more > 0 && html`<a class="more" href="${address}">${t('more', { count: more })}<span class="unseen"> ${say(context, of, 'short')}</span></a>`}</li>
`
}

function bar(context: Context, { event, lane, span, before, after }: Slot): Markup {
  const { row } = event
  const time = startTime(context, row)
  const long = span !== 1 || row.all_day === 1 || before || after
  const classes = [
    `lane-${lane}`,
    hue(event),
    long && 'bar',
    span > 1 && `span-${span}`,
    span === 0 && 'over',
    before && 'before',
    after && 'after',
  ]
  return html`<li class="${classes.filter(Boolean).join(' ')}"><a href="${context.link(eventPath(event))}" title="${row.title}">${!long && time !== '' && html`<span class="time">${time}</span> `}<span class="name" dir="auto">${row.title}</span>${span > 1 && html`<span class="unseen"> ${whenShort(context, row)}</span>`}</a></li>`
}

/** Week as seven columns or, on a narrow screen, seven lists. */
function weekColumns(context: Context, days: readonly Day[], { toDay, hidden }: Around): Markup {
  return html`<ol class="week">${days.map(
    ({
      day: of,
      slots,
    }) => html`<li class="day${of === context.today && ' today'}"><h2><a href="${toDay(of)}"><time datetime="${of}"><span class="weekday">${say(context, of, 'weekdayShort')}</span> <span class="number">${Number(of.slice(8))}</span> <span class="unseen">${say(context, of, 'month')}</span></time></a></h2>
${slots.length > 0 && html`<ul>${writeValid(context.call.scope, slots, ({ event }) => weekCard(context, event))}</ul>`}${hidden(of) > 0 && html`<a class="more" href="${toDay(of)}">${context.t('more', { count: hidden(of) })}</a>`}</li>
`,
  )}</ol>`
}

function weekCard(context: Context, event: Event): Markup {
  const where = whereOf(event)
  return html`<li class="${hue(event)}"><p class="when">${whenShort(context, event.row)}</p><h3><a href="${context.link(eventPath(event))}" dir="auto">${event.row.title}</a></h3>${where !== '' && html`<p class="where" dir="auto">${where}</p>`}</li>`
}

/** Routes of the views: at today, and at the date of the address. */
export const gridViews: readonly View[] = [
  { path: '/events/month', methods: ['GET'], parameters: LIST_FILTERS, handle: month },
  { path: '/events/month/:slug', methods: ['GET'], parameters: LIST_FILTERS, handle: month },
  { path: '/events/week', methods: ['GET'], parameters: LIST_FILTERS, handle: week },
  { path: '/events/week/:slug', methods: ['GET'], parameters: LIST_FILTERS, handle: week },
  { path: '/events/day', methods: ['GET'], parameters: LIST_FILTERS, handle: day },
  { path: '/events/day/:slug', methods: ['GET'], parameters: LIST_FILTERS, handle: day },
]
