import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'
import type { EventRow } from './events.ts'
import { type Placeholder, prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

/** What calendars show of events: a month has many of them, and shows little of each. */

const COLUMNS = [
  'id',
  'author',
  'status',
  'trashed_from',
  'slug',
  'date_utc',
  'modified_utc',
  'image',
  'title',
  'timezone',
  'start_local',
  'end_local',
  'start_utc',
  'end_utc',
  'all_day',
  'cost',
  'sticky',
  'featured',
  'password_hash',
  'revision',
  'is_virtual',
  'series',
] as const satisfies (keyof EventRow)[]

export type EntryRow = Pick<EventRow, (typeof COLUMNS)[number]>

/** Texts that are only looked at for damage. */
const TEXTS = ['description', 'excerpt', 'website'] as const satisfies (keyof EventRow)[]

/** The row as it is read, with the name of a text that is damaged. */
export type CheckedEntryRow = EntryRow & { readonly damaged: string | null }

/** The columns of an entry, to be selected from events. */
export function entryColumns(db: Pick<Kysely<Tables>, 'getExecutor'>): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`events.${name}`)
  const texts = Object.fromEntries(TEXTS.map((name) => [name, column(name)]))
  return sql.join([...COLUMNS.map(column), sql`${dialectOf(db as Tx).notText(texts)} as damaged`])
}

export interface EntryLink {
  readonly event: number
  readonly linked: number
}

const isOneOf = (db: Kysely<Tables>, column: string, ids: Placeholder) =>
  dialectOf(db as Tx).isInJson(sql.ref(column), ids)

const linksToVenues = (isOrdered: boolean) =>
  prepared<EntryLink, [events: string]>((db, events) => {
    const links = db
      .selectFrom('event_venues')
      .select(['event', 'linked'])
      .where(isOneOf(db, 'event', events))
    return isOrdered ? links.orderBy('position') : links
  })
const inAnyOrder = linksToVenues(false)
const inOrder = linksToVenues(true)

/** Links of events to venues, in order. The events are a JSON list. */
export async function venueLinks(tx: Tx, events: string): Promise<EntryLink[]> {
  const found = await inAnyOrder(tx, events)
  // Most events have one: an index has all but the position.
  const isOneOfEach = new Set(found.map(({ event }) => event)).size === found.length
  return isOneOfEach ? found : inOrder(tx, events)
}

/** Links of events to categories, in any order. */
export const categoryLinks = prepared<EntryLink, [events: string]>((db, events) =>
  db
    .selectFrom('event_terms')
    .select(['event', 'term as linked'])
    .where(isOneOf(db, 'event', events))
    .where(dialectOf(db as Tx).unindexed(sql.ref<number>('term')), 'in', (eb) =>
      eb.selectFrom('terms').select('id').where('kind', '=', 'category'),
    ),
)
