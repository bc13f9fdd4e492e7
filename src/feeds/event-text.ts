import { abbreviation } from '../calendar/abbreviation.ts'
import type { Event } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import { encode } from '../lib/html.ts'

/** Texts about an event for feeds. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** Date and time of an event in its zone, in the reader's language. */
export function whenText({ row }: Event, language: string): string {
  const allDay = row.all_day === 1
  const key = `${language} ${allDay}`
  // Formatted as UTC, so that no zone shifts the wall-clock time.
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat(language, {
      timeZone: 'UTC',
      dateStyle: 'full',
      ...(!allDay && { timeStyle: 'short' }),
    })
  formats.set(key, format)
  const range = format.formatRange(asUtc(row.start_local), asUtc(row.end_local))
  return allDay ? range : `${range} ${abbreviation(row.start_utc, row.timezone)}`
}

/** Venues of an event with their addresses. */
export function whereText({ venues }: Event): string {
  return venues.map(placeText).join('; ')
}

/** A venue and its address in one line. */
export function placeText({ row }: Linked): string {
  const region = row.stateprovince || row.state || row.province
  const city = [row.zip, row.city].filter(Boolean).join(' ')
  return [row.venue, row.address, city, region, row.country].filter(Boolean).join(', ')
}

/** Body of a feed item: date, place and description. */
export function contentHtml(event: Event, language: string): string {
  const lines = [whenText(event, language), whereText(event)].filter((line) => line !== '').map(encode)
  return `<p>${lines.join('<br />')}</p>${event.row.description ?? ''}`
}

function asUtc(wall: string): Date {
  return new Date(`${wall.replace(' ', 'T')}Z`)
}
