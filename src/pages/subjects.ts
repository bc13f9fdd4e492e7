import type { Linked, LinkedKind } from '../domain/linked-records.ts'
import * as linked from '../domain/linked-records.ts'
import { movedLinked, movedTerm } from '../domain/merging.ts'
import { findShown } from '../domain/records.ts'
import type { Term } from '../domain/terms.ts'
import * as terms from '../domain/terms.ts'
import { categoryFeed, feedFile, feedParameters } from '../feeds/views.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import { firstWords, pageHtml } from '../lib/html.ts'
import { html, type Markup, type MarkupPart, safe } from '../lib/markup.ts'
import { slugify } from '../lib/slug.ts'
import { linkedLd } from '../rest/json-ld.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import { picture, recordPath, termPath } from './cards.ts'
import { type Context, contextOf, MAX_ABOUT } from './context.ts'
import { findTerm, LIST_FILTERS, readFilters } from './filters.ts'
import { icon } from './icons.ts'
import { subjectPage } from './list.ts'
import { drawPlace, isPlaced, openStreetMap, pointOf } from './map-drawing.ts'
import { categoryView, nearestCategoryPage } from './plugin-categories.ts'
import { FEATURED } from './plugin-names.ts'
import { redirect, redirectTo, spelled } from './redirect.ts'

/** Pages of venues, organizers, categories and tags. */

async function record(call: Call, kind: LinkedKind): Promise<Answer> {
  const context = contextOf(call)
  const slug = slugify(call.slug)
  const found = await linked.get(call.scope, kind, { slug }, findShown).catch(async (error) => {
    if (!(error instanceof AppError) || error.status !== 404) throw error
    const moved = await movedLinked(call.scope, kind, slug)
    if (moved === null) throw error
    return moved
  })
  const path = recordPath(kind, found)
  if (!spelled(call.slug, found.row.slug)) return redirect(context, path)
  const filters = await readFilters(context, { [kind]: found, fixed: kind })
  const { addresses } = call
  return subjectPage(context, filters, {
    title: String(found.row[kind]),
    eyebrow: context.t(kind),
    path,
    description: firstWords(String(found.row.description ?? ''), MAX_ABOUT) || String(found.row[kind]),
    about: about(context, kind, found),
    jsonLd: linkedLd[kind](found, addresses),
    ...(found.image && { image: `${addresses.home}/images/${found.image.file}` }),
  })
}

/** Head of a venue or organizer: image and description beside the facts, or the facts alone. */
function about(context: Context, kind: LinkedKind, found: Linked): Markup {
  const { image, row } = found
  if (!image && !row.description) return html`<div class="bare">${facts(context, kind, found)}</div>`
  const shown = image && picture(context, image, { sizes: '(min-width: 60rem) 36rem, 92vw', lazy: false })
  return html`<div class="subject"><div class="prose" dir="auto">${shown}${prose(context, row.description)}</div>${facts(context, kind, found)}</div>`
}

/** Descriptions are sanitized when stored. On a page they also must not load external resources or imitate the page. */
export function prose({ call }: Context, description: string | null): Markup {
  return safe(description ? pageHtml(description, `${call.addresses.home}/images/`) : '')
}

/** Address of a venue, in lines. */
export function addressOf({ row }: Linked): string[] {
  const region = row.stateprovince || row.state || row.province
  return [row.address, [row.zip, row.city].filter(Boolean).join(' '), region, row.country]
    .filter(Boolean)
    .map((line) => String(line))
}

/** Small map around a venue whose place is known, unless the venue hides it. */
export function placeMap(context: Context, venue: Linked): MarkupPart {
  if (!isPlaced(venue) || venue.row.show_map !== 1) return null
  return html`<div class="map-frame">${drawPlace(context, pointOf(venue), String(venue.row.venue))}</div>`
}

function facts(context: Context, kind: LinkedKind, found: Linked): MarkupPart {
  const { row } = found
  const { t } = context
  const website = row.website ? String(row.website) : ''
  const address = kind === 'venue' ? addressOf(found) : []
  const items: MarkupPart[] = [
    address.length > 0 &&
      html`<li>${icon('pin')}<address dir="auto">${address.map((line) => html`${line}<br>`)}</address></li>`,
    kind === 'venue' &&
      row.show_map_link === 1 &&
      (isPlaced(found) || address.length > 0) &&
      html`<li>${icon('globe')}<a href="${openStreetMap(found)}" rel="noreferrer">${t('open_map')}</a></li>`,
    row.phone &&
      html`<li>${icon('phone')}<a href="tel:${String(row.phone).replace(/[^+\d]/g, '')}">${row.phone}</a></li>`,
    row.email && html`<li>${icon('mail')}<a href="mailto:${row.email}">${row.email}</a></li>`,
    website !== '' && html`<li>${icon('link')}<a href="${website}" rel="noreferrer">${hostOf(website)}</a></li>`,
  ]
  const map = kind === 'venue' ? placeMap(context, found) : null
  if (map === null && items.every((item) => !item)) return null
  return html`<aside class="panel" aria-label="${t('details')}"><ul class="facts">${items}</ul>${map}</aside>`
}

