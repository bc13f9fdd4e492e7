import { toIso } from '../calendar/zone.ts'
import type { Event } from '../domain/events.ts'
import { inertText } from '../lib/html.ts'
import { contentHtml, placeText, whenText, whereText } from './event-text.ts'
import { type Feed, type Format, inPieces, permanentId } from './feed.ts'

/** JSON Feed 1.1. What makes an item an event is in its extension `_event`. */
export const jsonFeed: Format = {
  extension: 'json',
  label: 'JSON Feed',
  type: 'application/feed+json; charset=utf-8',
  feedsOf: ['lists'],
  period: 'upcoming',
  write,
}

async function* write(feed: Feed): AsyncGenerator<string> {
  const { title, page, self, next, language, events } = feed
  const head = {
    version: 'https://jsonfeed.org/version/1.1',
    title: inertText(title),
    home_page_url: page,
    ...(self !== null && { feed_url: self }),
    ...(next !== null && { next_url: next }),
    language,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"items":[${events.total === 0 ? '' : '\n'}`
  yield* inPieces(events, (event) => JSON.stringify(item(event, feed)), ',\n')
  yield ']}\n'
}

function item(event: Event, { addresses, language }: Feed): object {
  const { row, image, venues, organizers, categories, tags } = event
  const isDay = row.all_day === 1
  return {
    id: permanentId(row.id, addresses),
    url: `${addresses.home}/event/${row.slug}/`,
    ...(row.website !== null && { external_url: row.website }),
    title: inertText(row.title),
    summary: inertText([whenText(event, language), whereText(event)].filter(Boolean).join(' · ')),
    content_html: contentHtml(event, language),
    ...(image && { image: `${addresses.home}/images/${image.file}` }),
    date_published: toIso(row.date_utc, 'UTC'),
    date_modified: toIso(row.modified_utc, 'UTC'),
    ...(organizers.length > 0 && {
      authors: organizers.map(({ row: { organizer, website } }) => ({
        name: inertText(String(organizer)),
        ...(website && { url: website }),
      })),
    }),
    tags: [...categories, ...tags].map(({ name }) => inertText(name)),
    _event: {
      start: isDay ? row.start_local.slice(0, 10) : toIso(row.start_utc, row.timezone),
      end: isDay ? row.end_local.slice(0, 10) : toIso(row.end_utc, row.timezone),
      timezone: row.timezone,
      all_day: isDay,
      ...(row.cost !== null && { cost: inertText(row.cost) }),
      venues: venues.map((venue) => ({
        name: inertText(String(venue.row.venue)),
        address: inertText(placeText(venue)),
        ...(venue.row.geo_lat !== null && { geo: [venue.row.geo_lat, venue.row.geo_lng] }),
      })),
    },
  }
}
