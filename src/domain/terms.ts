import { hash } from 'node:crypto'
import { AppError, type Problems, refuse } from '../lib/errors.ts'
import { fold } from '../lib/fold.ts'
import { slugify } from '../lib/slug.ts'
import { writeCursor } from '../schema/cursor.ts'
import { readFields, type Values } from '../schema/field.ts'
import { categoryFields, categoryListParameters, type TermKind, tagFields, tagListParameters } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import { forget } from '../storage/merging.ts'
import type { TermRow } from '../storage/terms.ts'
import * as storage from '../storage/terms.ts'
import { maySeeTerm, need, needTerms, visibilityOf } from './access.ts'
import { isCursorOf, type KeyType } from './cursors.ts'
import { readLongTexts, writeBySize } from './long-texts.ts'
import { findIfReadable, modifiedRange, readingOf } from './records.ts'
import type { Check, Payload, Scope } from './scope.ts'
import { changedFields } from './sent-back.ts'
import { mayEditTerm } from './term-rights.ts'

export type { TermRow } from '../storage/terms.ts'

/** A term with its path from the root of its tree, as in its address. */
export interface Term extends TermRow {
  readonly path: string
  /** Ancestors, nearest first. */
  readonly above: readonly TermRow[]
}

export interface TermPage {
  readonly rows: Term[]
  readonly total: number
  readonly page: number
  readonly perPage: number
  /** Cursor after this page; null on the last one. */
  readonly next: string | null
  readonly byCursor: boolean
}

/** State of a term, without its count, which changes with events. */
export function revisionOf({ name, slug, description, parent }: TermRow): string {
  return hash('sha1', JSON.stringify([name, slug, description, parent])).slice(0, 12)
}

/** Tags have no tree: `parent` is not declared for them, so it is never read. */
const FIELDS = { category: categoryFields, tag: tagFields as typeof categoryFields }
const LIST = { category: categoryListParameters, tag: tagListParameters as typeof categoryListParameters }

/** Type of the first sort key, by order. */
const KEYS: Record<storage.TermFilter['orderBy'], KeyType> = {
  id: 'whole',
  name: 'text',
  slug: 'text',
  count: 'whole',
  description: 'text',
  include: 'whole',
}

export async function list(scope: Scope, kind: TermKind, query: Payload): Promise<TermPage> {
  const { values, problems } = readFields(LIST[kind], query(), { mode: 'query', reading: readingOf(scope) })
  const { cursor, orderby: orderBy = 'name', order: direction = 'asc', per_page: perPage = 10 } = values
  const page = cursor ? 1 : (values.page ?? 1)
  const order = `${orderBy} ${direction}`
  if (cursor && !isCursorOf(cursor, order, [KEYS[orderBy], 'text', 'whole']))
    problems.cursor = { problem: 'not_a_cursor' }
  const event = values.event ?? values.post ?? null
  return scope.db.readMany(async (tx) => {
    await checkFilters(tx, scope, kind, values, problems)
    refuse(problems)
    const filter: storage.TermFilter = {
      search: values.search ? fold(values.search) : null,
      include: values.include ?? null,
      exclude: values.exclude ?? [],
      parent: values.parent ?? null,
      slugs: values.slug?.length ? values.slug : null,
      name: values.title ? fold(values.title) : null,
      event,
      visibility: visibilityOf(scope.user),
      // Terms of the given event are not empty, even if the event is a draft.
      hideEmpty: values.hide_empty !== false && event === null,
      orderBy,
      order: direction,
      modified: modifiedRange(scope, values),
      after: cursor?.key ?? null,
    }
    const { rows: found, total } = await storage.list(tx, kind, filter, perPage + 1, (page - 1) * perPage)
    const rows = found.slice(0, perPage)
    const last = rows.at(-1)
    const isLast = found.length <= perPage || last === undefined
    const next = isLast ? null : writeCursor({ order, key: [last.sorted_by ?? 0, last.name_key, last.id] })
    return { rows: await withPaths(tx, rows), total, page, perPage, next, byCursor: Boolean(cursor) }
  })
}

export async function get(scope: Scope, kind: TermKind, id: number): Promise<Term> {
  return scope.db.read(async (tx) => withPath(tx, await find(tx, scope, kind, id)))
}

