import type { Kysely } from 'kysely'
import { INDEPENDENT, prepared } from '../prepared.ts'
import type { Tables } from '../tables.ts'

/** Limit on ids that are drawn together. */
const MAX_DRAWN = 8

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
  /** How many were drawn the last time. */
  count: number
}

const drawn = new WeakMap<Kysely<Tables>, Map<string, Drawn>>()

/** The next id of a sequence. The more a transaction needs, the more it draws at once: an id takes longer to draw than most rows to insert. */
export async function nextId(tx: Kysely<Tables>, sequence: string): Promise<number> {
  const all = drawn.get(tx) ?? new Map<string, Drawn>()
  drawn.set(tx, all)
  const known = all.get(sequence)
  if (known !== undefined && known.next <= known.last) return known.next++
  const count = known === undefined ? 1 : Math.min(2 * known.count, MAX_DRAWN)
  const [row] = await move(tx, count, sequence)
  const last = row?.last ?? 0
  const first = last - count + 1
  all.set(sequence, { next: first + 1, last, count })
  return first
}

/** Gives back the ids that were not used: at the end of a transaction, before a savepoint and before the sequence is read. */
export async function returnIds(tx: Kysely<Tables>): Promise<void> {
  const all = drawn.get(tx)
  if (all === undefined) return
  drawn.delete(tx)
  for (const [sequence, { next, last }] of all) if (next <= last) await move(tx, next - last - 1, sequence)
}

/** Forgets them: a part of the transaction was rolled back. */
export function forgetIds(tx: Kysely<Tables>): void {
  drawn.delete(tx)
}