/** Host name of a web address, without `www.`. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : address
}

async function term(call: Call, kind: 'category' | 'tag', slug: string, asked: string): Promise<Answer> {
  const context = contextOf(call)
  const found = await findTerm(context, kind, slug).catch(async (error) => {
    const moved = error instanceof AppError ? await movedTerm(call.scope, kind, slugify(slug)) : null
    if (moved === null) throw error
    return moved
  })
  const known = kind === 'category' ? found.path : found.slug
  if (!spelled(asked, known)) return redirect(context, termPath(found))
  const filters = await readFilters(context, { [kind]: found, fixed: kind })
  return subjectPage(context, filters, {
    title: found.name,
    eyebrow: context.t(kind),
    path: termPath(found),
    description: firstWords(found.description ?? '', MAX_ABOUT) || found.name,
    about: html`${found.description && html`<div class="subject"><div class="prose" dir="auto">${prose(context, found.description)}</div></div>`}${kind === 'category' && (await around(context, found))}`,
  })
}

/** Page or feed of a category. */
async function category(call: Call): Promise<Answer> {
  const feed = await categoryFeed(call)
  if (feed !== null) return feed
  const path = call.rest.replace(/\/+$/, '')
  return term(call, 'category', path.split('/').at(-1) ?? '', path)
}

/** The WordPress calendar plugin adds the name of a view, or of a feed, to the path of a category. */
async function pluginCategory(call: Call, error: unknown): Promise<Answer> {
  if (!(error instanceof AppError && error.code === 'rest_term_invalid')) throw error
  const context = contextOf(call)
  const file = feedFile(call.rest)
  if (file === null) {
    const nearest = await nearestCategoryPage(context, call.rest, call.sent)
    if (nearest === null) throw error
    return redirectTo(context.link(nearest))
  }
  const found = await categoryView(context, file.path.split('/'))
  if (found === null || found.view.length === 0) throw error
  const asked = found.view.includes(FEATURED) ? onlyFeatured(call) : call
  return category({ ...asked, rest: `${found.category.path}.${file.extension}` })
}

function onlyFeatured(call: Call): Call {
  const search = new URLSearchParams(call.search)
  search.set('featured', 'true')
  return { ...call, search, query: () => ({ ...call.query(), featured: 'true' }) }
}

/** Subcategories, and a link to the parent category. */
async function around({ call, link, t }: Context, found: Term): Promise<MarkupPart> {
  const { rows } = await terms.list(call.scope, 'category', () => ({ parent: found.id, per_page: 50 }))
  const above = found.parent > 0 ? [await terms.get(call.scope, 'category', found.parent)] : []
  if (rows.length + above.length === 0) return null
  return html`<nav aria-label="${t('categories')}"><ul class="topics">${above.map((one) => html`<li><a href="${link(termPath(one))}">${icon('back')}<bdi>${one.name}</bdi></a></li>`)}${rows.map((one) => html`<li class="hue-${one.id % 6}"><a href="${link(termPath(one))}"><bdi>${one.name}</bdi> <span>${one.count}</span></a></li>`)}</ul></nav>`
}

export const subjectViews: readonly View[] = [
  ...LINKED_KINDS.map(
    (kind): View => ({
      path: `/${kind}/:slug`,
      methods: ['GET'],
      parameters: LIST_FILTERS,
      handle: (call) => record(call, kind),
    }),
  ),
  {
    path: '/tag/:slug',
    methods: ['GET'],
    parameters: LIST_FILTERS,
    handle: (call) => term(call, 'tag', call.slug, call.slug),
  },
  {
    path: '/events/category/*',
    methods: ['GET'],
    // The router allows one wildcard per path, so this route also serves the feeds of categories.
    parameters: [...LIST_FILTERS, ...feedParameters],
    handle: (call) => category(call).catch((error) => pluginCategory(call, error)),
  },
]