/** Gets a term that the reader may see by its slug. */
export async function getBySlug({ db, user }: Scope, kind: TermKind, slug: string): Promise<Term> {
  return db.read(async (tx) => {
    const row = await storage.findBySlug(tx, kind, slug, visibilityOf(user))
    if (row === undefined) throw new AppError('rest_term_invalid')
    return withPath(tx, row)
  })
}

export async function create(scope: Scope, kind: TermKind, payload: Payload): Promise<Term> {
  needTerms(scope.user, kind)
  const isLong = await readLongTexts(scope, 'term', payload)
  return writeBySize(scope, isLong, async (tx) => {
    await storage.lock(tx, kind)
    const { values, problems } = readFields(FIELDS[kind], payload(), { mode: 'create', reading: readingOf(scope) })
    const parent = values.parent ?? 0
    await checkParent(tx, scope, kind, parent, null, problems)
    refuse(problems)
    const { name = '', slug = null, description = null } = values
    const sibling = await storage.sibling(tx, kind, parent, fold(name), 'no reader: write')
    // Another user's draft has created it hidden, which this user cannot know.
    const hidden = sibling !== undefined && !maySeeTerm(scope.user, sibling) ? sibling : null
    if (hidden === null) throwIfExists(sibling, name, null)
    const { id } = hidden ?? (await insert(tx, scope, kind, { name, parent, slug, description }))
    // One of somebody else is made public as it is.
    if (hidden !== null && (await mayEditTerm(tx, scope, hidden))) {
      const free = slug === null ? hidden.slug : await storage.freeSlug(tx, kind, slug, id)
      await storage.update(tx, id, { name, slug: free, description, modified_utc: scope.clock() })
    }
    return published(tx, scope, kind, id)
  })
}

export async function update(
  scope: Scope,
  kind: TermKind,
  id: number,
  payload: Payload,
  check: Check<Term> = null,
): Promise<Term> {
  const isLong = await readLongTexts(scope, 'term', payload)
  // All categories below one may get another address, and an author's right depends on all events that have one.
  return writeBySize(scope, isLong || kind === 'category', async (tx) => {
    await storage.lock(tx, kind)
    const before = await find(tx, scope, kind, id)
    need(await mayEditTerm(tx, scope, before))
    const current = await withPath(tx, before)
    const changed = changedFields(FIELDS[kind], payload(), check?.(current))
    if (changed.isNothing) return current
    const { values, problems } = readFields(FIELDS[kind], changed.fields, { mode: 'update', reading: readingOf(scope) })
    const { name = before.name, parent = before.parent } = values
    await checkParent(tx, scope, kind, parent, before, problems)
    refuse(problems)
    if (fold(name) !== before.name_key || parent !== before.parent)
      throwIfExists(await storage.sibling(tx, kind, parent, fold(name), 'no reader: write'), name, before)
    const slug = await changedSlug(tx, before, values.slug, name)
    const description = values.description === undefined ? before.description : values.description
    const modified_utc = scope.clock()
    await storage.update(tx, id, {
      ...{ name, name_key: fold(name), description, modified_utc },
      ...(slug !== before.slug && { slug }),
      ...(parent !== before.parent && { parent }),
    })
    return published(tx, scope, kind, id)
  })
}

/** Publishes the term: a user with the right to change terms has reviewed it. */
async function published(tx: Tx, scope: Scope, kind: TermKind, id: number): Promise<Term> {
  await storage.publish(tx, [id], scope.clock())
  return withPath(tx, await find(tx, scope, kind, id))
}

/** Deletes a term and returns it. */
export async function remove(scope: Scope, kind: TermKind, id: number, check: Check<Term> = null): Promise<Term> {
  // All of its events are updated.
  return scope.db.writeMany(async (tx) => {
    await storage.lock(tx, kind)
    const before = await find(tx, scope, kind, id)
    need(await mayEditTerm(tx, scope, before))
    const term = await withPath(tx, before)
    check?.(term)
    await storage.remove(tx, before, scope.clock())
    await forget(tx, kind, before.id)
    return term
  })
}

/** A given slug must be free. A cleared slug is derived from the name. */
async function changedSlug(tx: Tx, before: TermRow, given: string | null | undefined, name: string): Promise<string> {
  if (given === undefined || given === before.slug) return before.slug
  const free = await storage.freeSlug(tx, before.kind, given ?? (slugify(name) || before.kind), before.id)
  if (given !== null && free !== given) throw new AppError('duplicate_term_slug', { fill: { slug: given } })
  return free
}

