import { refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { declare, readFields } from '../schema/field.ts'
import { linkedListParameters } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'
import * as types from '../schema/value-types.ts'
import * as linkedStorage from '../storage/linked-records.ts'
import { countEvents, tree } from '../storage/record-table.ts'
import { need, needTerms, rightsOf, visibilityOf } from './access.ts'
import { undamagedLinked } from './damage.ts'
import { type Linked, type LinkedKind, withImages } from './linked-records.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'
import * as terms from './terms.ts'

/** Tables of records and terms for the staff, with the number of events of each. */

export interface RecordTable<Row> {
  readonly rows: readonly (Row & { readonly events: number })[]
  readonly total: number
  readonly page: number
  readonly perPage: number
}

const { search, status, page, per_page } = linkedListParameters

const linkedTableParameters = {
  search,
  status,
  page,
  per_page,
  ...declare('record_table', {
    orderby: { kind: types.oneOf('name', 'modified', 'newest'), default: 'name' as const },
    order: { kind: types.oneOf('asc', 'desc') },
  }),
}

/** One page of the venues or organizers that a user may see, by name. */
export async function listLinked(scope: Scope, kind: LinkedKind, query: Payload): Promise<RecordTable<Linked>> {
  need(rightsOf(scope.user).create)
  const { values, problems } = readFields(linkedTableParameters, query(), {
    mode: 'query',
    reading: readingOf(scope),
  })
  refuse(problems)
  const { page = 1, per_page: perPage = 20, orderby: by = 'name' } = values
  const visibility = visibilityOf(scope.user)
  const filter = {
    visibility,
    status: values.status ?? null,
    search: values.search ? fold(values.search) : null,
    slugs: null,
    title: null,
    event: null,
    hasEvents: null,
    upcomingAt: null,
  }
  const direction = values.order ?? (by === 'name' ? 'asc' : 'desc')
  return scope.db.readMany(async (tx) => {
    const total = await linkedStorage.count(tx, kind, filter)
    const rows = await linkedStorage.list(tx, kind, filter, perPage, (page - 1) * perPage, { by, direction })
    const shown = await withImages(tx, undamagedLinked(kind, scope, rows), scope.onDamage)
    const ids = shown.map(({ row }) => row.id)
    const events = await countEvents(tx, kind, ids, visibility)
    return { rows: shown.map((one) => ({ ...one, events: events.get(one.row.id) ?? 0 })), total, page, perPage }
  })
}

/** Number of events of a record or term that a user may see. */
export async function eventsOf({ db, user }: Scope, kind: LinkedKind | TermKind, id: number): Promise<number> {
  return (await db.readMany((tx) => countEvents(tx, kind, [id], visibilityOf(user)))).get(id) ?? 0
}

/** A term with its depth in the tree, from 0. */
export type ListedTerm = terms.Term & { readonly depth: number }

/** One page of terms. Without a search or an order, categories are a tree; all else is a list. */
export async function listTerms(scope: Scope, kind: TermKind, query: Payload): Promise<RecordTable<ListedTerm>> {
  needTerms(scope.user, kind)
  const asked = query()
  const visibility = visibilityOf(scope.user)
  const isTree = kind === 'category' && !asked.search && !asked.orderby
  const found = isTree ? await readTree(scope, asked) : await readList(scope, kind, asked)
  const ids = found.rows.map(({ id }) => id)
  const events = await scope.db.readMany((tx) => countEvents(tx, kind, ids, visibility))
  return { ...found, rows: found.rows.map((row) => ({ ...row, events: events.get(row.id) ?? 0 })) }
}

type Listed = Omit<RecordTable<ListedTerm>, 'rows'> & { readonly rows: readonly ListedTerm[] }

async function readTree(scope: Scope, asked: Record<string, unknown>): Promise<Listed> {
  const { values, problems } = readFields({ page, per_page }, asked, { mode: 'query', reading: readingOf(scope) })
  refuse(problems)
  const { page: number = 1, per_page: perPage = 20 } = values
  return scope.db.readMany(async (tx) => {
    const { rows, total } = await tree(tx, visibilityOf(scope.user), perPage, (number - 1) * perPage)
    const depths = new Map(rows.map(({ id, depth }) => [id, depth]))
    const shown = (await terms.withPaths(tx, rows)).map((row) => ({ ...row, depth: depths.get(row.id) ?? 0 }))
    return { rows: shown, total, page: number, perPage }
  })
}

async function readList(scope: Scope, kind: TermKind, asked: Record<string, unknown>): Promise<Listed> {
  const found = await terms.list(scope, kind, () => ({ ...asked, hide_empty: false }))
  return { ...found, rows: found.rows.map((row) => ({ ...row, depth: 0 })) }
}
