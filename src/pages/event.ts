import { mayEdit } from '../domain/access.ts'
import type { Event } from '../domain/events.ts'
import * as events from '../domain/events.ts'
import { findShown } from '../domain/records.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { firstWords } from '../lib/html.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { slugify } from '../lib/slug.ts'
import { eventLd } from '../rest/json-ld.ts'
import { seriesText } from '../rest/present-recurrence.ts'
import { art } from './art.ts'
import { direction, eventPath, hue, marks, picture, seriesPath, termPath } from './cards.ts'
import { type Context, contextOf, MAX_ABOUT } from './context.ts'
import { daysOf, timeOf, whenBrief, whenLong } from './dates.ts'
import { eventPanel } from './event-panel.ts'
import { icon } from './icons.ts'
import { answer } from './layout.ts'
import { redirect, spelled } from './redirect.ts'
import { related } from './related.ts'
import { prose } from './subjects.ts'

/** An event without an image has a drawing if its text has fewer characters. */
const SHORT = 300

async function event(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const ref = { slug: slugify(call.slug) }
  const seen = await events.peek(call.scope, ref, findShown)
  const { password } = call.body()
  if (!spelled(call.slug, seen.row.slug) && password === undefined) return redirect(context, eventPath(seen))
  if (seen.whole) return eventPage(context, seen)
  if (password === undefined) return passwordPage(context, seen, false)
  try {
    const opened = await events.get(call.scope, ref, () => ({ password }), findShown)
    return eventPage(context, opened)
  } catch (error) {
    if (error instanceof AppError && error.code === 'event-password-protected') return passwordPage(context, seen, true)
    throw error
  }
}

export async function eventPage(context: Context, shown: Event, note: MarkupPart = null): Promise<Answer> {
  const { call, t, now } = context
  const { row, image, categories, tags } = shown
  const secret = row.password_hash !== null
  const about = firstWords(row.excerpt || row.description || '', MAX_ABOUT)
  const days = daysOf(context, row)
  const more = secret ? null : await related(context, shown)
  const text = textOf(context, shown)
  const isShort = firstWords(`${row.excerpt ?? ''} ${row.description ?? ''}`, SHORT).length < SHORT
  const main = html`${note}<article class="single-event ${hue(shown)}"><div class="wide">
<div class="heading"${direction(shown)}><div><p class="eyebrow">${categories.map((one) => html`<a href="${context.link(termPath(one))}" dir="auto">${one.name}</a> `)}${marks(context, shown)}</p>
<h1 dir="auto">${row.title}</h1>
${when(context, row)}${recurrence(context, shown)}</div></div>
${row.end_utc < now && html`<p class="note">${t('over')}${more?.next && nextDate(context, more.next)}</p>`}
<div class="subject whole">
${image && html`<div class="picture">${picture(context, image, { sizes: '(min-width: 64rem) 40rem, 92vw', lazy: false })}</div>`}
${!image && isShort && html`<div class="picture drawn">${art(hue(shown))}</div>`}
${eventPanel(context, shown)}
${(text !== null || tags.length > 0) && html`<div class="text"${direction(shown)}>${text}${tags.length > 0 && html`<ul class="tags" aria-label="${t('tags')}">${tags.map((one) => html`<li><a href="${context.link(termPath(one))}">${icon('tag')}<bdi>${one.name}</bdi></a></li>`)}</ul>`}</div>`}
</div>
${more?.sections}
</div></article>`
  return answer(context, {
    title: row.title,
    description: about || days.slice(0, MAX_ABOUT),
    path: eventPath(shown),
    main,
    hidden: secret || row.status !== 'publish',
    secret,
    ...(!secret && { jsonLd: eventLd(shown, call.addresses, call.scope.site) }),
    ...(image && !secret && { image: `${call.addresses.home}/images/${image.file}` }),
    ...(!secret && { feed: { path: `/event/${row.slug}`, search: '', of: 'events' as const } }),
    until: nextChange(context, shown),
    ...(mayEdit(call.scope.user, row) && { edit: `/manage/events/${row.id}` }),
  })
}

/** When the page may change before midnight: the event ends, or a ticket sale begins or ends. */
function nextChange({ now }: Context, { row, tickets }: Event): number {
  const instants = tickets.flatMap(({ available_from: from, available_until: until }) => [
    from ?? 0,
    until === null ? 0 : until + 1,
  ])
  return Math.min(...[row.end_utc + 1, ...instants].filter((at) => at > now))
}

/** Date and time in the event's zone. A script adds the reader's own time if it differs. */
function when(context: Context, row: Event['row']): Markup {
  const [first, between, second] = whenLong(context, row)
  return html`<p class="lead-date">${timeOf(row, first)}${between}<span>${second}</span></p>${row.all_day !== 1 && html`<p class="yours" hidden data-start="${row.start_utc}" data-end="${row.end_utc}" data-zone="${row.timezone}" data-locale="${context.locale}" data-words="${context.t('your_time', { when: '{when}', zone: '{zone}' })}"></p>`}`
}

/** Link to another date of an event that is over. */
function nextDate(context: Context, next: Event): Markup {
  const when = whenBrief(context, next.row)
  return html` <a href="${context.link(eventPath(next))}">${context.t('series.next', { when })}</a>`
}

/** The rule of a series, with a link to all its dates. */
function recurrence({ t, link, language }: Context, { series }: Event): MarkupPart {
  if (series === null) return null
  return html`<p class="recurrence"><span>${icon('repeat')}${seriesText(series, language)}</span> <a href="${link(seriesPath(series.id))}">${t('series.all_dates')}</a></p>`
}

/** Excerpt and description; null without either. */
function textOf(context: Context, { row }: Event): Markup | null {
  const { excerpt, description } = row
  if (!excerpt && !description) return null
  const isRepeated = repeatsStart(excerpt ?? '', description ?? '')
  return html`<div class="prose" dir="auto">${excerpt && !isRepeated && html`<div class="lead">${prose(context, excerpt)}</div>`}${prose(context, description)}</div>`
}

/** Whether a description begins with the words of an excerpt, which may end in an ellipsis. */
function repeatsStart(excerpt: string, description: string): boolean {
  const words = firstWords(excerpt, excerpt.length).replace(/\s*(?:\[?(?:…|\.\.\.)\]?)$/, '')
  return words !== '' && firstWords(description, words.length) === words
}

/** Public part of a protected event, and a form for its password. The password is never in an address. */
function passwordPage(context: Context, seen: Event, wrong: boolean): Answer {
  const { t } = context
  const { row } = seen
  const [first, between, second] = whenLong(context, row)
  const main: Markup = html`<div class="narrow"${direction(seen)}>
<p class="eyebrow">${icon('lock')} ${t('protected')}</p>
<h1 dir="auto">${row.title}</h1>
<p class="lead-date">${timeOf(row, first)}${between}<span>${second}</span></p>
<form class="panel password" method="post" action="${context.link(eventPath(seen))}">
<label for="password">${t('password.label')}</label>
${wrong && html`<p class="problem" id="wrong" role="alert">${t('password.wrong')}</p>`}
<input id="password" type="password" name="password" required autocomplete="off" maxlength="2000"${wrong && html` aria-invalid="true" aria-describedby="wrong"`}${wrong && html` autofocus`}>
<button class="button primary" type="submit">${t('password.open')}</button>
</form></div>`
  return answer(context, {
    title: row.title,
    path: eventPath(seen),
    main,
    hidden: true,
    status: 403,
    secret: true,
  })
}

export const eventViews: readonly View[] = [{ path: '/event/:slug', methods: ['GET', 'POST'], handle: event }]
