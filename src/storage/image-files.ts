import type { Instant } from '../calendar/zone.ts'
import type { Tx } from './dialect.ts'

/**
 * List of image files without an image row: files being written, and files to remove. A file is listed before it is
 * written and unlisted when an image row refers to it. So, after any crash, it is known which files to remove.
 */

/** Lists files before they are written. */
export async function addPending(tx: Tx, files: readonly string[], now: Instant): Promise<void> {
  await add(tx, files, now, 0)
}

/** Lists the files of a removed image. */
export async function addObsolete(tx: Tx, files: readonly string[], now: Instant): Promise<void> {
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

/** Unlists files when an image row is about to refer to them. Returns whether all were still listed. */
export async function claim(tx: Tx, files: readonly string[]): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('unused_files')
    .where('file', 'in', files)
    .where('removing', '=', 0)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows) === files.length
}

/** Marks files as to be removed, so that no image row can claim them. Returns those that were not claimed. */
export async function markObsolete(tx: Tx, files: readonly string[]): Promise<string[]> {
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

/** Unlists removed files. */
export async function unlist(tx: Tx, files: readonly string[]): Promise<void> {
  await tx.deleteFrom('unused_files').where('file', 'in', files).where('removing', '=', 1).execute()
}

/** Files that were listed before a time. */
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
