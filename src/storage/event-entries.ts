import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'
import type { EventRow } from './events.ts'
import { type Placeholder, prepared } from './prepared.ts'
import { rowMaker } from './row-maker.ts'
import type { Tables } from './tables.ts'

/** What calendars show of events: a month has many of them, and shows little of each. */

/** To be raised when stored entries change: a guard test tells. */
export const ENTRY_FORM = 1

/** What a stored entry has of its event, in this order, besides id, start and what all public events have. */
const STORED = [
  'author',
  'slug',
  'image',
  'title',
  'timezone',
  'end_local',
  'start_utc',
  'end_utc',
  'all_day',
  'cost',
  'sticky',
  'featured',
  'is_virtual',
  'series',
  'revision',
] as const satisfies (keyof EventRow)[]

const COLUMNS = [...STORED, 'id', 'start_local', 'status', 'trashed_from', 'password_hash'] as const

export type EntryRow = Pick<EventRow, (typeof COLUMNS)[number]>

/** Columns that are only looked at for damage, and texts. */
const CHECKED = ['date_utc', 'modified_utc'] as const satisfies (keyof EventRow)[]
const TEXTS = ['description', 'excerpt', 'website'] as const satisfies (keyof EventRow)[]

/** The row as it is read, with the name of a text that is damaged. */
export interface CheckedEntryRow extends EntryRow, Pick<EventRow, (typeof CHECKED)[number]> {
  readonly damaged: string | null
}

/** The columns of an entry, to be selected from events. */
export function entryColumns(db: Pick<Kysely<Tables>, 'getExecutor'>): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`events.${name}`)
  const texts = Object.fromEntries(TEXTS.map((name) => [name, column(name)]))
  const columns = [...COLUMNS, ...CHECKED].map(column)
  return sql.join([...columns, sql`${dialectOf(db as Tx).notText(texts)} as damaged`])
}

/** An entry that was written when its event was rendered, with what the event is linked to, in order. The event was not damaged. */
export interface StoredEntry extends EntryRow {
  readonly venues: readonly number[]
  readonly categories: readonly number[]
}

/** An entry as it was found: read from its event, or stored. */
export type FoundEntry = CheckedEntryRow | StoredEntry

export function isStored(entry: FoundEntry): entry is StoredEntry {
  return 'venues' in entry
}

/** Stores the entry of an event, unless the event was removed or changed meanwhile, or is not public. Only SQLite has them. */
export async function putEntry(
  tx: Tx,
  row: EventRow,
  { venue, category }: Record<'venue' | 'category', readonly number[]>,
): Promise<void> {
  if (!dialectOf(tx).blocks) return
  await insert(tx, JSON.stringify([...STORED.map((name) => row[name]), venue, category]), row.id, row.revision)
}

const insert = prepared<object, [entry: string, event: number, revision: number]>((db, entry, event, revision) => ({
  compile: () =>
    sql<object>`insert into event_entries (event, form, entry)
      select id, ${sql.lit(ENTRY_FORM)}, ${entry} from events
      where id = ${event} and revision = ${revision} and status = 'publish' and hide_from_listings = 0 and password_hash is null
      on conflict (event) do update set form = excluded.form, entry = excluded.entry`.compile(db),
}))

/** What all public events have. */
const PUBLIC = { status: 'publish', trashed_from: null, password_hash: null } as const

const makeEntry = rowMaker([...STORED, 'venues', 'categories', 'id', 'start_local', ...Object.keys(PUBLIC)])

/** The entry of an event that starts at a time, as it was stored. */
export function readEntry(id: number, start_local: string, entry: string): StoredEntry {
  return makeEntry([...JSON.parse(entry), id, start_local, ...Object.values(PUBLIC)]) as StoredEntry
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

/** Links of entries to venues, in order. */
export function venueLinks(tx: Tx, entries: readonly FoundEntry[]): Promise<EntryLink[]> {
  const read = async (events: string) => {
    const found = await inAnyOrder(tx, events)
    // Most events have one: an index has all but the position.
    const isOneOfEach = new Set(found.map(({ event }) => event)).size === found.length
    return isOneOfEach ? found : inOrder(tx, events)
  }
  return linksOf(entries, ({ venues }) => venues, read)
}

/** Links of entries to categories, in any order. */
export function categoryLinks(tx: Tx, entries: readonly FoundEntry[]): Promise<EntryLink[]> {
  return linksOf(
    entries,
    ({ categories }) => categories,
    (events) => linksToCategories(tx, events),
  )
}

/** Links of entries: those of stored ones are known, those of others are read, by a JSON list of events. */
async function linksOf(
  entries: readonly FoundEntry[],
  known: (entry: StoredEntry) => readonly number[],
  read: (events: string) => Promise<EntryLink[]>,
): Promise<EntryLink[]> {
  const links: EntryLink[] = []
  const others: number[] = []
  for (const entry of entries)
    if (isStored(entry)) for (const linked of known(entry)) links.push({ event: entry.id, linked })
    else others.push(entry.id)
  return others.length === 0 ? links : [...links, ...(await read(JSON.stringify(others)))]
}

const linksToCategories = prepared<EntryLink, [events: string]>((db, events) =>
  db
    .selectFrom('event_terms')
    .select(['event', 'term as linked'])
    .where(isOneOf(db, 'event', events))
    .where(dialectOf(db as Tx).unindexed(sql.ref<number>('term')), 'in', (eb) =>
      eb.selectFrom('terms').select('id').where('kind', '=', 'category'),
    ),
)
