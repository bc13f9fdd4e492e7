import { toWallClock } from '../../calendar/zone.ts'
import type { Event } from '../../domain/events.ts'
import { patternOf } from '../../domain/series-pattern.ts'
import { LINKED_KINDS } from '../../schema/linked.ts'
import { fingerprintOf } from '../conflict.ts'
import type { StaffContext } from '../screen.ts'
import { recurrenceOf, repeatValues, sayRecurrence } from './repeat-values.ts'

/** Checkboxes of the form. */
export const FLAGS = [
  'all_day',
  'featured',
  'sticky',
  'hide_from_listings',
  'show_map',
  'show_map_link',
  'is_virtual',
] as const

/** Fields that are sent as they stand. */
export const PLAIN = [
  'title',
  'start_date',
  'end_date',
  'timezone',
  'description',
  'excerpt',
  'cost',
  'website',
  'slug',
] as const

const COMPARED = new Set<string>([...PLAIN, ...FLAGS, ...LINKED_KINDS, 'status', 'image', 'categories', 'tags'])

/** Fields of a ticket in the form. */
export const TICKET_FIELDS = [
  'id',
  'name',
  'price',
  'currency',
  'url',
  'capacity',
  'available_from',
  'available_until',
] as const

/** Value of an input of type `datetime-local`. */
export function localInput(wall: string): string {
  return wall.slice(0, 16).replace(' ', 'T')
}

/** Names in one field: with commas between them, or semicolons if a name has a comma. */
function joinNames(names: readonly string[]): string {
  return names.join(names.length > 1 && names.some((name) => name.includes(',')) ? '; ' : ', ')
}

/** An event as the fields of its form. */
export function valuesOf({ call }: StaffContext, event: Event): Record<string, string> {
  const { row, image, categories, tags, tickets, series } = event
  const zone = call.scope.site.timezone
  const values: Record<string, string> = {
    title: row.title,
    start_date: localInput(row.start_local),
    end_date: localInput(row.end_local),
    timezone: row.timezone,
    description: row.description ?? '',
    excerpt: row.excerpt ?? '',
    cost: row.cost ?? '',
    website: row.website ?? '',
    slug: row.slug,
    status: row.status,
    date: localInput(toWallClock(row.date_utc, zone)),
    image: image === null ? '' : String(image.id),
    image_alt: image?.alt ?? '',
    categories: categories.map(({ name }) => name).join(', '),
    tags: tags.map(({ name }) => name).join(', '),
    ...(series === null
      ? repeatValues(null, '', '')
      : repeatValues(patternOf(series), series.start_local, series.timezone)),
  }
  for (const kind of LINKED_KINDS) values[kind] = joinNames(event[`${kind}s`].map((one) => String(one.row[kind])))
  for (const flag of FLAGS) values[flag] = row[flag] === 1 ? '1' : ''
  for (const [at, ticket] of tickets.entries()) {
    for (const name of TICKET_FIELDS) {
      const value = ticket[name]
      const isTime = name === 'available_from' || name === 'available_until'
      values[`tickets[${at}][${name}]`] =
        value === null ? '' : isTime ? localInput(toWallClock(Number(value), row.timezone)) : String(value)
    }
  }
  return values
}

/** Fields that change by themselves, or with another field. */
const NOT_COMPARED = new Set(['date', 'image_alt', 'image_file', 'password', 'reason'])

/** Values that two editors may both have changed. The rows of tickets are one value. */
export function comparable(values: Readonly<Record<string, string>>): Record<string, string> {
  const found: Record<string, string> = { tickets: '' }
  for (const name of Object.keys(values).sort()) {
    const value = (values[name] ?? '').replaceAll('\r\n', '\n')
    if (/^tickets\[\d+\]\[(?!id\])/.test(name)) found.tickets += value === '' ? '' : `${value}; `
    else if (COMPARED.has(name) && !NOT_COMPARED.has(name)) found[name] = value
  }
  // The fields of a repetition are one value, too.
  return { ...found, recurrence: sayRecurrence(recurrenceOf(values)) }
}

/** Fingerprint of the values of a form. */
export function fingerprint(values: Readonly<Record<string, string>>): string {
  return fingerprintOf(comparable(values))
}
