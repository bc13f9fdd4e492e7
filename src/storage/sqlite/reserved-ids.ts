import type { Kysely } from 'kysely'
import { INDEPENDENT, prepared } from '../prepared.ts'
import type { Tables } from '../tables.ts'

/** Limit on ids that are drawn together. */
const MAX_DRAWN = 32

const move = prepared<{ last: number }, [by: number, sequence: string]>(
  (db, by, sequence) =>
    db
      .updateTable('sequences')
      .set((eb) => ({ last: eb('last', '+', by) }))
      .where('name', '=', sequence as never)
      .returning('last'),
  INDEPENDENT,
)

/** Ids that a transaction has drawn: the next one, and the last. */
interface Drawn {
  next: number
  last: number
  /** How many were drawn the last time, and in all. */
  count: number
  total: number
}

/** How many ids the last transaction that drew some has used: the next one begins with as many. */
const used = new Map<string, number>()

const drawn = new WeakMap<Kysely<Tables>, Map<string, Drawn>>()

/** The next id of a sequence. The more a transaction needs, the more it draws at once: an id takes longer to draw than most rows to insert. */
export async function nextId(tx: Kysely<Tables>, sequence: string): Promise<number> {
  const all = drawn.get(tx) ?? new Map<string, Drawn>()
  drawn.set(tx, all)
  const known = all.get(sequence)
  if (known !== undefined && known.next <= known.last) return known.next++
  const count = Math.min(known === undefined ? (used.get(sequence) ?? 1) : 2 * known.count, MAX_DRAWN)
  const [row] = await move(tx, count, sequence)
  const last = row?.last ?? 0
  const first = last - count + 1
  all.set(sequence, { next: first + 1, last, count, total: (known?.total ?? 0) + count })
  return first
}

/** Gives back the ids that were not used: at the end of a transaction, before a savepoint and before the sequence is read. */
export async function returnIds(tx: Kysely<Tables>): Promise<void> {
  const all = drawn.get(tx)
  if (all === undefined) return
  drawn.delete(tx)
  for (const [sequence, { next, last, total }] of all) {
    const left = last - next + 1
    used.set(sequence, total - left)
    if (left > 0) await move(tx, -left, sequence)
  }
}

/** Forgets them: a part of the transaction was rolled back. */
export function forgetIds(tx: Kysely<Tables>): void {
  drawn.delete(tx)
}
