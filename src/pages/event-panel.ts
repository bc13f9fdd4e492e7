import { addDays } from '../calendar/days.ts'
import { toWallClock } from '../calendar/zone.ts'
import type { Event, TicketRow } from '../domain/events.ts'
import { firstWords } from '../lib/html.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { eventPath, recordPath, whereOf } from './cards.ts'
import type { Context } from './context.ts'
import { lastDay, say, startDay } from './dates.ts'
import { icon } from './icons.ts'
import { isPlaced, openStreetMap } from './map-drawing.ts'
import { costOf, priceOf } from './money.ts'
import { addressOf, hostOf, placeMap } from './subjects.ts'

/** Length of the description in links to other calendars. */
const MAX_DETAILS = 600

/** Links of an event other than venues. */
const PEOPLE = LINKED_KINDS.filter((kind) => kind !== 'venue')

/** Facts of an event: place, organizers, cost, tickets, and what a reader can do. */
export function eventPanel(context: Context, event: Event): Markup {
  const { row, tickets } = event
  const { t } = context
  const cost = costOf(context, event)
  const facts: MarkupPart[] = [
    ...event.venues.map((venue) => place(context, event, venue)),
    ...PEOPLE.flatMap((kind) =>
      event[`${kind}s`].map(
        (one) =>
          html`<li>${icon('people')}<a href="${context.link(recordPath(kind, one))}"><bdi>${one.row[kind]}</bdi></a></li>`,
      ),
    ),
    cost !== '' && html`<li>${icon('ticket')}<span dir="auto">${cost}</span></li>`,
    row.website && html`<li>${icon('link')}<a href="${row.website}" rel="noreferrer">${hostOf(row.website)}</a></li>`,
  ]
  return html`<aside class="panel" aria-label="${t('details')}">${actions(context, event)}
${facts.some(Boolean) && html`<ul class="facts">${facts}</ul>`}
${tickets.length > 0 && html`<h2>${t('tickets.label')}</h2><ul class="tickets">${tickets.map((ticket) => ticketItem(context, event, ticket))}</ul>`}
</aside>`
}

/** Buttons: tickets first. A past event has neither tickets nor a way into a calendar. */
function actions(context: Context, event: Event): Markup {
  const { t, now } = context
  const isPast = event.row.end_utc < now
  const ticket = isPast ? undefined : event.tickets.find((one) => one.url && saleOf(context, one) === 'open')
  return html`<div class="actions">${ticket && html`<a class="button primary" href="${ticket.url}" rel="noreferrer">${icon('ticket')}${t('tickets.get')}</a>`}${!isPast && keep(context, event, ticket === undefined)}<button class="button" type="button" data-share data-copied="${t('share.copied')}" hidden>${icon('share')}<span>${t('share.label')}</span></button></div>`
}

function place(context: Context, { row }: Event, venue: Event['venues'][number]): Markup {
  const address = addressOf(venue)
  const linked = row.show_map_link === 1 || venue.row.show_map_link === 1
  return html`<li>${icon('pin')}<div><a href="${context.link(recordPath('venue', venue))}" dir="auto">${venue.row.venue}</a>${address.length > 0 && html`<address><bdi>${address.join(', ')}</bdi></address>`}
${linked && (isPlaced(venue) || address.length > 0) && html`<p class="aside"><a href="${openStreetMap(venue)}" rel="noreferrer">${context.t('open_map')}</a></p>`}</div>${placeMap(context, venue)}</li>`
}

/** Whether tickets are on sale. */
function saleOf({ now }: Context, { available_from: from, available_until: until }: TicketRow) {
  if (until !== null && until < now) return 'closed'
  return from !== null && from > now ? 'later' : 'open'
}

function ticketItem(context: Context, event: Event, ticket: TicketRow): Markup {
  const { timezone, end_utc } = event.row
  const { t, now } = context
  const sale = end_utc < now ? 'closed' : saleOf(context, ticket)
  const from = toWallClock(ticket.available_from ?? 0, timezone)
  const state = {
    open: '',
    closed: t('tickets.closed'),
    later: t('tickets.from', { when: say(context, from, 'dayTime') }),
  }
  const name = html`<bdi>${ticket.name}</bdi>`
  return html`<li>${ticket.url && sale === 'open' ? html`<a href="${ticket.url}" rel="noreferrer">${name}</a>` : name}<span>${priceOf(context, event, ticket)}</span>${sale !== 'open' && html`<small>${state[sale]}</small>`}</li>`
}

/** “Add to calendar”: an .ics file, and links to two web calendars. */
function keep(context: Context, event: Event, isFirst: boolean): Markup {
  const { row } = event
  const { t, link } = context
  const text = details(context, event)
  const own = row.password_hash === null
  return html`<details class="menu"><summary class="button${isFirst && ' primary'}">${icon('calendar')}${t('keep.label')}</summary><ul>
${own && html`<li><a href="${link(`/event/${row.slug}.ics`)}">${t('keep.file')}</a></li>`}
${own && row.series !== null && html`<li><a href="${link(`/event/${row.slug}.ics?scope=all`)}">${t('keep.series')}</a></li>`}
<li><a href="${googleAddress(event, text)}" rel="noreferrer">Google Calendar</a></li>
<li><a href="${outlookAddress(event, text)}" rel="noreferrer">Outlook</a></li></ul></details>`
}

function details(context: Context, event: Event): string {
  const { row } = event
  const text = firstWords(row.excerpt || row.description || '', MAX_DETAILS)
  return [text, context.absolute(eventPath(event))].filter(Boolean).join('\n\n')
}

function location(event: Event): string {
  const [venue] = event.venues
  return venue === undefined ? '' : [venue.row.venue, ...addressOf(venue)].join(', ') || whereOf(event)
}

function googleAddress(event: Event, text: string): string {
  const { row } = event
  const utc = (instant: number) => `${toWallClock(instant, 'UTC').replace(/[-:]/g, '').replace(' ', 'T')}Z`
  const plain = (day: string) => day.replaceAll('-', '')
  const dates =
    row.all_day === 1
      ? `${plain(startDay(row))}/${plain(addDays(lastDay(row), 1))}`
      : `${utc(row.start_utc)}/${utc(row.end_utc)}`
  const search = {
    action: 'TEMPLATE',
    text: row.title,
    dates,
    details: text,
    location: location(event),
  }
  return `https://calendar.google.com/calendar/render?${new URLSearchParams(search)}`
}

function outlookAddress(event: Event, text: string): string {
  const { row } = event
  const utc = (instant: number) => `${toWallClock(instant, 'UTC').replace(' ', 'T')}Z`
  const allDay = row.all_day === 1
  const search = {
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: row.title,
    startdt: allDay ? startDay(row) : utc(row.start_utc),
    enddt: allDay ? addDays(lastDay(row), 1) : utc(row.end_utc),
    ...(allDay && { allday: 'true' }),
    body: text,
    location: location(event),
  }
  return `https://outlook.live.com/calendar/0/deeplink/compose?${new URLSearchParams(search)}`
}
