import type { EventEntry } from '../domain/event-entries.ts'
import type { Answer } from '../http/endpoint.ts'
import { html, type Markup } from '../lib/markup.ts'
import { strip } from './cards.ts'
import type { Context } from './context.ts'
import { controls, type ViewName, type Way } from './controls.ts'
import { lastDay, startDay } from './dates.ts'
import { emptyRange } from './empty.ts'
import { eventsOn, type Filters, feedOf, isNarrowed, PER_PAGE, readFilters, searchOf } from './filters.ts'
import { answer, type Page } from './layout.ts'
import { checkReach, isFar, isInReach } from './reach.ts'

/** Limit on events shown per day, against floods of events. */
const PER_DAY = { month: 8, week: 40, day: 200 } as const
/** Limit on events of a view. */
const MOST = 500

/** Common part of month, week and day. */
export interface DayRange {
  readonly view: Extract<ViewName, 'month' | 'week' | 'day'>
  readonly title: string
  /** Date in the address. */
  readonly day: string
  /** Days that are shown. */
  readonly from: string
  readonly to: string
  /** Last day that the view is about. A month shows whole weeks, and so some days around it. */
  readonly last: string
  readonly previous: string
  readonly next: string
  /** Says that there are no events. */
  readonly nothing: string
}

/** Context of the days of a view. */
export interface Around {
  /** Address of a day, with the active filters. */
  toDay(day: string): string
  /** Address of the list of a day's events, at the page of the event with this number. */
  toList(day: string, behind: number): string
  /** Number of events of a day that are not shown. */
  hidden(day: string): number
}

/** Page of a month, week or day. */
export async function showDays(
  context: Context,
  range: DayRange,
  draw: (found: readonly EventEntry[], around: Around) => Markup,
  options: Pick<Page, 'scripts' | 'styles' | 'full'> = {},
): Promise<Answer> {
  const { view, title } = range
  checkReach(context, range.day)
  const filters = await readFilters(context)
  // Before the events: choices that are not kept are read by another thread.
  const path = `/events/${view}/${context.call.slug === '' ? '' : `${address(view, range.day)}/`}`
  const tools = await controls(context, locationOf(context, range, filters), path)
  const { events: all, hidden } = await eventsOn(context, filters, range, {
    perDay: PER_DAY[view],
    most: MOST,
    pictured: view === 'day',
  })
  // An event that ends in the night of the first day belongs to the day before.
  const found = all.filter(({ row }) => row.start_local >= range.from || lastDay(row) >= range.from)
  const isEmpty = !found.some((event) => touches(event, range.day, range.last))
  const main = html`<div class="wide">
<h1>${title}</h1>
${tools}
${isEmpty && (await emptyRange(context, filters, { view, from: range.day, to: range.last, words: range.nothing, path }))}${(!isEmpty || view === 'month') && draw(found, aroundOf(context, filters, hidden))}
</div>`
  return answer(context, {
    title,
    description: context.t('view_description', { when: title, name: context.call.scope.site.name }),
    path: `${path}${searchOf(filters, NO_DATES)}`,
    main,
    at: 'calendar',
    feed: feedOf('/events', filters),
    hidden: isNarrowed(filters) || isEmpty || isFar(context, range.day),
    ...options,
  })
}

function locationOf(context: Context, { view, day, from, to, previous, next }: DayRange, filters: Filters) {
  const isNow = from <= context.today && context.today <= to
  const way = (to: string, key: string): Way | undefined =>
    isInReach(context, to)
      ? {
          path: `/events/${view}/${address(view, to)}/${searchOf(filters, NO_DATES)}`,
          label: context.t(`${key}_${view}`),
        }
      : undefined
  return {
    view,
    day: isNow ? context.today : day,
    filters,
    previous: way(previous, 'previous'),
    next: way(next, 'next'),
  }
}

function aroundOf({ link }: Context, filters: Filters, hidden: ReadonlyMap<string, number>): Around {
  const search = searchOf(filters, NO_DATES)
  return {
    hidden: (day) => hidden.get(day) ?? 0,
    toDay: (day) => link(`/events/day/${day}/${search}`),
    toList(day, behind) {
      const page = Math.max(1, Math.floor(behind / PER_PAGE))
      return link(`/events/${searchOf(filters, { start: day, end: day, page })}`)
    },
  }
}

const NO_DATES: Partial<Filters> = { start: null, end: null, page: 1 }

function address(view: DayRange['view'], day: string): string {
  return view === 'month' ? day.slice(0, 7) : day
}

/** Whether an event takes place on one of some days. */
export function touches({ row }: EventEntry, first: string, last: string): boolean {
  return startDay(row) <= last && lastDay(row) >= first
}

export function part(
  events: readonly EventEntry[],
  test: (event: EventEntry) => boolean,
): [EventEntry[], EventEntry[]] {
  const parts: [EventEntry[], EventEntry[]] = [[], []]
  for (const event of events) parts[test(event) ? 0 : 1].push(event)
  return parts
}

/** Long events, listed once above the days. */
export function longStrip(context: Context, events: readonly EventEntry[]): Markup | null {
  return events.length > 0 ? strip(context, 'long', context.t('several_days'), events) : null
}
