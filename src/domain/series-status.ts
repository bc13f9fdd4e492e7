import { TRASHED_SUFFIX, withSuffix } from '../lib/slug.ts'
import type { Status } from '../schema/record.ts'
import type { Tx } from '../storage/dialect.ts'
import { type EventRow, publishLinkedDrafts } from '../storage/events.ts'
import type { Occurrence, SeriesRow } from '../storage/series.ts'
import * as storage from '../storage/series.ts'
import { resolveStatus } from './records.ts'
import type { Scope } from './scope.ts'
import { moveTermCounts } from './series-copies.ts'
import { ownFields, removeException } from './series-members.ts'
import { patternOf } from './series-pattern.ts'
import { freeSlugs } from './series-slugs.ts'

/** Events whose drafts are published at once. */
const BATCH = 500

/** Gives events a status, or the one that they had before the trash. Returns the ids of those that had another. */
export async function setStatus(
  tx: Tx,
  scope: Scope,
  rows: readonly Occurrence[],
  status: Status | 'before',
): Promise<number[]> {
  const now = scope.clock()
  const changed = rows.flatMap((row) => {
    const wanted = status === 'before' ? (row.trashed_from ?? 'draft') : status
    const next = resolveStatus(scope, wanted, row.date_utc, now)
    return next === row.status ? [] : [{ row, next }]
  })
  const ids = changed.map(({ row }) => row.id)
  const counts = await storage.termCounts(tx, ids)
  const slugs = await slugsFor(tx, changed)
  await storage.updateEach(
    tx,
    changed.map(({ row, next }, n) => ({
      id: row.id,
      status: next,
      trashed_from: next === 'trash' ? row.status : null,
      slug: slugs[n] ?? row.slug,
      restore_slug: next === 'trash' ? row.slug : null,
      modified_utc: now,
    })),
  )
  await moveTermCounts(tx, ids, counts)
  const published = changed.filter(({ next }) => next === 'publish').map(({ row }) => row)
  for (const [author, events] of Map.groupBy(published, (row) => row.author))
    for (let at = 0; at < events.length; at += BATCH) {
      const some = events.slice(at, at + BATCH).map(({ id }) => id)
      await publishLinkedDrafts(tx, some, author, now)
    }
  return ids
}

/** A trashed event releases its slug, and gets it back if it is still free. */
async function slugsFor(tx: Tx, changed: readonly { row: Occurrence; next: Status }[]): Promise<string[]> {
  const isMoved = changed.map(({ row, next }) => row.status === 'trash' || next === 'trash')
  const wanted = changed.map(({ row, next }) =>
    next === 'trash' ? withSuffix(row.slug, TRASHED_SUFFIX) : (row.restore_slug ?? row.slug),
  )
  const free = await freeSlugs(
    tx,
    wanted.filter((_, n) => isMoved[n]),
  )
  return wanted.map((slug, n) => (isMoved[n] ? (free.shift() ?? slug) : slug))
}

/** Whether an occurrence was removed by itself. */
export function isRemoved(series: SeriesRow): (row: Occurrence) => boolean {
  const except = new Set(patternOf(series).except)
  return ({ status, original_start }) => status === 'trash' && original_start !== null && except.has(original_start)
}

/** Copies the status of an event to the others, but for those that were removed by themselves. Returns their ids. */
export async function copyStatus(
  tx: Tx,
  scope: Scope,
  series: SeriesRow,
  before: EventRow,
  { status }: EventRow,
  others: readonly Occurrence[],
): Promise<number[]> {
  const wasRemoved = isRemoved(series)
  if (wasRemoved(before)) await removeException(tx, scope, before)
  const open = others.filter((row) => !wasRemoved(row))
  if (status === 'trash') return setStatus(tx, scope, open, status)
  const hasOwn = (row: Occurrence) => ownFields(row).has('status')
  const alike = open.filter((row) => !hasOwn(row))
  if (before.status !== 'trash') return setStatus(tx, scope, alike, status)
  const restored = open.filter((row) => hasOwn(row) && row.status === 'trash')
  return [...(await setStatus(tx, scope, restored, 'before')), ...(await setStatus(tx, scope, alike, status))]
}
