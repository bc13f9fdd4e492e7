import type { Instant } from '../calendar/zone.ts'
import type { Tx } from './dialect.ts'

/**
 * Files of images that no image names: those that are being written, and those that are to be removed. A file is listed
 * before it is written, and no longer when an image names it; so whatever is interrupted, it is known what to remove.
 */

/** Lists files that are about to be written. */
export async function announce(tx: Tx, files: readonly string[], now: Instant): Promise<void> {
  await add(tx, files, now, 0)
}

/** Lists files that are to be removed, as their image is. */
export async function condemn(tx: Tx, files: readonly string[], now: Instant): Promise<void> {
  await add(tx, files, now, 1)
}

async function add(tx: Tx, files: readonly string[], since_utc: Instant, removing: number): Promise<void> {
  const rows = files.map((file) => ({ file, since_utc, removing }))
  await tx
    .insertInto('unused_files')
    .values(rows)
    .onConflict((conflict) => conflict.column('file').doUpdateSet({ since_utc, removing }))
    .execute()
}

/** Takes files off the list, as an image is to name them; answers whether all were still there. */
export async function claim(tx: Tx, files: readonly string[]): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('unused_files')
    .where('file', 'in', files)
    .where('removing', '=', 0)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows) === files.length
}

/** Lets no image name these files any more; answers those that none names, which are to be removed. */
export async function seize(tx: Tx, files: readonly string[]): Promise<string[]> {
  await tx
    .updateTable('unused_files')
    .set({ removing: 1 })
    .where('file', 'in', files)
    .where('removing', '=', 0)
    .execute()
  const rows = await tx
    .selectFrom('unused_files')
    .select('file')
    .where('file', 'in', files)
    .where('removing', '=', 1)
    .execute()
  return rows.map(({ file }) => file)
}

/** Takes files off the list that are no more. */
export async function forget(tx: Tx, files: readonly string[]): Promise<void> {
  await tx.deleteFrom('unused_files').where('file', 'in', files).where('removing', '=', 1).execute()
}

/** Some of the files that were listed before a moment. */
export async function listBefore(tx: Tx, moment: Instant, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('unused_files')
    .select('file')
    .where('since_utc', '<', moment)
    .orderBy('since_utc')
    .limit(limit)
    .execute()
  return rows.map(({ file }) => file)
}
