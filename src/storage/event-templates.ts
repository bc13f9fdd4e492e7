import { type Kysely, type Selectable, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { Place } from './changes.ts'
import * as changes from './changes.ts'
import type { Tx } from './dialect.ts'
import { SECRET, type SortedStub } from './events.ts'
import { type LooksUp, type Lookup, lookupByIds } from './lookup.ts'
import { type Placeholder, prepared, preparedList } from './prepared.ts'
import type { EventTemplateTable, Tables } from './tables.ts'
import type { WithoutReader } from './visibility.ts'

/** The JSON of events, rendered in the background after each change: see domain/event-rendering.ts. */

export type StoredTemplate = Pick<Selectable<EventTemplateTable>, (typeof STORED)[number]>

const STORED = ['event', 'revision', 'form', 'text'] as const

/** The stored templates of events, in any form and of any revision. */
const byEvents = (db: Kysely<Tables>, ids: readonly Placeholder[]) =>
  db.selectFrom('event_templates').select(STORED).where('event', 'in', ids)
export function getAll(tx: Tx, events: readonly number[], _reason: WithoutReader): Promise<StoredTemplate[]> {
  return someTemplates(tx, events)
}

/** The same without a transaction. */
export function lookUpTemplates(db: LooksUp, events: readonly number[], _reason: WithoutReader) {
  return templatesByIds(db, events)
}

const someTemplates = preparedList<StoredTemplate>(byEvents)
const templatesByIds = lookupByIds<StoredTemplate>(byEvents)

/** An event with its stored template, if there is one of its revision. */
export interface RenderedStub extends SortedStub {
  readonly form: number | null
  readonly text: string | null
}

const withTemplate = (db: Kysely<Tables>) =>
  db
    .selectFrom('events')
    .leftJoin('event_templates', (join) =>
      join.onRef('event_templates.event', '=', 'events.id').onRef('event_templates.revision', '=', 'events.revision'),
    )
    .select(['events.id', 'events.revision', 'events.start_local', SECRET])
    .select([sql<number | null>`event_templates.form`.as('form'), sql<string | null>`event_templates.text`.as('text')])

const published = (db: Kysely<Tables>) => withTemplate(db).where('events.status', '=', 'publish')
const RENDERED_BY_ID: Lookup<RenderedStub> = { build: (db, id) => published(db).where('events.id', '=', id) }
const RENDERED_BY_SLUG: Lookup<RenderedStub> = { build: (db, slug) => published(db).where('events.slug', '=', slug) }
const renderedByIds = lookupByIds<RenderedStub>((db, ids) => withTemplate(db).where('events.id', 'in', ids))

/** What answers lookups of templates. SQLite removes the template of an event that changes, so the event need not be read. */
interface LooksUpTemplates extends LooksUp {
  readonly removesTemplates: boolean
}

/** Templates of public events, where all are of the present revision. */
const exact = (db: Kysely<Tables>) =>
  db
    .selectFrom('event_templates')
    .select(['event as id', 'revision', 'start_local', 'form', 'text'])
    .select(sql<number>`0`.as('secret'))
    .where('is_public', '=', 1)
    .$castTo<RenderedStub>()
const EXACT_BY_ID: Lookup<RenderedStub> = { build: (db, id) => exact(db).where('event', '=', id) }
const exactByIds = lookupByIds<RenderedStub>((db, ids) => exact(db).where('event', 'in', ids))

/** A published event by its id or slug. */
export function lookUpPublished(
  db: LooksUpTemplates,
  ref: { readonly id: number } | { readonly slug: string },
): RenderedStub[] | Promise<RenderedStub[]> {
  if (!('id' in ref)) return db.lookUp(RENDERED_BY_SLUG, ref.slug)
  const found = db.removesTemplates ? db.lookUp(EXACT_BY_ID, ref.id) : []
  const orRead = (rows: RenderedStub[]) => (rows.length > 0 ? rows : db.lookUp(RENDERED_BY_ID, ref.id))
  return found instanceof Promise ? found.then(orRead) : orRead(found)
}

/** Events by their ids. */
export async function lookUpRendered(
  db: LooksUpTemplates,
  ids: readonly number[],
  _reason: WithoutReader,
): Promise<RenderedStub[]> {
  const found = db.removesTemplates ? await exactByIds(db, ids) : []
  if (found.length === ids.length) return found
  const known = new Set(found.map(({ id }) => id))
  const missing = ids.filter((id) => !known.has(id))
  return [...found, ...(await renderedByIds(db, missing))]
}

const insert = prepared<object, [id: number, revision: number, form: number, text: string]>((db, id, ...values) => {
  const [revision, form, text] = values as [Placeholder, Placeholder, Placeholder]
  return db
    .insertInto('event_templates')
    .columns(['event', 'revision', 'form', 'text', 'start_local', 'is_public'])
    .expression((eb) =>
      eb
        .selectFrom('events')
        .select(['id', 'revision'])
        .select([sql<number>`cast(${form} as bigint)`.as('form'), sql<string>`cast(${text} as text)`.as('text')])
        .select(['start_local', sql<number>`case when status = 'publish' then 1 else 0 end`.as('is_public')])
        .where('id', '=', id)
        .where('revision', '=', revision),
    )
    .onConflict((conflict) =>
      conflict.column('event').doUpdateSet((eb) => ({
        revision: eb.ref('excluded.revision'),
        form: eb.ref('excluded.form'),
        text: eb.ref('excluded.text'),
        start_local: eb.ref('excluded.start_local'),
        is_public: eb.ref('excluded.is_public'),
      })),
    )
})

/** Stores a template, unless its event was removed or changed meanwhile. */
export async function put(tx: Tx, { event, revision, form, text }: StoredTemplate): Promise<void> {
  await insert(tx, event, revision, form, text)
}

export async function remove(tx: Tx, events: readonly number[]): Promise<void> {
  if (events.length > 0) await tx.deleteFrom('event_templates').where('event', 'in', events).execute()
}

/** Those of these events that have no long texts, in octets, and are not protected. */
export async function shortEvents(tx: Tx, ids: readonly number[], most: number): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .selectFrom('events')
    .select('id')
    .where('id', 'in', ids)
    .where('password_hash', 'is', null)
    .where(sql<number>`coalesce(octet_length(description), 0) + coalesce(octet_length(excerpt), 0)`, '<=', most)
    .execute()
  return rows.map(({ id }) => id)
}

