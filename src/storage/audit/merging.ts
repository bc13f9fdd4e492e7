import type { Instant } from '../../calendar/zone.ts'
import { RECORD_KINDS } from '../../schema/linked.ts'
import type { Tx } from '../dialect.ts'
import { prepared } from '../prepared.ts'
import type { Content, Entry } from './entry.ts'
import type { Actor } from './tracker.ts'

/**
 * Consecutive saves of a long text by one user are one entry: what was before the first, and what is after the last.
 * Changes of a status, of several records at once, by an import or by a version that is brought back stay apart.
 */

/** How long an entry takes further saves, in seconds. */
const WINDOW = 600

/** Whether an entry is a save that others may be one with. `long` are the names of its fields with long texts. */
export function mayMerge(
  { action, kind, after }: Entry,
  { user, way, isApart }: Actor,
  long: readonly string[],
): boolean {
  const isSaved = user !== null && (way === 'rest' || way === 'screen') && isApart !== true
  const isRecord = (RECORD_KINDS as readonly string[]).includes(kind)
  return isSaved && isRecord && action === 'changed' && long.length > 0 && after !== null && !('status' in after)
}

const newestOf = prepared<
  { id: number; at_utc: Instant; user: number | null; merges: number; before: string | null; after: string | null },
  [kind: string, record: number]
>((db, kind, record) =>
  db
    .selectFrom('audit')
    .select(['id', 'at_utc', 'user', 'merges', 'before', 'after'])
    .where('kind', '=', kind)
    .where('record', '=', record)
    .orderBy('id', 'desc')
    .limit(1),
)

const replace = prepared<object, [title: string, before: string, after: string, id: number]>(
  (db, title, before, after, id) => db.updateTable('audit').set({ title, before, after }).where('id', '=', id),
)

/** Adds a save to the newest entry of its record, if that is one of the same text. Returns the bytes that it grew by; null if it is not. */
export async function addToNewest(
  tx: Tx,
  { kind, record, title, before, after }: Entry,
  { user, clock }: Actor,
  long: readonly string[],
): Promise<number | null> {
  const [newest] = await newestOf(tx, kind, record)
  if (newest?.merges !== 1 || newest.user !== user?.id || clock() - newest.at_utc >= WINDOW) return null
  const [first, last] = [newest.before, newest.after].map((text) => JSON.parse(text ?? '{}') as Content)
  if (!long.some((name) => last !== undefined && name in last)) return null
  const whole = [JSON.stringify({ ...before, ...first }), JSON.stringify({ ...last, ...after })] as const
  await replace(tx, title, ...whole, newest.id)
  return bytesOf(...whole) - bytesOf(newest.before, newest.after)
}

/** Length of texts, in bytes. */
export function bytesOf(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0)
}
