import { addDays } from '../calendar/days.ts'
import * as eventList from '../domain/event-list.ts'
import * as terms from '../domain/terms.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { html } from '../lib/markup.ts'
import { agenda, eventCards, termPath } from './cards.ts'
import { contextOf } from './context.ts'
import { subscribe } from './controls.ts'
import { say } from './dates.ts'
import { emptyList } from './empty.ts'
import { feedOf, readFilters } from './filters.ts'
import { icon } from './icons.ts'
import { answer } from './layout.ts'
import { running, upcoming } from './list.ts'
import { item, quickChoices } from './quick-choices.ts'
import { readMonth, smallMonth } from './small-month.ts'

const UPCOMING = 10
const FEATURED = 3
const CATEGORIES = 12

/** Start page: featured events, next events, and links to further pages. Without upcoming events it has no quick choices: they would lead to empty pages. */
async function start(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const { t, link, today } = context
  const month = readMonth(context)
  const isTurned = month.slice(0, 7) !== today.slice(0, 7)
  const filters = await readFilters({ ...context, call: { ...call, search: new URLSearchParams() } })
  const soon = { featured: true, starts_after: addDays(today, -1), per_page: FEATURED }
  const featured = (await eventList.list(call.scope, () => soon)).events
  const { found } = await upcoming(context, filters, UPCOMING)
  const byCount = { orderby: 'count', order: 'desc', per_page: CATEGORIES }
  const { rows: categories } = await terms.list(call.scope, 'category', () => byCount)
  const main = html`<div class="hero"><div class="wide"><div>
<p class="eyebrow">${say(context, today, 'dayYear')}</p>
<h1>${t('start.title')}</h1>
<search><form class="find" method="get" action="${link('/events/')}">
<label class="unseen" for="search">${t('filters.search')}</label>
${icon('search')}<input id="search" type="search" name="search" placeholder="${t('filters.search')}" maxlength="200" dir="auto">
<button class="button primary" type="submit">${t('filters.find')}</button></form></search>
${found.length > 0 && quickChoices(context, filters, { first: [item(link('/events/day/'), t('today')), item(link(`/events/day/${addDays(today, 1)}/`), t('tomorrow'))] })}</div>
${await smallMonth(context, month)}
</div></div>
<div class="wide">
${featured.length > 0 && html`<section aria-labelledby="featured"><h2 id="featured">${t('featured')}</h2>${eventCards(context, featured, { lazy: false })}</section>`}
<div class="columns"><section aria-labelledby="next"><div class="heading"><h2 id="next">${t('upcoming')}</h2>${subscribe(context, '/events', filters)}</div>
${found.length > 0 ? agenda(context, found, { pictured: featured.length === 0 }) : await emptyList(context, filters, '/events/')}
${found.length > 0 && html`<p><a class="button" href="${link('/events/')}">${t('all_events')}${icon('forward')}</a></p>`}</section>
<div class="side">${await running(context, filters)}
${categories.length > 0 && html`<section aria-labelledby="topics"><h2 id="topics">${t('categories')}</h2><ul class="topics">${categories.map((one) => html`<li class="hue-${one.id % 6}"><a href="${link(termPath(one))}"><bdi>${one.name}</bdi> <span>${one.count}</span></a></li>`)}</ul></section>`}</div></div>
</div>`
  return answer(context, {
    title: t('start.title'),
    description: t('list_description', { name: call.scope.site.name }),
    path: isTurned ? `/?month=${month.slice(0, 7)}` : '/',
    hidden: isTurned,
    main,
    at: 'start',
    feed: feedOf('/events', filters),
  })
}

export const startViews: readonly View[] = [{ path: '/', methods: ['GET'], parameters: ['month'], handle: start }]