const BEGIN: Place = { xid: 0, position: 0 }
/** Seconds before another form may begin. Nodes of two versions would else replace each other's templates in turn. */
const MIN_PERIOD = 3600

const findProgress = (tx: Tx) => tx.selectFrom('template_progress').selectAll().executeTakeFirst()

type Progress = Awaited<ReturnType<typeof findProgress>>

/** When a form may begin: later than now if another one has just begun. */
function beginOf(found: Progress, form: number): Instant {
  return found === undefined || found.form === form ? 0 : found.begun_utc + MIN_PERIOD
}

/** The last change that was rendered in a form. A database that was restored from a dump may have counted further than the last one. */
function lastRendered(found: Progress, form: number, last: Place): Place {
  return found?.form !== form || isAfter(found, last) ? BEGIN : found
}

/** Another form replaces the templates of the former one. */
export async function setProgress(tx: Tx, form: number, { xid, position }: Place, now: Instant): Promise<void> {
  const found = await findProgress(tx)
  const begun_utc = found?.form === form ? found.begun_utc : now
  await tx.deleteFrom('template_progress').execute()
  await tx.insertInto('template_progress').values({ form, xid, position, begun_utc }).execute()
}

/** Changes of all kinds: by kind, SQLite would sort them all. */
const pending = (tx: Tx, { xid, position }: Place) =>
  tx
    .selectFrom('changes')
    .select(['kind', 'record', 'xid', 'position', 'changed_utc'])
    .where((eb) => eb(eb.refTuple('xid', 'position'), '>', eb.tuple(xid, position)))
    .orderBy('xid')
    .orderBy('position')

/** When a change is so many seconds old. The clock may have been wrong: a change of the future is. */
function dueAt(changed: Instant, now: Instant, delay: number): Instant {
  return changed > now + delay ? now : changed + delay
}

/** When the first change that is not rendered in a form will be so many seconds old; null if there is none. */
export async function nextDue(tx: Tx, form: number, now: Instant, delay: number): Promise<Instant | null> {
  const found = await findProgress(tx)
  const begin = beginOf(found, form)
  if (begin > now) return begin
  const first = await pending(tx, lastRendered(found, form, await changes.last(tx)))
    .limit(1)
    .executeTakeFirst()
  return first === undefined ? null : dueAt(first.changed_utc, now, delay)
}

/** Changes that are not rendered in a form, and are so many seconds old, oldest first; on the primary server. */
export async function listDue(tx: Tx, form: number, now: Instant, delay: number, limit: number) {
  const found = await findProgress(tx)
  if (beginOf(found, form) > now) return []
  const last = await changes.last(tx)
  const rows = await pending(tx, lastRendered(found, form, last))
    .limit(limit)
    .execute()
  const end = rows.findIndex((row) => dueAt(row.changed_utc, now, delay) > now || isAfter(row, last))
  return end === -1 ? rows : rows.slice(0, end)
}

function isAfter(one: Place, other: Place): boolean {
  return one.xid > other.xid || (one.xid === other.xid && one.position > other.position)
}
