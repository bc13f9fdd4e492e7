import { toWall } from '../../calendar/civil.ts'
import { SECRET } from '../../schema/audit.ts'
import { eventFields } from '../../schema/event.ts'
import { type Fields, storedEntries } from '../../schema/field.ts'
import { LINKED_FIELDS, LINKED_KINDS, type LinkedKind } from '../../schema/linked.ts'
import { flag } from '../../schema/value-types.ts'
import type { Tables } from '../tables.ts'

/** What the audit log holds of each kind of record, in the form of a request, so that it can be sent back. */

/** Kinds as tables have them: terms of both kinds are in one. */
export type TrackedKind = 'event' | LinkedKind | 'term' | 'series' | 'image' | 'user' | 'token' | 'webhook' | 'feed'

/** A column, as a field. */
interface Logged {
  readonly field: string
  /** Whether it is shown alike whatever it is. */
  readonly isSecret: boolean
  show(value: unknown): unknown
}

interface LoggedTable {
  readonly table: keyof Tables
  /** Column that names the record. */
  readonly title: string
  readonly columns: ReadonlyMap<string, Logged>
}

/** Column that counts in place of another one of its field, unless it is null. */
export const RESTORE_SLUG = 'restore_slug'

const same = (value: unknown) => value
const truth = (value: unknown) => (value === null ? null : value === 1)
const time = (value: unknown) => (typeof value === 'number' ? toWall(value) : null)
const secret = (value: unknown) => (value === null || value === '' ? null : SECRET)
const json = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : null)
const idOrNone = (value: unknown) => value ?? 0

/** What is damaged is logged as text: it must not keep anybody from repairing or removing a record. */
function safely(show: (value: unknown) => unknown): (value: unknown) => unknown {
  if (show === same) return (value) => (typeof value === 'object' && value !== null ? String(value) : value)
  return (value) => {
    try {
      const shown = show(value)
      return shown instanceof Uint8Array || typeof shown === 'bigint' ? String(shown) : shown
    } catch {
      return String(value)
    }
  }
}

type Shown = readonly [column: string, show?: (value: unknown) => unknown, field?: string]

function logged(table: keyof Tables, title: string, columns: readonly Shown[]): LoggedTable {
  const each = columns.map(
    ([column, show = same, field = column]) =>
      [column, { field, isSecret: show === secret, show: safely(show) }] as const,
  )
  return { table, title, columns: new Map(each) }
}

function storedColumns(fields: Fields): Shown[] {
  return storedEntries(fields).map(([name, { kind }]) => [name, kind === flag ? truth : same])
}

const RECORD: readonly Shown[] = [
  ['status'],
  ['slug'],
  // In the trash a record has another slug; the log has the one that it gets back.
  [RESTORE_SLUG, same, 'slug'],
  ['author'],
  ['date_utc', time],
  ['image', idOrNone],
]

const EVENT: readonly Shown[] = [
  ...storedColumns(eventFields),
  ...RECORD,
  ['start_local', same, 'start_date'],
  ['end_local', same, 'end_date'],
  ['timezone'],
  ['parent', idOrNone],
  ['password_hash', secret, 'password'],
  ['series'],
]

const linkedTables = Object.fromEntries(
  LINKED_KINDS.map((kind) => [kind, logged(`${kind}s`, kind, [...storedColumns(LINKED_FIELDS[kind]), ...RECORD])]),
) as Record<LinkedKind, LoggedTable>

export const LOGGED: Record<TrackedKind, LoggedTable> = {
  event: logged('events', 'title', EVENT),
  ...linkedTables,
  term: logged('terms', 'name', [['name'], ['slug'], ['description'], ['parent'], ['author']]),
  series: logged('series', 'slug', [
    ['rule'],
    ['dates', json],
    ['except_dates', json],
    ['timezone'],
    ['start_local', same, 'start_date'],
    ['end_local', same, 'end_date'],
    ['author'],
    ['trashed', truth],
  ]),
  image: logged('images', 'name', [['name'], ['alt'], ['author'], ['mime'], ['width'], ['height'], ['filesize']]),
  user: logged('users', 'name', [
    ['name'],
    ['email'],
    ['role'],
    ['language'],
    ['disabled_utc', time],
    ['password_hash', secret, 'password'],
  ]),
  token: logged('tokens', 'name', [['name'], ['user'], ['expires_utc', time]]),
  webhook: logged('webhooks', 'url', [
    ['url'],
    ['events', json],
    ['active', truth],
    ['description'],
    ['payload'],
    ['secret', secret],
  ]),
  feed: logged('import_feeds', 'url', [['url'], ['every'], ['user'], ['options', json]]),
}

/** What an event has in other tables. */
export type EventPart = LinkedKind | 'terms' | 'tickets'
export const EVENT_PARTS: readonly EventPart[] = [...LINKED_KINDS, 'terms', 'tickets']

/** Columns of an occurrence that is made or removed with many others: the rest is that of its series. */
export const COMPACT: readonly string[] = [
  'title',
  'slug',
  RESTORE_SLUG,
  'status',
  'start_local',
  'end_local',
  'timezone',
  'series',
]
