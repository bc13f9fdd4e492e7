import { addDays } from '../calendar/days.ts'
import * as eventList from '../domain/event-list.ts'
import type { Event } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import type { Answer, Call, View } from '../http/endpoint.ts'
import { writeValid } from '../http/write-valid.ts'
import { html, type Markup, type MarkupPart } from '../lib/markup.ts'
import { eventPath, recordPath } from './cards.ts'
import { type Context, contextOf } from './context.ts'
import { controls } from './controls.ts'
import { say, startDay } from './dates.ts'
import { emptyMap } from './empty.ts'
import { feedOf, isNarrowed, LIST_FILTERS, readFilters, restQuery, searchOf } from './filters.ts'
import { answer } from './layout.ts'
import { drawMap, isPlaced, openStreetMap, pointOf } from './map-drawing.ts'

/** Limits on events read and venues shown. */
const MOST = 300
const MAX_PLACES = 60
/** Events listed per venue. */
const NAMED = 3

async function map(call: Call): Promise<Answer> {
  const context = contextOf(call)
  const filters = await readFilters(context)
  const query = {
    ...restQuery(filters),
    geoloc: true,
    ends_after: addDays(filters.start ?? context.today, -1),
    ...(filters.end && { starts_before: filters.end }),
  }
  const found = await eventList.listFirst(call.scope, () => query, MOST)
  const places = placesOf(found)
  const main = html`<div class="wide">
<h1>${context.t('map_title')}</h1>
${await controls(context, { view: 'map', day: filters.start ?? context.today, filters }, '/events/map/')}
${
  places.length === 0
    ? await emptyMap(context, filters)
    : html`<div class="map-view"><div class="map-frame">${drawing(context, places)}</div>
<div><h2 class="unseen">${context.t('places')}</h2><ol class="places">${places.map((place) => item(context, place))}</ol></div></div>`
}
</div>`
  return answer(context, {
    title: context.t('map_title'),
    description: context.t('map_description', { name: call.scope.site.name }),
    path: `/events/map/${searchOf(filters, { page: 1 })}`,
    main,
    at: 'map',
    feed: feedOf('/events', filters),
    hidden: isNarrowed(filters),
  })
}

interface MapPlace {
  readonly venue: Linked
  readonly events: Event[]
}

/** Venues by number of events, descending. */
function placesOf(events: readonly Event[]): MapPlace[] {
  const places = new Map<number, MapPlace>()
  for (const event of events) {
    for (const venue of event.venues.filter(isPlaced)) {
      const place = places.get(venue.row.id) ?? { venue, events: [] }
      place.events.push(event)
      places.set(venue.row.id, place)
    }
  }
  return [...places.values()].sort((one, other) => other.events.length - one.events.length).slice(0, MAX_PLACES)
}

function drawing(context: Context, places: readonly MapPlace[]): Markup {
  const marked = places.map(({ venue, events }) => ({
    ...pointOf(venue),
    name: String(venue.row.venue),
    weight: events.length,
    href: `#place-${venue.row.id}`,
  }))
  return drawMap(context, marked, { width: 680, least: 400, most: 640, label: context.t('map_title') })
}

function item(context: Context, { venue, events }: MapPlace): Markup {
  const { link, t, count } = context
  const named: MarkupPart = writeValid(
    context.call.scope,
    events.slice(0, NAMED),
    (event) =>
      html`<li><time datetime="${startDay(event.row)}">${say(context, startDay(event.row), 'short')}</time> <a href="${link(eventPath(event))}" dir="auto">${event.row.title}</a></li>`,
  )
  return html`<li id="place-${venue.row.id}"><h3 dir="auto"><a href="${link(recordPath('venue', venue))}">${venue.row.venue}</a></h3>
<p class="where"><bdi>${[venue.row.address, venue.row.city].filter(Boolean).join(', ')}</bdi></p>
<ul>${named}</ul>
<p class="aside">${events.length > NAMED && html`<a href="${link(recordPath('venue', venue))}">${count('events', events.length)}</a> · `}<a href="${openStreetMap(venue)}" rel="noreferrer">${t('open_map')}<span class="unseen">: ${venue.row.venue}</span></a></p></li>
`
}

export const mapViews: readonly View[] = [
  { path: '/events/map', methods: ['GET'], parameters: LIST_FILTERS, handle: map },
]
