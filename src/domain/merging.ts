import { type Problems, refuse } from '../lib/errors.ts'
import { readFields } from '../schema/field.ts'
import { mergeParameters } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/merging.ts'
import * as recordStorage from '../storage/records.ts'
import * as termStorage from '../storage/terms.ts'
import { removeName } from '../storage/word-search.ts'
import { mayEdit, need, visibilityOf } from './access.ts'
import type { Linked, LinkedKind } from './linked-records.ts'
import * as linked from './linked-records.ts'
import { findEditable, readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'
import { mayEditTerm } from './term-rights.ts'
import type { Term, TermRow } from './terms.ts'
import * as terms from './terms.ts'

/**
 * Merging of duplicates: all events move to the other record, the first one is removed, and its address leads to the
 * other. Both are checked as for a change. Events move in batches, each with all that belongs to it; the last batch also
 * removes the record. A merge that was interrupted is done by doing it again.
 */

/** Merges a venue or organizer into the one that the field `into` names. Returns that one. */
export async function mergeLinked(scope: Scope, kind: LinkedKind, id: number, payload: Payload): Promise<Linked> {
  let into: number | null
  do into = await scope.db.writeMany((tx) => mergeSomeLinked(tx, scope, kind, id, payload))
  while (into === null)
  return linked.get(scope, kind, { id: into })
}

/** Moves some events, and removes the record when all are moved. Returns the id of the other one then, else null. */
async function mergeSomeLinked(
  tx: Tx,
  scope: Scope,
  kind: LinkedKind,
  id: number,
  payload: Payload,
): Promise<number | null> {
  const from = await findEditable(tx, scope, kind, { id })
  const { into, problems } = readInto(scope, id, payload)
  const target = into === null ? undefined : await recordStorage.getLocked(tx, kind, { id: into }, 'no reader: rights')
  if (target !== undefined) need(mayEdit(scope.user, target))
  if (into !== null && (target === undefined || target.status === 'trash'))
    problems.into = { problem: `no_such_${kind}`, id: into }
  else if (from.status === 'publish' && target !== undefined && target.status !== 'publish')
    problems.into = { problem: 'merge_into_unpublished' }
  refuse(problems)
  if (target === undefined || (await storage.moveEvents(tx, kind, id, target.id))) return null
  // The address before it was moved to the trash.
  const slug = from.restore_slug ?? from.slug
  await storage.redirect(tx, kind, { id, slug }, target.id, scope.clock())
  await recordStorage.remove(tx, kind, id)
  await removeName(tx, kind, id)
  return target.id
}

/** Merges a category or tag into the one that the field `into` names. A category takes its children along. */
export async function mergeTerms(scope: Scope, kind: TermKind, id: number, payload: Payload): Promise<Term> {
  let into: number | null
  do into = await scope.db.writeMany((tx) => mergeSomeTerms(tx, scope, kind, id, payload))
  while (into === null)
  return terms.get(scope, kind, into)
}

async function mergeSomeTerms(
  tx: Tx,
  scope: Scope,
  kind: TermKind,
  id: number,
  payload: Payload,
): Promise<number | null> {
  await termStorage.lock(tx, kind)
  const from = await terms.find(tx, scope, kind, id)
  need(await mayEditTerm(tx, scope, from))
  const { into, problems } = readInto(scope, id, payload)
  const target = into === null ? undefined : await terms.findIfVisible(tx, scope, kind, into)
  if (target !== undefined) need(await mayEditTerm(tx, scope, target))
  if (into !== null && target === undefined) problems.into = { problem: 'no_such_term', id: into }
  refuse(problems)
  if (target === undefined) return null
  if (kind === 'category') await checkTree(tx, from, target)
  // Events of a public term are about to have this one.
  if (from.published === 1) await termStorage.publish(tx, [target.id], scope.clock())
  if (await storage.moveEvents(tx, kind, id, target.id)) return null
  if (kind === 'category') await moveChildren(tx, scope, from, target)
  await storage.redirect(tx, kind, from, target.id, scope.clock())
  await termStorage.remove(tx, from, scope.clock())
  return target.id
}

/** Refuses to make the tree too deep, before any event is moved. */
async function checkTree(tx: Tx, from: TermRow, into: TermRow): Promise<void> {
  const below = await termStorage.withDescendants(tx, [from.id])
  if (!below.includes(into.id)) await terms.checkDepth(tx, from, into)
}

/** A category that is merged into one of its descendants leaves its own place to that one. */
async function moveChildren(tx: Tx, { clock }: Scope, from: TermRow, into: TermRow): Promise<void> {
  const below = await termStorage.withDescendants(tx, [from.id])
  if (below.includes(into.id)) await termStorage.update(tx, into.id, { parent: from.parent, modified_utc: clock() })
  await storage.moveChildren(tx, from.id, into.id, clock())
}

function readInto(scope: Scope, id: number, payload: Payload): { into: number | null; problems: Problems } {
  const { values, problems } = readFields(mergeParameters, payload(), {
    mode: 'create',
    reading: readingOf(scope),
  })
  const into = values.into ?? null
  if (into === id) problems.into = { problem: 'merge_into_itself' }
  return { into: problems.into === undefined ? into : null, problems }
}

/** The venue or organizer that an old address leads to; null if there is none that the reader may see. */
export async function movedLinked(scope: Scope, kind: LinkedKind, slug: string): Promise<Linked | null> {
  const id = await scope.db.read((tx) => storage.findBySlug(tx, kind, slug))
  if (id === undefined) return null
  const isThere = await scope.db.read(async (tx) => recordStorage.readable(tx, kind, [id], visibilityOf(scope.user)))
  return isThere.has(id) ? linked.get(scope, kind, { id }) : null
}

/** The category or tag that an old address leads to. */
export async function movedTerm(scope: Scope, kind: TermKind, slug: string): Promise<Term | null> {
  return scope.db.read(async (tx) => {
    const id = await storage.findBySlug(tx, kind, slug)
    const row = id === undefined ? undefined : await terms.findIfVisible(tx, scope, kind, id)
    const [term] = row === undefined ? [] : await terms.withPaths(tx, [row])
    return term ?? null
  })
}
