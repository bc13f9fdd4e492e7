import { abbreviation } from '../calendar/abbreviation.ts'
import type { Event } from '../domain/events.ts'
import type { Linked } from '../domain/linked-records.ts'
import { encode } from '../lib/html.ts'

/** What feeds tell of an event in words. */

const formats = new Map<string, Intl.DateTimeFormat>()

/** When an event is, by its own clock, in the reader's language. */
export function whenText({ row }: Event, language: string): string {
  const allDay = row.all_day === 1
  const key = `${language} ${allDay}`
  // The wall clocks themselves are written, as if they were UTC.
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

/** Where an event is: each venue with its address. */
export function whereText({ venues }: Event): string {
  return venues.map(placeText).join('; ')
}

/** A venue and its address in one line. */
export function placeText({ row }: Linked): string {
  const region = row.stateprovince || row.state || row.province
  const city = [row.zip, row.city].filter(Boolean).join(' ')
  return [row.venue, row.address, city, region, row.country].filter(Boolean).join(', ')
}

/** When and where, and then the description: what a reader of news sees of an event. */
export function contentHtml(event: Event, language: string): string {
  const lines = [whenText(event, language), whereText(event)].filter((line) => line !== '').map(encode)
  return `<p>${lines.join('<br />')}</p>${event.row.description ?? ''}`
}

function asUtc(wall: string): Date {
  return new Date(`${wall.replace(' ', 'T')}Z`)
}
