import { toIso } from '../calendar/zone.ts'
import type { Event, EventRow, TicketRow } from '../domain/events.ts'
import type { Image } from '../domain/images.ts'
import type { Linked } from '../domain/linked-records.ts'
import type { Site } from '../domain/scope.ts'
import type { Addresses } from '../http/addresses.ts'
import { readCost } from '../lib/cost.ts'
import { firstWords, inertText } from '../lib/html.ts'
import type { LinkedKind } from '../schema/linked.ts'
import { scheduleLd } from './present-recurrence.ts'

/** JSON-LD of a record (schema.org). Values are plain text; pages escape them. */
export type JsonLd = Record<string, unknown>

/** Limit on descriptions, in characters. */
const MAX_DESCRIPTION = 5000

/** A venue as a `Place`. */
function placeLd({ row, image }: Linked, { home }: Addresses): JsonLd {
  const address = present({
    '@type': 'PostalAddress',
    streetAddress: row.address,
    addressLocality: row.city,
    addressRegion: row.stateprovince || row.state || row.province,
    postalCode: row.zip,
    addressCountry: row.country,
  })
  return present({
    '@context': 'https://schema.org',
    '@type': 'Place',
    name: row.venue,
    description: row.description && firstWords(row.description, MAX_DESCRIPTION),
    url: `${home}/venue/${row.slug}/`,
    address: Object.keys(address).length > 1 ? address : null,
    geo:
      typeof row.geo_lat === 'number'
        ? { '@type': 'GeoCoordinates', latitude: row.geo_lat, longitude: row.geo_lng }
        : null,
    image: imageLd(image, home),
    telephone: row.phone,
    sameAs: row.website,
  })
}

/** Records of a kind, such as organizers, as an `Organization`. */
function organizationLd(kind: LinkedKind) {
  return ({ row, image }: Linked, { home }: Addresses): JsonLd =>
    present({
      '@context': 'https://schema.org',
      '@type': 'Organization',
      name: row[kind],
      description: row.description && firstWords(row.description, MAX_DESCRIPTION),
      url: `${home}/${kind}/${row.slug}/`,
      image: imageLd(image, home),
      telephone: row.phone,
      email: row.email,
      sameAs: row.website,
    })
}

/** Presenter of each kind. */
export const linkedLd: Record<LinkedKind, (linked: Linked, addresses: Addresses) => JsonLd> = {
  venue: placeLd,
  organizer: organizationLd('organizer'),
}

/** An event as an `Event`, with place, organizer and offers. */
export function eventLd(
  { row, venues, organizers, tickets, image, series }: Event,
  addresses: Addresses,
  site: Site,
  links: { location: unknown; organizer: unknown; eventSchedule: unknown } = {
    location: one(venues.map((venue) => part(placeLd(venue, addresses)))),
    organizer: one(organizers.map((organizer) => part(linkedLd.organizer(organizer, addresses)))),
    eventSchedule: series && scheduleLd(series),
  },
): JsonLd {
  const url = `${addresses.home}/event/${row.slug}/`
  return present({
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: row.title,
    description: row.description && firstWords(row.description, MAX_DESCRIPTION),
    url,
    startDate: row.all_day === 1 ? row.start_local.slice(0, 10) : toIso(row.start_utc, row.timezone),
    endDate: row.all_day === 1 ? row.end_local.slice(0, 10) : toIso(row.end_utc, row.timezone),
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: row.is_virtual === 1 ? 'https://schema.org/OnlineEventAttendanceMode' : null,
    location: links.location,
    organizer: links.organizer,
    image: imageLd(image, addresses.home),
    offers:
      tickets.length > 0
        ? one(tickets.map((ticket) => ticketLd(ticket, row, site, url)))
        : offers(row.cost, site.currency, row.website ?? url),
    sameAs: row.website,
    eventSchedule: links.eventSchedule,
  })
}

/** Address of an image or, with an alternative text, an `ImageObject`. */
function imageLd(image: Image | null, home: string): string | JsonLd | null {
  if (image === null) return null
  const url = `${home}/images/${image.file}`
  return image.alt === '' ? url : { '@type': 'ImageObject', url, caption: image.alt }
}

/** A ticket as an `Offer`. */
function ticketLd(ticket: TicketRow, { timezone }: EventRow, { currency }: Site, url: string): JsonLd {
  const at = (instant: number | null) => (instant === null ? null : toIso(instant, timezone))
  return present({
    '@type': 'Offer',
    name: ticket.name,
    price: ticket.price,
    priceCurrency: ticket.price === null ? null : (ticket.currency ?? CODE_OF[currency]),
    url: ticket.url ?? url,
    validFrom: at(ticket.available_from),
    validThrough: at(ticket.available_until),
    inventoryLevel: ticket.capacity === null ? null : { '@type': 'QuantitativeValue', value: ticket.capacity },
  })
}

/** Most likely currency of a sign. */
const CODE_OF: Record<string, string> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  '₽': 'RUB',
  '₩': 'KRW',
  '₺': 'TRY',
  '₪': 'ILS',
}

function offers(cost: string | null, currency: string, url: string): JsonLd | null {
  const { values, code, symbol } = readCost(cost, currency)
  if (values.length === 0) return null
  const amounts = values.map(Number)
  // JSON cannot represent numbers with hundreds of digits.
  if (!amounts.every(Number.isFinite)) return null
  const priceCurrency = code || CODE_OF[symbol || currency]
  if (amounts.length === 1) return present({ '@type': 'Offer', price: values[0], priceCurrency, url })
  return present({
    '@type': 'AggregateOffer',
    lowPrice: Math.min(...amounts),
    highPrice: Math.max(...amounts),
    priceCurrency,
    url,
  })
}

/** Removes `@context` from a nested description. */
export function part({ '@context': _, ...rest }: JsonLd): JsonLd {
  return rest
}

/** Unwraps a list of one. */
function one(items: JsonLd[]): JsonLd | JsonLd[] | null {
  return items.length > 1 ? items : (items[0] ?? null)
}

/** Removes empty values. */
export function present(values: JsonLd): JsonLd {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )
}

/** Escapes `<` in all texts, in case a client treats a response as HTML. */
export function inertLd(description: JsonLd): JsonLd {
  const inert = (value: unknown): unknown => {
    if (typeof value === 'string') return inertText(value)
    if (Array.isArray(value)) return value.map(inert)
    return typeof value === 'object' && value !== null ? inertLd(value as JsonLd) : value
  }
  return Object.fromEntries(Object.entries(description).map(([name, value]) => [name, inert(value)]))
}
