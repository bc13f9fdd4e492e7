import type { Event } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import { contentHtml, whenText, whereText } from './event-text.ts'
import { type Feed, type Format, inPieces, permanentId } from './feed.ts'
import { element } from './xml.ts'

/** Atom: RFC 4287, with the pages of RFC 5005 §3. */
export const atom: Format = {
  extension: 'atom',
  label: 'Atom',
  type: 'application/atom+xml; charset=utf-8',
  feedsOf: ['lists'],
  period: 'upcoming',
  write,
}

async function* write(feed: Feed): AsyncGenerator<string> {
  yield head(feed)
  yield* inPieces(feed.events, (event) => entry(event, feed))
  yield '</feed>\n'
}

function head({ title, page, language, self, next, previous, events, now, addresses }: Feed): string {
  const link = (rel: string, href: string | null, type: string) =>
    href === null ? '' : element('link', '', { rel, href, type })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss" xml:lang="${language}">\n`,
    element('id', self ?? page),
    element('title', title),
    element('updated', iso(events.modified ?? now())),
    `<author>\n${element('name', addresses.host)}${element('uri', `${addresses.home}/`)}</author>\n`,
    element('generator', 'Kalends'),
    link('alternate', page, 'text/html'),
    link('self', self, 'application/atom+xml'),
    link('next', next, 'application/atom+xml'),
    link('previous', previous, 'application/atom+xml'),
  ].join('')
}

function entry(event: Event, { addresses, language }: Feed): string {
  const { row, image, venues, organizers, categories, tags } = event
  const place = venues.find((venue) => venue.row.geo_lat !== null)?.row
  return [
    '<entry>\n',
    element('id', permanentId(row.id, addresses)),
    element('title', row.title),
    element('link', '', { rel: 'alternate', type: 'text/html', href: `${addresses.home}/event/${row.slug}/` }),
    image &&
      element('link', '', {
        rel: 'enclosure',
        href: `${addresses.home}/images/${image.file}`,
        type: image.mime,
        length: String(image.filesize),
      }),
    element('published', iso(row.date_utc)),
    element('updated', iso(row.modified_utc)),
    ...organizers.map(author),
    ...[...categories, ...tags].map(({ slug, name }) => element('category', '', { term: slug, label: name })),
    element('georss:point', place === undefined ? null : `${place.geo_lat} ${place.geo_lng}`),
    element('summary', [whenText(event, language), whereText(event)].filter(Boolean).join('\n')),
    element('content', contentHtml(event, language), { type: 'html' }),
    '</entry>\n',
  ].join('')
}

function author({ row }: Linked): string {
  const text = (name: string, value: unknown) => element(name, value ? String(value) : null)
  return `<author>\n${text('name', row.organizer)}${text('email', row.email)}${text('uri', row.website)}</author>\n`
}

function iso(instant: number): string {
  return new Date(instant * 1000).toISOString().replace('.000Z', 'Z')
}
