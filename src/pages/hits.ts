import type { Event } from '../domain/events.ts'
import { writeValid } from '../http/write-valid.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { replaceWords, spellingIn, wordsOf } from '../lib/words.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { direction, eventPath, hue, marks, picture, whereOf } from './cards.ts'
import type { Context } from './context.ts'
import { lastDay, say, sayRange, startDay, timeOf } from './dates.ts'
import { type Filters, searchOf } from './filters.ts'
import { costOf } from './money.ts'

/** Events in the order of a search or of their distance: each with its date. */
export function hitList(context: Context, events: readonly Event[]): Markup {
  return html`<h2 class="unseen">${context.t('hits')}</h2>
<ol class="hits">${writeValid(context.call.scope, events, (event) => hit(context, event))}</ol>`
}

function hit(context: Context, event: Event): Markup {
  const { row, image, whole, distance } = event
  const where = whereOf(event)
  const cost = costOf(context, event)
  const chips = event.categories.slice(0, 2).map((one) => html`<span class="chip" dir="auto">${one.name}</span>`)
  return html`<li class="event ${hue(event)}"${direction(event)}><article>
<h3 class="when">${timeOf(row, dateOf(context, event))}${marks(context, event)}</h3>
<h4><a href="${context.link(eventPath(event))}" dir="auto">${row.title}</a></h4>
${(where !== '' || distance !== null) && html`<p class="where">${where !== '' && html`<bdi>${where}</bdi>`}${distance !== null && html` <bdi class="distance">${distanceIn(context, distance)}</bdi>`}</p>`}
${whole && (cost !== '' || chips.length > 0) && html`<p class="about">${chips}${cost !== '' && html`<span class="cost" dir="auto">${cost}</span>`}</p>`}
</article>${whole && image && picture(context, image, { sizes: '75px', square: true })}</li>
`
}

function dateOf(context: Context, { row }: Event): string {
  const [first, last] = [startDay(row), lastDay(row)]
  if (first !== last) return sayRange(context, first, last, 'shortYear')
  return row.all_day === 1 ? say(context, first, 'dayYear') : say(context, row.start_local, 'dayYearTime')
}

/** Kilometres in a mile. */
const MILE = 1.609344

/** Distance in kilometres, or in miles for readers in the United States. */
export function distanceIn({ locale }: Pick<Context, 'locale'>, kilometres: number): string {
  const [unit, value] = locale === 'en-US' ? ['mile', kilometres / MILE] : ['kilometer', kilometres]
  const maximumFractionDigits = Number(value) < 10 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'unit', unit: String(unit), maximumFractionDigits }).format(
    Number(value),
  )
}

/** Number of hits, and the search that is shown in place of one that finds nothing. */
export function foundCount(
  context: Context,
  path: string,
  total: number,
  filters: Filters,
  meant: string | null,
): MarkupPart {
  const { t, count, link } = context
  const [before = '', after = ''] = t('did_you_mean').split('{words}')
  const address = meant !== null && link(`${path}${searchOf(filters, { search: meant, page: 1 })}`)
  return html`<div class="found" role="status">${meant !== null && html`<p>${t('nothing_for', { search: filters.search })} ${before}<a href="${address}" dir="auto">${meant}</a>${after}</p>`}<p>${count('found', total)}</p></div>`
}

/** A corrected search as its hits spell it: suggestions are made of words without accents. */
export function spelledAs(meant: string, events: readonly Event[]): string {
  const texts = events
    .filter(({ whole }) => whole)
    .flatMap((event) => [
      event.row.title,
      ...LINKED_KINDS.flatMap((kind) => event[`${kind}s`].flatMap(({ row }) => [row[kind], row.city])),
      ...[...event.categories, ...event.tags].map(({ name }) => name),
    ])
    .filter((text) => typeof text === 'string')
  const spellings = wordsOf(meant).flatMap((word): [string, string][] => {
    const spelling = texts.map((text) => spellingIn(text, word)).find((found) => found !== undefined)
    return spelling === undefined ? [] : [[word, spelling.toLowerCase()]]
  })
  return replaceWords(meant, new Map(spellings))
}
