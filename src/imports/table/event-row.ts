import { zoneNamed } from '../../calendar/calendar-zones.ts'
import type { Scope } from '../../domain/scope.ts'
import type { CsvRow } from '../../lib/csv.ts'
import type { Problem } from '../../lib/errors.ts'
import { asHtml, encode } from '../../lib/html.ts'
import { slugify } from '../../lib/slug.ts'
import { splitNames } from '../../lib/table-cells.ts'
import { eventFields } from '../../schema/event.ts'
import { byLinkedKind, LINKED_KINDS } from '../../schema/linked.ts'
import { STATUSES } from '../../schema/record.ts'
import * as imports from '../import-run.ts'
import { Names } from '../links.ts'
import { addressText, type Cell, costText, flagText } from './cells.ts'
import type { TableDates } from './dates.ts'
import { EVENT_FIELDS } from './headers.ts'
import type { Table } from './table.ts'
import { ownTimes, timesOf } from './times.ts'

/** A row as an event to be imported, and what could not be taken of it as it is. */
export interface EventRow {
  readonly item: imports.Item
  readonly left: readonly Problem[]
}

/** Columns with names of linked records and terms. */
const LINKS: readonly string[] = [...LINKED_KINDS, 'categories', 'tags']

/** Fields that need more than the text of their cell. */
const MADE = ['title', 'start_date', 'end_date', 'status', 'image', ...LINKS]
const PLAIN = EVENT_FIELDS.filter((name) => !MADE.includes(name))
const FLAGS = PLAIN.filter((name) => eventFields[name as 'featured'].kind.type === 'boolean')

/** Limit on a cell with names, in characters: an event has at most a hundred of them. */
const MAX_NAMES = 60_000

/** Words for an event that does not take place, in exports of Eventbrite. */
const CANCELLED = /^(cancel+ed|deleted)$/i

export function eventRow(
  scope: Scope,
  table: Table,
  dates: TableDates,
  { cells, line }: CsvRow,
  adopt: boolean,
): EventRow {
  const cell = table.cellsOf(cells)
  const isOwn = table.isOwn
  const left: Problem[] = []
  const flag = flagText(cell('all_day'))
  const isSplit = ['start_time', 'end_time'].some((name) => table.has(name))
  const times =
    isOwn && !isSplit
      ? ownTimes(dates, cell, flag === 'true')
      : timesOf(dates, cell, flag === '' ? null : flag === 'true', table.isMailbox)
  if (times.nextDay !== undefined) left.push({ problem: 'ends_next_day', day: times.nextDay })
  const fields: Record<string, unknown> = {
    ...plainFields(table, cell, left),
    // Tables hold plain text, so `<` in a title is escaped.
    title: asHtml(cell('title')),
    start_date: times.start,
    end_date: times.end,
    ...(times.allDay !== null && (flag === '' || flag === 'true' || flag === 'false') && { all_day: times.allDay }),
    ...statusOf(table, cell),
  }
  const image = imageOf(table, cell, fields, left)
  const slug = slugify(cell('slug'))
  const id = /^\d{1,15}$/.test(cell('id')) ? Number(cell('id')) : null
  const isAdopted = adopt && slug !== '' && cell('uid') === ''
  const content = table.contentOf(cells)
  const item = {
    // A table of another site may have the same ids.
    uid: isAdopted ? `own ${uidOf(cell)}` : uidOf(cell),
    part: '',
    parent: null,
    line,
    cancelled: !isOwn && CANCELLED.test(cell('event_status')),
    // Read again in another order, the same dates are others.
    hash: imports.hashOf(times.isRewritten ? [...content, times.start, times.end] : content),
    fields,
    ...(isAdopted && { adopts: { slug, id } }),
    ...(image !== null && { image }),
    links: linksOf(scope, table, cell),
  }
  return { item, left }
}

/** Fields that have the text of their cells. What is wrong in the columns of another program costs the field, not the row. */
function plainFields(table: Table, cell: Cell, left: Problem[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const name of PLAIN) if (table.has(name)) fields[name] = cell(name)
  // An empty cell means that none was given.
  for (const name of ['slug', 'date', 'date_utc', 'recurrence']) if (cell(name) === '') delete fields[name]
  for (const name of FLAGS) if (table.has(name)) readFlag(table, name, flagText(cell(name)), fields, left)
  const zone = cell('timezone')
  if (zone !== '') fields.timezone = zoneNamed(zone) ?? undefined
  if (zone !== '' && fields.timezone === undefined) left.push(notTaken('timezone', { problem: 'not_a_zone' }))
  if (table.isOwn) return fields
  if (table.isMailbox && table.has('description')) fields.description = encode(cell('description'))
  if (table.has('cost')) fields.cost = costText(cell)
  const website = addressText(cell('website'))
  if (website === null) left.push(notTaken('website', { problem: 'not_a_url' }))
  if (table.has('website')) fields.website = website ?? ''
  return fields
}

