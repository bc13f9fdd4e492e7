import { toIso } from '../calendar/zone.ts'
import type { Event } from '../domain/events.ts'
import { contentHtml, whereText } from './event-text.ts'
import { type Feed, type Format, inPieces, permanentId } from './feed.ts'
import { element } from './xml.ts'

/** RSS 2.0, with the event module for dates and places. */
export const rss: Format = {
  extension: 'rss',
  label: 'RSS',
  type: 'application/rss+xml; charset=utf-8',
  feedsOf: ['lists'],
  inMenu: true,
  period: 'upcoming',
  write,
}

const NAMESPACES = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:ev': 'http://purl.org/rss/1.0/modules/event/',
  'xmlns:georss': 'http://www.georss.org/georss',
}

/** Minutes until a reader should look again. */
const TTL = '60'

async function* write(feed: Feed): AsyncGenerator<string> {
  yield head(feed)
  yield* inPieces(feed.events, (event) => item(event, feed))
  yield '</channel>\n</rss>\n'
}

function head({ title, page, language, self, next, previous, events }: Feed): string {
  const names = Object.entries(NAMESPACES).map(([name, address]) => `${name}="${address}"`)
  const link = (rel: string, href: string | null) =>
    href === null ? '' : element('atom:link', '', { rel, href, type: 'application/rss+xml' })
  return [
    `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" ${names.join(' ')}>\n<channel>\n`,
    element('title', title),
    element('link', page),
    element('description', title),
    element('language', language),
    element('generator', 'Kalends'),
    element('ttl', TTL),
    element('lastBuildDate', events.modified === null ? null : httpDate(events.modified)),
    link('self', self),
    link('next', next),
    link('prev', previous),
  ].join('')
}

function item(event: Event, { addresses, language }: Feed): string {
  const { row, image, venues, organizers, categories, tags } = event
  const place = venues.find((venue) => venue.row.geo_lat !== null)?.row
  const when = (local: string, instant: number) =>
    row.all_day === 1 ? local.slice(0, 10) : toIso(instant, row.timezone)
  return [
    '<item>\n',
    element('title', row.title),
    element('link', `${addresses.home}/event/${row.slug}/`),
    element('guid', permanentId(row.id, addresses), { isPermaLink: 'false' }),
    element('pubDate', httpDate(row.date_utc)),
    ...[...categories, ...tags].map(({ name }) => element('category', name)),
    image &&
      element('enclosure', '', {
        url: `${addresses.home}/images/${image.file}`,
        length: String(image.filesize),
        type: image.mime,
      }),
    element('ev:startdate', when(row.start_local, row.start_utc)),
    element('ev:enddate', when(row.end_local, row.end_utc)),
    element('ev:location', whereText(event) || null),
    element('ev:organizer', organizers.map((one) => one.row.organizer).join(', ') || null),
    element('georss:point', place === undefined ? null : `${place.geo_lat} ${place.geo_lng}`),
    element('description', contentHtml(event, language)),
    '</item>\n',
  ].join('')
}

function httpDate(instant: number): string {
  return new Date(instant * 1000).toUTCString()
}
