import { sql } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'
import { RECORD_TABLE } from './records.ts'

/** Minimum size that an image counts as, in bytes: even a small one takes files and a row. */
const MIN_IMAGE_BYTES = 16_384

/** Number of a user's unpublished records, trash included. Locks the count until the transaction ends. */
export async function countUnpublished(tx: Tx, author: number): Promise<number> {
  await dialectOf(tx).lock(tx, `drafts ${author}`)
  let total = 0
  for (const table of Object.values(RECORD_TABLE) as 'venues'[]) {
    const { count } = await tx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('author', '=', author)
      // A literal, not a parameter: only then is the partial index used.
      .where('status', '<>', sql.lit('publish'))
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}

/** Bytes of the quota that an image uses. */
export function countedBytes(filesize: number): number {
  return Math.max(filesize, MIN_IMAGE_BYTES)
}

/** Bytes of the quota that a user's images take, and which of some images already exist, whoever uploaded them. */
export async function imagesOf(
  tx: Tx,
  author: number,
  hashes: readonly string[],
): Promise<{ stored: number; found: Set<string> }> {
  const least = sql.lit(MIN_IMAGE_BYTES)
  const { bytes } = await tx
    .selectFrom('images')
    .select(sql<number>`sum(case when filesize < ${least} then ${least} else filesize end)`.as('bytes'))
    .where('author', '=', author)
    .executeTakeFirstOrThrow()
  const rows = await tx.selectFrom('images').select('hash').where('hash', 'in', hashes).execute()
  return { stored: Number(bytes ?? 0), found: new Set(rows.map(({ hash }) => hash)) }
}
