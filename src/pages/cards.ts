import type { EventEntry } from '../domain/event-entries.ts'
import type { Image } from '../domain/images.ts'
import type { Linked, LinkedKind } from '../domain/linked-records.ts'
import type { Term } from '../domain/terms.ts'
import { writeValid } from '../http/write-valid.ts'
import { isRightToLeft } from '../lib/direction.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { art } from './art.ts'
import { basePath } from './assets.ts'
import type { Context } from './context.ts'
import { isThisYear, say, startDay, timeOf, whenShort } from './dates.ts'
import { icon } from './icons.ts'
import { costOf } from './money.ts'
import { isLongerThanBar } from './weeks.ts'

/** Number of category colours, as in web/pages.css. */
const HUES = 6

/** CSS class for the category colour of an event. */
export function hue({ categories, whole }: EventEntry): string {
  const [first] = whole ? categories : []
  return first === undefined ? 'plain' : `hue-${first.id % HUES}`
}

export function eventPath({ row }: EventEntry): string {
  return `/event/${row.slug}/`
}

export function termPath({ kind, path, slug }: Term): string {
  return kind === 'category' ? `/events/category/${path}/` : `/tag/${slug}/`
}

/** Path of the list of all dates of a series. */
export function seriesPath(id: number): string {
  return `/events/?series=${id}`
}

/** Keeps a sign in the line of the word before it. */
export const JOINED = '\u00a0'

/** Sign of an event that recurs. */
export function recurs({ t }: Context, { row }: EventEntry, before = ''): MarkupPart {
  return (
    row.series !== null && html`${before}<span class="recurs" role="img" aria-label="${t('series.recurs')}"></span>`
  )
}

export function recordPath(kind: LinkedKind, { row }: Linked): string {
  return `/${kind}/${row.slug}/`
}

/** Image with reserved space and a source set of all sizes. */
export function picture(
  { call }: Context,
  image: Image,
  { sizes, square = false, lazy = true }: { sizes: string; square?: boolean; lazy?: boolean },
): Markup {
  const base = `${basePath(call.addresses.home)}/images/`
  const { thumbnail, ...fitted } = image.sizes
  const files = [square ? thumbnail : undefined, ...Object.values(fitted), image].filter((file) => file !== undefined)
  const usable = files.filter(({ width }, place) => place === 0 || width <= 2048)
  const [first = image] = usable
  const set = usable.map(({ file, width }) => `${base}${file} ${width}w`).join(', ')
  const shown = square ? { width: 150, height: 150 } : { width: image.width, height: image.height }
  return html`<img src="${base}${first.file}" srcset="${set}" sizes="${sizes}" width="${shown.width}" height="${shown.height}" alt="${image.alt}"${lazy && html` loading="lazy"`} decoding="async">`
}

/** Attribute for the direction of an event: its date, category and place follow its title. */
export function direction({ row }: EventEntry): MarkupPart {
  return isRightToLeft(row.title) && html` dir="rtl"`
}

/** Location of an event, in one line. */
export function whereOf({ venues, whole }: EventEntry): string {
  const { venue, city } = (whole && venues[0]?.row) || {}
  return venue && city ? `${venue}, ${city}` : `${venue || city || ''}`
}

/** Badges: not published, protected, online, featured. */
export function marks({ t }: Context, { row, whole }: EventEntry): MarkupPart[] {
  return [
    row.status !== 'publish' && html`<span class="mark">${t(`status.${row.status}`)}</span>`,
    row.password_hash !== null && html`<span class="mark">${icon('lock')}${t('protected')}</span>`,
    whole && row.is_virtual === 1 && html`<span class="mark">${icon('globe')}${t('online')}</span>`,
    whole && row.featured === 1 && html`<span class="mark star">${icon('star')}${t('featured')}</span>`,
  ]
}

