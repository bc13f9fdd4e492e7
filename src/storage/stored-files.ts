import type { Selectable } from 'kysely'
import type { Tx } from './dialect.ts'
import type { ImageTable } from './tables.ts'

/** Rows that name files: images, and held files of suggestions and imports. */

export type FileRow = Pick<
  Selectable<ImageTable>,
  'id' | 'hash' | 'file_base' | 'extension' | 'sizes' | 'width' | 'height' | 'filesize'
>

/** Images after an id, in order. */
export function listImages(tx: Tx, after: number, limit: number): Promise<FileRow[]> {
  return tx
    .selectFrom('images')
    .select(['id', 'hash', 'file_base', 'extension', 'sizes', 'width', 'height', 'filesize'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Names of files that wait for a decision. */
export async function listHeld(tx: Tx): Promise<string[]> {
  const pictures = await tx.selectFrom('suggestions').select('picture').where('picture', 'is not', null).execute()
  const files = await tx.selectFrom('import_runs').select('file').where('file', 'is not', null).execute()
  return [...pictures.map(({ picture }) => picture ?? ''), ...files.map(({ file }) => file ?? '')]
}

/** Files that are listed as unused: see image-files.ts. */
export async function listUnused(tx: Tx): Promise<string[]> {
  const rows = await tx.selectFrom('unused_files').select('file').execute()
  return rows.map(({ file }) => file)
}