/** Inserts a term with a unique slug, hidden until it is published. */
export async function insert(
  tx: Tx,
  { clock, user }: Pick<Scope, 'clock' | 'user'>,
  kind: TermKind,
  term: Pick<TermRow, 'name' | 'parent' | 'description'> & { slug: string | null },
): Promise<{ readonly id: number }> {
  const slug = await storage.freeSlug(tx, kind, term.slug ?? (slugify(term.name) || kind))
  const rest = { name_key: fold(term.name), published: 0, modified_utc: clock(), author: user?.id ?? null }
  return { id: await storage.create(tx, { ...term, kind, slug, ...rest }) }
}

/** Adds paths to terms. */
export async function withPaths(tx: Tx, rows: readonly TermRow[]): Promise<Term[]> {
  const known = await storage.above(tx, rows)
  return rows.map((row) => {
    const above = known.get(row.id) ?? []
    const path = [row, ...above].map(({ slug }) => slug).toReversed()
    return { ...row, above, path: path.join('/') }
  })
}

async function withPath(tx: Tx, row: TermRow): Promise<Term> {
  const [term] = await withPaths(tx, [row])
  return term ?? { ...row, above: [], path: row.slug }
}

/** Gets a term that the reader may see. */
export async function find(tx: Tx, scope: Scope, kind: TermKind, id: number): Promise<TermRow> {
  const row = await findIfVisible(tx, scope, kind, id)
  if (row === undefined) throw new AppError('rest_term_invalid')
  return row
}

/** The same without an error. */
export async function findIfVisible(tx: Tx, { user }: Scope, kind: TermKind, id: number): Promise<TermRow | undefined> {
  const row = Number.isSafeInteger(id) ? await storage.get(tx, kind, id, 'no reader: rights') : undefined
  return row !== undefined && maySeeTerm(user, row) ? row : undefined
}

async function checkFilters(
  tx: Tx,
  scope: Scope,
  kind: TermKind,
  values: Values<typeof categoryListParameters>,
  problems: Problems,
): Promise<void> {
  for (const name of ['include', 'exclude'] as const) {
    const ids = values[name] ?? []
    const seen = (await storage.getAll(tx, kind, ids, 'no reader: rights')).filter((row) => maySeeTerm(scope.user, row))
    const known = new Set(seen.map((row) => row.id))
    const unknown = ids.find((id) => !known.has(id))
    if (unknown !== undefined) problems[name] = { problem: 'no_such_term', id: unknown }
  }
  for (const name of ['post', 'event'] as const) {
    const id = values[name]
    if (id && !(await findIfReadable(tx, scope, 'event', { id }))) problems[name] = { problem: 'no_such_event', id }
  }
  if (values.parent) await checkParent(tx, scope, kind, values.parent, null, problems)
}

/** Limit on the depth of the category tree. */
const MAX_DEPTH = 20

/** A parent must exist, must not be the term itself or a descendant, and must not be too deep. */
async function checkParent(
  tx: Tx,
  scope: Scope,
  kind: TermKind,
  parent: number,
  child: TermRow | null,
  problems: Problems,
): Promise<void> {
  if (parent === 0 || parent === child?.parent) return
  const above = await findIfVisible(tx, scope, kind, parent)
  if (above === undefined) problems.parent = { problem: 'no_such_term', id: parent }
  else if (child !== null && (await storage.withDescendants(tx, [child.id])).includes(parent))
    problems.parent = { problem: 'loop' }
  else if ((await storage.depthAbove(tx, above)) + (await storage.depthBelow(tx, child?.id ?? null)) > MAX_DEPTH) {
    problems.parent = { problem: 'too_deep', deepest: MAX_DEPTH }
  }
}

/** Refuses to move the children of a category below another one, if the tree would become too deep. */
export async function checkDepth(tx: Tx, from: TermRow, into: TermRow): Promise<void> {
  const depth = (await storage.depthAbove(tx, into)) + (await storage.depthBelow(tx, from.id)) - 1
  refuse(depth > MAX_DEPTH ? { into: { problem: 'too_deep', deepest: MAX_DEPTH } } : {})
}

function throwIfExists(sibling: TermRow | undefined, name: string, self: TermRow | null): void {
  if (sibling !== undefined && sibling.id !== self?.id) {
    throw new AppError('term_exists', { fill: { name }, data: { term_id: sibling.id } })
  }
}
