import { later, secondsBetween } from '../calendar/pattern.ts'
import { isInYears, isWallClock } from '../calendar/years.ts'
import { toInstant, toWallClock, type WallClock } from '../calendar/zone.ts'
import { fold } from '../lib/fold.ts'
import { withSuffix } from '../lib/slug.ts'
import { eventFields } from '../schema/event.ts'
import { byLinkedKind, LINKED_KINDS, type LinkedKind } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import { TERM_KINDS, type TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import { countTerms } from '../storage/event-batch.ts'
import * as linkStorage from '../storage/event-links.ts'
import type { EventRow } from '../storage/events.ts'
import * as imageStorage from '../storage/images.ts'
import * as recordStorage from '../storage/records.ts'
import type { SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import type { TicketRow } from '../storage/tickets.ts'
import * as ticketStorage from '../storage/tickets.ts'
import { indexCopies } from '../storage/word-search.ts'
import { linkedById, termById } from './event-links.ts'
import { isFree } from './free-events.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { freeSlugs } from './series-slugs.ts'

/** Fields of the occurrences of a series. New ones are made of it, whatever became of the others. */
export interface Template {
  readonly columns: TemplateColumns
  readonly linked: Readonly<Record<LinkedKind, readonly number[]>>
  readonly terms: Readonly<Record<TermKind, readonly number[]>>
  readonly tickets: readonly SeriesTicket[]
}

export type SeriesTicket = Omit<TicketRow, 'id' | 'event' | 'position'>
/** Columns of an event that all occurrences share. */
export type TemplateColumns = Omit<
  EventRow,
  | 'id'
  | 'revision'
  | 'sequence'
  | 'slug'
  | 'restore_slug'
  | 'trashed_from'
  | 'search'
  | 'title_search'
  | 'author'
  | 'parent'
  | 'series'
  | 'original_start'
  | 'own_fields'
  | 'modified_utc'
  | 'timezone'
  | 'start_local'
  | 'end_local'
  | 'start_utc'
  | 'end_utc'
>

const COLUMNS = [...records.storedColumnNames(eventFields), 'status', 'date_utc', 'image', 'password_hash']

/** What an event is linked to. */
export type EventParts = Omit<Template, 'columns'>

export async function partsOf(tx: Tx, event: number): Promise<EventParts> {
  const links = await linkStorage.links(tx, [event])
  const of = (kind: string) => links.filter((link) => link.kind === kind).map((link) => link.linked)
  const tickets = (await ticketStorage.ofEvents(tx, [event])).get(event) ?? []
  return {
    linked: byLinkedKind(of),
    terms: { category: of('category'), tag: of('tag') },
    tickets: tickets.map(({ id: _, event: __, position: ___, ...ticket }) => ticket),
  }
}

export function columnsOf(row: EventRow): TemplateColumns {
  const status = row.status === 'trash' ? (row.trashed_from ?? 'draft') : row.status
  const columns = Object.fromEntries(COLUMNS.map((name) => [name, row[name as 'title']]))
  return { ...(columns as unknown as TemplateColumns), status }
}

export async function templateOf(tx: Tx, row: EventRow): Promise<Template> {
  return { columns: columnsOf(row), ...(await partsOf(tx, row.id)) }
}

export function readTemplate({ template }: Pick<SeriesRow, 'template'>): Template {
  return JSON.parse(template)
}

/** Texts that an event of a template is found by. */
export function searchTexts({
  columns,
}: Pick<Template, 'columns'>): Pick<EventRow, 'search' | 'title_search' | 'excerpt'> {
  return {
    search: records.searchText(eventFields, columns as never),
    title_search: fold(columns.title),
    excerpt: columns.excerpt,
  }
}

/** Times of an occurrence; null if they leave the years that are kept. */
export function timesAt(
  { timezone, start_local, end_local }: Pick<SeriesRow, 'timezone' | 'start_local' | 'end_local'>,
  start: WallClock,
  allDay: boolean,
): Pick<EventRow, 'timezone' | 'start_local' | 'end_local' | 'start_utc' | 'end_utc'> | null {
  const end = later(start, secondsBetween(start_local, end_local))
  return timesFrom(timezone, start, end, allDay)
}

/** Times of an event by wall clocks. A time that the clock skips moves forward, but whole days keep their dates. */
export function timesFrom(
  timezone: string,
  start: WallClock,
  end: WallClock,
  allDay: boolean,
): Pick<EventRow, 'timezone' | 'start_local' | 'end_local' | 'start_utc' | 'end_utc'> | null {
  if (!isWallClock(start) || !isWallClock(end)) return null
  const start_utc = toInstant(start, timezone)
  const end_utc = Math.max(toInstant(end, timezone), start_utc)
  const wall = (given: WallClock, instant: number) => (allDay ? given : toWallClock(instant, timezone))
  if (!isInYears(start_utc) || !isInYears(end_utc)) return null
  return { timezone, start_local: wall(start, start_utc), end_local: wall(end, end_utc), start_utc, end_utc }
}

/** The series that occurrences are made for. */
export type MadeSeries = Pick<SeriesRow, 'id' | 'author' | 'slug' | 'timezone' | 'start_local' | 'end_local'>

/** Occurrences per bulk insert. */
const BATCH = 200

/** Creates occurrences at these original starts, whose parent is the first event of the series. Returns their ids. */
export async function createOccurrences(
  tx: Tx,
  scope: Pick<Scope, 'clock'>,
  series: MadeSeries,
  template: Template,
  starts: readonly WallClock[],
  first = series.id,
): Promise<number[]> {
  const made: number[] = []
  if (starts.length === 0) return made
  const now = scope.clock()
  const { columns, tickets } = template
  const texts = searchTexts(template)
  const linked = await currentLinks(tx, template)
  const parent =
    (await recordStorage.get(tx, 'event', { id: first }, 'no reader: write'))?.series === series.id ? first : null
  const image = columns.image !== null && (await imageStorage.get(tx, columns.image)) ? columns.image : null
  const allDay = columns.all_day === 1
  for (let at = 0; at < starts.length; at += BATCH) {
    const some = starts.slice(at, at + BATCH).flatMap((start) => {
      const times = timesAt(series, start, allDay)
      return times === null ? [] : [{ start, times }]
    })
    const ids = await recordStorage.reserveIds(tx, some.length)
    const slugs = await freeSlugs(
      tx,
      some.map(({ start }) => withSuffix(series.slug, `-${start.slice(0, 10)}`)),
    )
    await storage.insertEvents(
      tx,
      some.map(({ start, times }, n) => ({
        ...columns,
        ...texts,
        ...times,
        id: ids[n] ?? 0,
        slug: slugs[n] ?? '',
        author: series.author,
        status: statusAt(columns.status, columns.date_utc, now),
        trashed_from: null,
        restore_slug: null,
        image,
        modified_utc: now,
        parent,
        series: series.id,
        original_start: start,
        own_fields: null,
      })),
    )
    for (const kind of LINKED_KINDS) await storage.linkAll(tx, kind, ids, linked[kind], true)
    await storage.setTermsOfAll(tx, ids, linked.terms, [])
    await storage.setTicketsOfAll(tx, ids, tickets, true)
    await storage.setFreeOfAll(tx, ids, isFree(columns.cost, tickets), true)
    await indexCopies(tx, texts, ids, true)
    await countTerms(tx, await storage.termCounts(tx, ids))
    made.push(...ids)
  }
  return made
}

/** A scheduled event whose time has come is published. */
function statusAt(status: Status, date: number, now: number): Status {
  return status === 'future' && date <= now ? 'publish' : status
}

/** The venues, organizers and terms of a template, or those that they were merged into. */
async function currentLinks(
  tx: Tx,
  { linked, terms }: Template,
): Promise<Record<LinkedKind, number[]> & { terms: number[] }> {
  const found = { ...byLinkedKind(() => new Set<number>()), terms: new Set<number>() }
  for (const kind of LINKED_KINDS)
    for (const id of linked[kind]) addTo(found[kind], await linkedById(tx, kind, id, 'no reader: write'))
  for (const kind of TERM_KINDS)
    for (const id of terms[kind]) addTo(found.terms, await termById(tx, kind, id, 'no reader: write'))
  return { ...byLinkedKind((kind) => [...found[kind]]), terms: [...found.terms] }
}

function addTo(ids: Set<number>, row: { readonly id: number } | undefined): void {
  if (row !== undefined) ids.add(row.id)
}
