import { fold } from '../lib/fold.ts'
import { eventFields } from '../schema/event.ts'
import { LINKED_KINDS } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import { countTerms } from '../storage/event-batch.ts'
import type { EventRow } from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import * as storage from '../storage/series.ts'
import { publish } from '../storage/terms.ts'
import { indexCopies, indexEvent } from '../storage/word-search.ts'
import { asEvent } from './event-writing.ts'
import { isFree, storeFree } from './free-events.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { COLUMN_OF, ownFields } from './series-members.ts'
import { searchTexts, type Template } from './series-template.ts'

/** Fields that an event is found by. */
const TEXTS = ['excerpt', ...Object.keys(eventFields).filter((name) => eventFields[name as 'title'].searched)]

/** What is copied to the occurrences of a series. */
interface Copied {
  readonly template: Template
  readonly author: number
  /** Names of fields. */
  readonly fields: readonly string[]
}

/** Copies fields of a series to occurrences that have none of their own. Returns the ids of those that it changed. */
export async function copyFields(
  tx: Tx,
  scope: Scope,
  { template, author, fields }: Copied,
  rows: readonly storage.Occurrence[],
): Promise<number[]> {
  const changed: number[] = []
  for (const alike of Map.groupBy(rows, (row) => row.own_fields).values()) {
    const own = alike[0] === undefined ? new Set<string>() : ownFields(alike[0])
    const names = fields.filter((name) => !own.has(name))
    if (names.length === 0) continue
    const ids = alike.map(({ id }) => id)
    const columns = { ...columnsOf(names, template, author), modified_utc: scope.clock() }
    await storage.updateEvents(tx, ids, columns)
    if (names.some((name) => TEXTS.includes(name))) await indexAll(tx, template, alike, own, columns)
    await copyLinks(tx, template, ids, names)
    if (names.includes('cost') || names.includes('tickets')) await copyFree(tx, template, alike, own, columns)
    changed.push(...ids)
  }
  return changed
}

function columnsOf(names: readonly string[], { columns }: Template, author: number): Partial<EventRow> {
  const values: Record<string, unknown> = { ...columns, author }
  const named = names.map((name) => COLUMN_OF[name] ?? name).filter((column) => column in values)
  return Object.fromEntries(named.map((column) => [column, values[column]]))
}

async function indexAll(
  tx: Tx,
  template: Template,
  rows: readonly storage.Occurrence[],
  own: ReadonlySet<string>,
  columns: Partial<EventRow>,
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  if (!TEXTS.some((name) => own.has(name))) {
    const { excerpt, ...texts } = searchTexts(template)
    await storage.updateEvents(tx, ids, texts)
    return indexCopies(tx, { ...texts, excerpt }, ids, false)
  }
  for (const { id } of rows) {
    const merged = { ...asEvent(await records.find(tx, 'event', { id }, 'no reader: write')), ...columns }
    const texts = {
      search: records.searchText(eventFields, merged as unknown as recordStorage.RecordRow),
      title_search: fold(merged.title),
    }
    await recordStorage.update(tx, 'event', id, texts)
    await indexEvent(tx, { ...merged, ...texts }, false)
  }
}

async function copyLinks(
  tx: Tx,
  { linked, terms, tickets }: Template,
  ids: readonly number[],
  names: readonly string[],
): Promise<void> {
  for (const kind of LINKED_KINDS) if (names.includes(kind)) await storage.linkAll(tx, kind, ids, linked[kind], false)
  if (names.includes('categories')) await storage.setTermsOfAll(tx, ids, terms.category, ['category'])
  if (names.includes('tags')) await storage.setTermsOfAll(tx, ids, terms.tag, ['tag'])
  if (names.includes('tickets')) await storage.setTicketsOfAll(tx, ids, tickets, false)
}

async function copyFree(
  tx: Tx,
  { columns, tickets }: Template,
  rows: readonly storage.Occurrence[],
  own: ReadonlySet<string>,
  changes: Partial<EventRow>,
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  if (!own.has('cost') && !own.has('tickets'))
    return storage.setFreeOfAll(tx, ids, isFree(columns.cost, tickets), false)
  for (const { id } of rows)
    await storeFree(
      tx,
      { ...asEvent(await records.find(tx, 'event', { id }, 'no reader: write')), ...changes },
      null,
      false,
    )
}

/** Corrects the counts of terms after events have changed; `before` is from the time before that. */
export async function moveTermCounts(
  tx: Tx,
  ids: readonly number[],
  before: ReadonlyMap<number, number>,
): Promise<void> {
  const after = await storage.termCounts(tx, ids)
  const terms = new Set([...before.keys(), ...after.keys()])
  const differences = [...terms].map((term) => [term, (after.get(term) ?? 0) - (before.get(term) ?? 0)] as const)
  await countTerms(tx, new Map(differences.filter(([, difference]) => difference !== 0)))
  // Counted terms are public.
  await publish(
    tx,
    differences.filter(([, difference]) => difference > 0).map(([term]) => term),
  )
}