/** Event in a list that is grouped by day. */
export function eventItem(context: Context, event: EventEntry, level: 3 | 4 = 4, pictured = true): Markup {
  const { row, image, whole } = event
  const where = whereOf(event)
  const cost = costOf(context, event)
  const heading = html`<a href="${context.link(eventPath(event))}" dir="auto">${row.title}</a>`
  const chips = event.categories.slice(0, 2).map((one) => html`<span class="chip" dir="auto">${one.name}</span>`)
  return html`<li class="event ${hue(event)}"${direction(event)}><article>
<p class="when">${timeOf(row, whenShort(context, row))}${recurs(context, event)}${marks(context, event)}</p>
${level === 3 ? html`<h3>${heading}</h3>` : html`<h4>${heading}</h4>`}
${where !== '' && html`<p class="where"><bdi>${where}</bdi></p>`}
${whole && (cost !== '' || chips.length > 0) && html`<p class="about">${chips}${cost !== '' && html`<span class="cost" dir="auto">${cost}</span>`}</p>`}
</article>${pictured && whole && image && picture(context, image, { sizes: '75px', square: true })}</li>`
}

/** Events grouped by the month and the day in which they begin. */
export function agenda(
  context: Context,
  events: readonly EventEntry[],
  { pictured }: { readonly pictured: boolean },
): Markup {
  const byMonth = Map.groupBy(events, ({ row }) => row.start_local.slice(0, 7))
  return html`${[...byMonth].map(
    ([month, its]) => html`<h2 class="month-name">${say(context, `${month}-01`, 'month')}</h2>
<ol class="agenda">
${[...Map.groupBy(its, ({ row }) => startDay(row))].map(([day, shown]) => dayOf(context, day, shown, pictured))}
</ol>`,
  )}`
}

function dayOf(context: Context, day: string, events: readonly EventEntry[], pictured: boolean): Markup {
  return html`<li class="day${day === context.today && ' today'}"><h3><a href="${context.link(`/events/day/${day}/`)}"><time datetime="${day}"><span class="weekday">${say(context, day, 'weekdayShort')}</span> <span class="number">${Number(day.slice(8))}</span> <span class="unseen">${say(context, day, 'month')}</span></time></a></h3>
<ul class="events">${writeValid(context.call.scope, events, (event) => eventItem(context, event, 4, pictured))}</ul></li>
`
}

/** Event as a card with its image, or a drawing by category. */
function eventCard(context: Context, event: EventEntry, { lazy = true }: { lazy?: boolean }): Markup {
  const { row, image, whole } = event
  const day = startDay(row)
  const where = whereOf(event)
  return html`<li class="card ${hue(event)}"${direction(event)}>
<div class="frame">${whole && image ? picture(context, image, { sizes: '280px', lazy }) : art(hue(event))}</div>
<p class="when"><time datetime="${day}">${say(context, day, isThisYear(context, day) ? 'day' : 'dayYear')}</time></p>
<h3><a href="${context.link(eventPath(event))}" dir="auto">${row.title}</a></h3>
<p class="where"><bdi>${[row.all_day !== 1 && say(context, row.start_local, 'time'), where].filter(Boolean).join(' · ')}</bdi></p>
</li>`
}

/** Grid of cards. The first images of a page load eagerly. */
export function eventCards(context: Context, events: readonly EventEntry[], options: { lazy?: boolean } = {}): Markup {
  return html`<ul class="cards">${writeValid(context.call.scope, events, (event) => eventCard(context, event, options))}</ul>`
}

/** Number of events that a strip shows before the others open in place. */
const OPEN_IN_STRIP = 5

/** Events that last several days. */
export function strip(context: Context, id: string, title: string, events: readonly EventEntry[]): Markup {
  const items = writeValid(context.call.scope, events, (event) => {
    const where = whereOf(event)
    return html`<li class="${hue(event)}"${direction(event)}${isLongerThanBar(event.row) && html` data-long`}><a href="${context.link(eventPath(event))}" dir="auto">${event.row.title}</a> <span>${timeOf(event.row, whenShort(context, event.row))}${recurs(context, event, JOINED)}${where !== '' && html` · <bdi>${where}</bdi>`}</span></li>`
  })
  // One more takes no more room than the control that would hide it.
  const open = items.length <= OPEN_IN_STRIP + 1 ? items.length : OPEN_IN_STRIP
  const rest = items.slice(open)
  return html`<section class="running" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul>${items.slice(0, open)}</ul>${rest.length > 0 && html`<details><summary>${context.t('further', { count: rest.length })}</summary><ul>${rest}</ul></details>`}</section>`
}