/** A word that is neither yes nor no costs the field. In our own tables it is refused, like every other wrong value. */
function readFlag(table: Table, name: string, flag: string, fields: Record<string, unknown>, left: Problem[]): void {
  fields[name] = flag
  if (table.isOwn || ['', 'true', 'false'].includes(flag)) return
  delete fields[name]
  left.push(notTaken(name, { problem: 'not_a_flag' }))
}

function notTaken(name: string, problem: Problem): Problem {
  return { problem: 'field_not_brought', name, details: { [name]: problem } }
}

/** The status that a row gives its event. One that has none leaves the status of an event that is here. */
function statusOf(table: Table, cell: Cell): { status?: string } {
  if (table.isOwn) return cell('status') === '' ? {} : { status: cell('status') }
  // A word that nobody knows is taken for yes: what may be private is not published.
  const isPrivate =
    !['', 'false'].includes(flagText(cell('private'))) || /^(priv|confid|vertrau|pers)/i.test(cell('sensitivity'))
  if (isPrivate) return { status: 'private' }
  const status = (cell('event_status') || cell('status')).toLowerCase()
  return (STATUSES as readonly string[]).includes(status) ? { status } : {}
}

/** An image is an address to fetch or, in a table of this site, the id of an image that is here. */
function imageOf(table: Table, cell: Cell, fields: Record<string, unknown>, left: Problem[]): string | null {
  const image = cell('image')
  if (/^https?:\/\//i.test(image)) return image
  if (image !== '' && table.isOwn) fields.image = image
  if (image !== '' && !table.isOwn) left.push(notTaken('image', { problem: 'not_a_url' }))
  return null
}

function linksOf(scope: Scope, table: Table, whole: Cell): imports.Item['links'] {
  const cell: Cell = (name) => whole(name).slice(0, MAX_NAMES)
  return async (tx, found) => {
    const names = new Names(tx, scope, found)
    const linked = byLinkedKind((): number[] => [])
    for (const kind of LINKED_KINDS) {
      if (kind === 'venue' && !table.isOwn) linked.venue.push(...(await venueOf(names, cell)))
      else for (const name of splitNames(cell(kind), '|')) linked[kind].push(...(await names.named(kind, name)))
    }
    for (const name of splitNames(cell('organizers'), ','))
      linked.organizer.push(...(await names.named('organizer', name)))
    const all: imports.ItemLinks = {
      ...byLinkedKind((kind) => [...new Set(linked[kind])]),
      categories: await names.terms('category', categoriesOf(table, cell('categories'))),
      tags: await names.terms('tag', splitNames(cell('tags'), ',')),
    }
    const isGiven = (name: string) => table.has(name) || (name === 'organizer' && table.has('organizers'))
    return Object.fromEntries(Object.entries(all).filter(([name]) => isGiven(name)))
  }
}

/** The venue of a row: by its name, and with its address if the table has one. */
async function venueOf(names: Names, cell: Cell): Promise<number[]> {
  const name = cell('venue')
  const place = {
    address: cell('venue_address'),
    city: cell('venue_city'),
    stateprovince: cell('venue_region'),
    zip: cell('venue_zip'),
    country: cell('venue_country'),
  }
  const known = Object.entries(place).filter(([, text]) => text !== '')
  if (name === '' || known.length === 0) return names.named('venue', name)
  return names.data('venue', [{ venue: asHtml(name), ...Object.fromEntries(known) }])
}

/** Outlook allows neither `;` nor `,` in a category; names of Eventbrite have commas. */
function categoriesOf(table: Table, text: string): string[] {
  if (table.isMailbox) return text.split(/[;,]/)
  return table.has('event_id') ? text.split(';') : splitNames(text, ',')
}

/** What a row is known by: an id of the table or, without one, its title and its start as they are written. */
function uidOf(cell: Cell): string {
  if (cell('uid') !== '') return cell('uid').slice(0, 1000)
  if (cell('id') !== '') return `id:${cell('id').slice(0, 1000)}`
  if (cell('event_id') !== '') return `event-id:${cell('event_id').slice(0, 1000)}`
  if (cell('slug') !== '') return `slug:${slugify(cell('slug'))}`
  const time = cell('start_time')
  return `no-uid-${imports.hashOf([cell('title'), cell('start_date'), ...(time === '' ? [] : [time])])}`
}
