import { toIso } from '../calendar/zone.ts'
import type { Event } from '../domain/events.ts'
import type { LinkedRow } from '../domain/linked-records.ts'
import type { Site } from '../domain/scope.ts'
import { readCost } from '../lib/cost.ts'
import { words } from '../lib/html.ts'
import type { Addresses } from './endpoint.ts'

/** A record as schema.org describes it, for search engines. Values are plain text: whoever puts one into a page escapes it there. */
export type JsonLd = Record<string, unknown>

/** A venue as a `Place`. */
export function placeLd(row: LinkedRow, { home }: Addresses): JsonLd {
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
    description: row.description && words(row.description),
    url: `${home}/venue/${row.slug}/`,
    address: Object.keys(address).length > 1 ? address : null,
    telephone: row.phone,
    sameAs: row.website,
  })
}

/** An organizer as an `Organization`. */
export function organizationLd(row: LinkedRow, { home }: Addresses): JsonLd {
  return present({
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name: row.organizer,
    description: row.description && words(row.description),
    url: `${home}/organizer/${row.slug}/`,
    telephone: row.phone,
    email: row.email,
    sameAs: row.website,
  })
}

/** An event as an `Event`, with its place, its organizer and what it costs. */
export function eventLd({ row, venues, organizers }: Event, addresses: Addresses, site: Site): JsonLd {
  const url = `${addresses.home}/event/${row.slug}/`
  return present({
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: row.title,
    description: row.description && words(row.description),
    url,
    startDate: row.all_day === 1 ? row.start_local.slice(0, 10) : toIso(row.start_utc, row.timezone),
    endDate: row.all_day === 1 ? row.end_local.slice(0, 10) : toIso(row.end_utc, row.timezone),
    eventStatus: 'https://schema.org/EventScheduled',
    location: one(venues.map((venue) => part(placeLd(venue, addresses)))),
    organizer: one(organizers.map((organizer) => part(organizationLd(organizer, addresses)))),
    offers: offers(row.cost, site.currency, row.website ?? url),
    sameAs: row.website,
  })
}

/** The currencies that a sign most often means. */
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

/** Inside another description the context is understood. */
function part({ '@context': _, ...rest }: JsonLd): JsonLd {
  return rest
}

/** One by itself, several as a list. */
function one(items: JsonLd[]): JsonLd | JsonLd[] | null {
  return items.length > 1 ? items : (items[0] ?? null)
}

/** Without what is empty. */
export function present(values: JsonLd): JsonLd {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  )
}
