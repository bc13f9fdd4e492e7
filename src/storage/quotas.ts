import { sql } from 'kysely'
import { dialectOf, type Tx } from './dialect.ts'
import { RECORD_TABLE } from './records.ts'

/** What the smallest image counts as, in bytes: each takes files and a row, however few bytes are in it. */
const LEAST = 16_384

/** How many unpublished records a user is the author of, trash included; nobody else counts them until this transaction ends. */
export async function countUnpublished(tx: Tx, author: number): Promise<number> {
  await dialectOf(tx).lock(tx, `drafts ${author}`)
  let total = 0
  for (const table of Object.values(RECORD_TABLE) as 'venues'[]) {
    const { count } = await tx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('author', '=', author)
      // Not as a parameter: there is an index of just these.
      .where('status', '<>', sql.lit('publish'))
      .executeTakeFirstOrThrow()
    total += Number(count)
  }
  return total
}

/** How much of a quota an image takes, in bytes. */
export function countedBytes(filesize: number): number {
  return Math.max(filesize, LEAST)
}

/** How much of a quota the images of a user take, in bytes; and which of some images there are, whoever brought them. */
export async function imagesOf(
  tx: Tx,
  author: number,
  hashes: readonly string[],
): Promise<{ stored: number; found: Set<string> }> {
  const least = sql.lit(LEAST)
  const { bytes } = await tx
    .selectFrom('images')
    .select(sql<number>`sum(case when filesize < ${least} then ${least} else filesize end)`.as('bytes'))
    .where('author', '=', author)
    .executeTakeFirstOrThrow()
  const rows = await tx.selectFrom('images').select('hash').where('hash', 'in', hashes).execute()
  return { stored: Number(bytes ?? 0), found: new Set(rows.map(({ hash }) => hash)) }
}
