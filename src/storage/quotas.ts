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

/** How much of a quota the images of a user take, in bytes. */
export async function bytesOfImages(tx: Tx, author: number): Promise<number> {
  const { bytes } = await tx
    .selectFrom('images')
    .select(
      sql<number>`sum(case when filesize < ${sql.lit(LEAST)} then ${sql.lit(LEAST)} else filesize end)`.as('bytes'),
    )
    .where('author', '=', author)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
