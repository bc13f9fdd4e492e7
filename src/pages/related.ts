import type { Event } from '../domain/events.ts'
import { type RelatedEvents, relatedTo } from '../domain/related-events.ts'
import { writeValid } from '../http/write-valid.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import { direction, eventCards, eventPath, hue, recordPath, seriesPath, whereOf } from './cards.ts'
import type { Context } from './context.ts'
import { startDay, timeOf, whenBrief } from './dates.ts'
import { icon } from './icons.ts'

/** What a page of an event shows of others. */
export interface Related {
  /** The next of its other dates, if one is to come. */
  readonly next: Event | undefined
  /** Sections below the event: other dates, more at its venue, more by its organizer, similar events. */
  readonly sections: MarkupPart
}

export async function related(context: Context, event: Event): Promise<Related> {
  const found = await relatedTo(context.call.scope, event, context.today)
  return {
    next: found.dates.find(({ row }) => row.start_utc >= context.now),
    sections: sections(context, event, found),
  }
}

function sections(context: Context, event: Event, found: RelatedEvents): Markup {
  const linked = LINKED_KINDS.filter((kind) => found[kind].length > 0)
  return html`${found.dates.length > 0 && dates(context, event, found)}
${linked.length > 0 && html`<div class="related more-of">${linked.map((kind) => moreOf(context, event, kind, found))}</div>`}
${found.similar.length > 0 && section(context, 'similar', eventCards(context, found.similar))}`
}

function section({ t }: Context, name: string, content: MarkupPart): Markup {
  return html`<section class="related" aria-labelledby="related-${name}"><h2 id="related-${name}">${t(`related.${name}`)}</h2>${content}</section>`
}

/** Dates of a series. The name is repeated only where it differs. */
function dates(context: Context, { row, series }: Event, { dates: found }: RelatedEvents): Markup {
  const items = writeValid(context.call.scope, found, (one) => {
    const isPast = startDay(one.row) < context.today
    const name = one.row.title === row.title ? null : html` <bdi>${one.row.title}</bdi>`
    return html`<li class="${hue(one)}${isPast && ' past'}"><a href="${context.link(eventPath(one))}">${timeOf(one.row, whenBrief(context, one.row))}${name}</a></li>`
  })
  const all =
    series &&
    html`<p class="aside"><a href="${context.link(seriesPath(series.id))}">${context.t('series.all_dates')}${icon('forward')}</a></p>`
  return section(context, 'dates', html`<ul class="series">${items}</ul>${all}`)
}

function moreOf(context: Context, event: Event, kind: LinkedKind, found: RelatedEvents): Markup {
  const { link, t } = context
  const items = writeValid(context.call.scope, found[kind], (one) => {
    const where = kind === 'venue' ? '' : whereOf(one)
    return html`<li class="${hue(one)}"${direction(one)}><p class="when">${timeOf(one.row, whenBrief(context, one.row))}</p><h3><a href="${link(eventPath(one))}" dir="auto">${one.row.title}</a></h3>${where !== '' && html`<p class="where"><bdi>${where}</bdi></p>`}</li>`
  })
  const records = event[`${kind}s`].map(
    (one) =>
      html`<p class="aside"><a href="${link(recordPath(kind, one))}"><bdi>${one.row[kind]}</bdi>${icon('forward')}</a></p>`,
  )
  return html`<section aria-labelledby="related-${kind}"><h2 id="related-${kind}">${t(`related.${kind}`)}</h2><ul class="briefs">${items}</ul>${records}</section>`
}
