import { addDays } from '../calendar/days.ts'
import { mayEdit } from '../domain/access.ts'
import * as eventList from '../domain/event-list.ts'
import type { Event } from '../domain/events.ts'
import * as events from '../domain/events.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { firstWords } from '../lib/html.ts'
import { html, type Markup } from '../lib/markup.ts'
import { slugify } from '../lib/slug.ts'
import { eventLd } from '../rest/json-ld.ts'
import { eventCards, eventPath, hue, marks, picture, termPath } from './cards.ts'
import { type Context, contextOf, MAX_ABOUT } from './context.ts'
import { daysOf, whenLong } from './dates.ts'
import { eventPanel } from './event-panel.ts'
import { icon } from './icons.ts'
import { answer } from './layout.ts'
import { redirect, spelled } from './redirect.ts'
import { prose } from './subjects.ts'

/** Number of related events. */
const RELATED = 3

async function event(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const ref = { slug: slugify(call.slug) }
  const seen = await events.peek(call.scope, ref)
  const { password } = call.body()
  if (!spelled(call.slug, seen.row.slug) && password === undefined) return redirect(context, eventPath(seen))
  if (seen.whole) return eventPage(context, seen)
  if (password === undefined) return passwordPage(context, seen, false)
  try {
    const opened = await events.get(call.scope, ref, () => ({ password }))
    return eventPage(context, opened)
  } catch (error) {
    if (error instanceof AppError && error.code === 'event-password-protected') return passwordPage(context, seen, true)
    throw error
  }
}

async function eventPage(context: Context, shown: Event): Promise<Answer> {
  const { call, t, now } = context
  const { row, image, categories, tags } = shown
  const secret = row.password_hash !== null
  const about = firstWords(row.excerpt || row.description || '', MAX_ABOUT)
  const days = daysOf(context, row)
  const more = secret ? [] : await related(context, shown)
  const main = html`<article class="single-event ${hue(shown)}"><div class="wide">
<div class="heading"><div><p class="eyebrow">${categories.map((one) => html`<a href="${context.link(termPath(one))}" dir="auto">${one.name}</a> `)}${marks(context, shown)}</p>
<h1 dir="auto">${row.title}</h1>
<p class="lead-date">${days}</p></div></div>
${row.end_utc < now && html`<p class="note">${t('over')}</p>`}
<div class="subject whole">
${image && html`<div class="picture">${picture(context, image, { sizes: '(min-width: 64rem) 40rem, 92vw', lazy: false })}</div>`}
${eventPanel(context, shown)}
<div class="text"><div class="prose" dir="auto">${row.excerpt && html`<div class="lead">${prose(context, row.excerpt)}</div>`}${prose(context, row.description)}</div>
${tags.length > 0 && html`<ul class="tags" aria-label="${t('tags')}">${tags.map((one) => html`<li><a href="${context.link(termPath(one))}">${icon('tag')}<bdi>${one.name}</bdi></a></li>`)}</ul>`}</div>
</div>
${more.length > 0 && html`<section class="related" aria-labelledby="related"><h2 id="related">${t('related')}</h2>${eventCards(context, more)}</section>`}
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

/** Related events: at the same venue or else of the same category. */
async function related({ call, today }: Context, { row, venues, categories }: Event): Promise<readonly Event[]> {
  const [venue] = venues
  const [category] = categories
  if (venue === undefined && category === undefined) return []
  const same = venue === undefined ? { categories: [category?.id] } : { venue: [venue.row.id] }
  const query = { ...same, starts_after: addDays(today, -1), per_page: RELATED + 1 }
  const { events: found } = await eventList.list(call.scope, () => query)
  return found.filter((other) => other.row.id !== row.id).slice(0, RELATED)
}

/** Public part of a protected event, and a form for its password. The password is never in an address. */
function passwordPage(context: Context, seen: Event, wrong: boolean): Answer {
  const { t } = context
  const { row } = seen
  const [first, second] = whenLong(context, row)
  const main: Markup = html`<div class="narrow">
<p class="eyebrow">${icon('lock')} ${t('protected')}</p>
<h1 dir="auto">${row.title}</h1>
<p class="lead-date">${first}<br>${second}</p>
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
