import type { LinkedRow } from '../domain/linked-records.ts'
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

/** Without what is empty. */
export function present(values: JsonLd): JsonLd {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ''))
}
