import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { Place } from './changes.ts'
import * as changes from './changes.ts'
import type { Tx } from './dialect.ts'
import { type EventStub, SECRET } from './events.ts'
import type { Lookup } from './lookup.ts'
import { type Placeholder, prepared, preparedList } from './prepared.ts'
import type { EventTemplateTable, Tables } from './tables.ts'

/** The JSON of events, rendered in the background after each change: see domain/event-rendering.ts. */

export type StoredTemplate = Selectable<EventTemplateTable>

/** The stored templates of events, in any form and of any revision. */
export const getAll = preparedList<StoredTemplate>((db, ids) =>
  db.selectFrom('event_templates').selectAll().where('event', 'in', ids),
)

/** A published event with its stored template, if there is one of its revision. */
export interface RenderedStub extends EventStub {
  readonly form: number
  readonly text: string | null
}

const published = (db: Kysely<Tables>) =>
  db
    .selectFrom('events')
    .leftJoin('event_templates', (join) =>
      join.onRef('event_templates.event', '=', 'events.id').onRef('event_templates.revision', '=', 'events.revision'),
    )
    .select(['events.id', 'events.revision', SECRET])
    .select([sql<number>`event_templates.form`.as('form'), sql<string | null>`event_templates.text`.as('text')])
    .where('events.status', '=', 'publish')
export const RENDERED_BY_ID: Lookup<RenderedStub> = { build: (db, id) => published(db).where('events.id', '=', id) }
export const RENDERED_BY_SLUG: Lookup<RenderedStub> = {
  build: (db, slug) => published(db).where('events.slug', '=', slug),
}

const insert = prepared<object, [id: number, revision: number, form: number, text: string]>((db, id, ...values) => {
  const [revision, form, text] = values as [Placeholder, Placeholder, Placeholder]
  return db
    .insertInto('event_templates')
    .columns(['event', 'revision', 'form', 'text'])
    .expression((eb) =>
      eb
        .selectFrom('events')
        .select('id')
        .select([
          sql<number>`cast(${revision} as bigint)`.as('revision'),
          sql<number>`cast(${form} as bigint)`.as('form'),
          sql<string>`cast(${text} as text)`.as('text'),
        ])
        .where('id', '=', id),
    )
    .onConflict((conflict) =>
      conflict.column('event').doUpdateSet((eb) => ({
        revision: eb.ref('excluded.revision'),
        form: eb.ref('excluded.form'),
        text: eb.ref('excluded.text'),
      })),
    )
})

/** Stores a template, unless its event was removed meanwhile. */
export async function put(tx: Tx, { event, revision, form, text }: Insertable<EventTemplateTable>): Promise<void> {
  await insert(tx, event, revision, form, text)
}

export async function remove(tx: Tx, events: readonly number[]): Promise<void> {
  if (events.length > 0) await tx.deleteFrom('event_templates').where('event', 'in', events).execute()
}

const BEGIN: Place = { xid: 0, position: 0 }

/** The last change that was rendered in a form. */
async function progress(tx: Tx, form: number): Promise<Place> {
  const [place] = await tx
    .selectFrom('template_progress')
    .select(['xid', 'position'])
    .where('form', '=', form)
    .execute()
  return place ?? BEGIN
}

/** Another form begins anew, as its templates are replaced. */
export async function setProgress(tx: Tx, form: number, place: Place): Promise<void> {
  await tx.deleteFrom('template_progress').execute()
  await tx.insertInto('template_progress').values({ form, xid: place.xid, position: place.position }).execute()
}

/** Changes of all kinds: by kind, SQLite would sort them all. */
const pending = (tx: Tx, { xid, position }: Place) =>
  tx
    .selectFrom('changes')
    .select(['kind', 'record', 'status', 'xid', 'position', 'changed_utc'])
    .where((eb) => eb(eb.refTuple('xid', 'position'), '>', eb.tuple(xid, position)))
    .orderBy('xid')
    .orderBy('position')

/** When the first change was made that is not rendered in a form; null if there is none. */
export async function firstChange(tx: Tx, form: number): Promise<Instant | null> {
  const found = await pending(tx, await progress(tx, form))
    .limit(1)
    .executeTakeFirst()
  return found === undefined ? null : found.changed_utc
}

/** Changes that are not rendered in a form, made up to a time, oldest first; on the primary server. */
export async function listChanges(tx: Tx, form: number, until: Instant, limit: number) {
  const last = await changes.last(tx)
  const known = await progress(tx, form)
  // A database that was restored from a dump may have counted further.
  const since = isAfter(known, last) ? BEGIN : known
  const rows = await pending(tx, since).limit(limit).execute()
  const end = rows.findIndex((row) => row.changed_utc > until || isAfter(row, last))
  return end === -1 ? rows : rows.slice(0, end)
}

function isAfter(one: Place, other: Place): boolean {
  return one.xid > other.xid || (one.xid === other.xid && one.position > other.position)
}
