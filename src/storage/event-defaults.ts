import type { Selectable } from 'kysely'
import { eventFields } from '../schema/event.ts'
import type { Columns } from '../schema/field.ts'
import type { EventTable } from './tables.ts'

type Row = Omit<Selectable<EventTable>, keyof Columns<typeof eventFields>>

/** What the database stores in columns that are no fields, if an insert leaves them out; undefined if it must not. */
const DEFAULTS: { readonly [Column in keyof Row]: Row[Column] | undefined } = {
  id: undefined,
  author: undefined,
  status: undefined,
  trashed_from: null,
  slug: undefined,
  restore_slug: null,
  date_utc: undefined,
  modified_utc: undefined,
  image: null,
  search: undefined,
  title_search: undefined,
  timezone: undefined,
  start_local: undefined,
  end_local: undefined,
  start_utc: undefined,
  end_utc: undefined,
  parent: null,
  password_hash: null,
  revision: 1,
  sequence: 0,
  series: null,
  original_start: null,
  own_fields: null,
}

const FIELDS = Object.entries(eventFields)
  .filter(([, field]) => 'stored' in field && field.stored)
  .map(([name, field]): [string, unknown] => [name, 'default' in field ? Number(field.default) : null])

const COLUMNS = [...Object.entries(DEFAULTS), ...FIELDS]

/** A new event with all its columns, as the database stores it. */
export function withDefaults(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored: Record<string, unknown> = {}
  for (const [column, preset] of COLUMNS) {
    const value = row[column] ?? preset
    stored[column] = typeof value === 'boolean' ? Number(value) : value
  }
  return stored
}
