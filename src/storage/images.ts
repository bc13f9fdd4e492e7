import type { Expression, Selectable, SqlBool } from 'kysely'
import { RECORD_KINDS, type RecordKind } from '../schema/linked.ts'
import { idsWhere } from './audit/reading.ts'
import { hasCreated, willRemove, willUpdate, willUpdateAll } from './audit/tracker.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { type Page, RECORD_TABLE } from './records.ts'
import type { ImageTable } from './tables.ts'
import { isVisible, type Visibility } from './visibility.ts'

export type ImageRow = Selectable<ImageTable>

export interface ImageFilter {
  /** Case-folded: part of the alternative text, the file name, or the name of a record that uses the image. */
  readonly search: string | null
  /** The records of others that the reader may not see are not searched. */
  readonly visibility: Visibility
}

/** Images, newest first. */
export async function list(tx: Tx, filter: ImageFilter, limit: number, offset: number): Promise<Page<ImageRow>> {
  const { search } = filter
  let found = tx.selectFrom('images')
  if (search !== null)
    found = found.where((eb) => {
      const { contains } = dialectOf(tx)
      const using = RECORD_KINDS.map((kind) =>
        eb(
          'images.id',
          'in',
          usedBy(tx, kind, filter.visibility, (text) => contains(text, search)),
        ),
      )
      return eb.or([contains(eb.ref('images.search'), search), ...using])
    })
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  return { rows, total: Number(total) }
}

/** Images of the records of a kind that a reader may see, and whose name matches. */
function usedBy(
  tx: Tx,
  kind: RecordKind,
  visibility: Visibility,
  matches: (text: Expression<string>) => Expression<SqlBool>,
) {
  // The searchable text of a venue or organizer begins with its name.
  const name = kind === 'event' ? 'title_search' : 'search'
  return tx
    .selectFrom(RECORD_TABLE[kind] as 'events')
    .select('image')
    .where('image', 'is not', null)
    .where((eb) => isVisible(eb, visibility, null))
    .where((eb) => matches(eb.ref(name)))
    .$castTo<{ image: number }>()
}

export async function get(tx: Tx, id: number): Promise<ImageRow | undefined> {
  return tx.selectFrom('images').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Locks an image until the transaction ends: a record is about to use it, or it is about to be removed, but not both.
 */
export async function lock(tx: Tx, id: number, to: 'show' | 'remove'): Promise<ImageRow | undefined> {
  const query = tx.selectFrom('images').selectAll().where('id', '=', id)
  if (!dialectOf(tx).locksRows) return query.executeTakeFirst()
  return (to === 'show' ? query.forKeyShare() : query.forUpdate()).executeTakeFirst()
}

/** The given images that exist, by id. */
export async function getAll(tx: Tx, ids: readonly number[]): Promise<Map<number, ImageRow>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('images')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds an image by the hash of its uploaded bytes. */
export async function find(tx: Tx, hash: string): Promise<ImageRow | undefined> {
  return tx.selectFrom('images').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Finds an image by the base name of its files. */
export async function findByFile(tx: Tx, base: string): Promise<ImageRow | undefined> {
  return tx
    .selectFrom('images')
    .selectAll()
    .where((eb) => eb.or([eb('file_base', '=', base), eb.and([eb('file_base', 'is', null), eb('hash', '=', base)])]))
    .executeTakeFirst()
}

/** Changes the files of an image. Records that show it get a new revision. */
export async function setFiles(
  tx: Tx,
  id: number,
  files: Pick<ImageRow, 'file_base' | 'sizes' | 'filesize'>,
): Promise<void> {
  await willUpdate(tx, 'image', id, files)
  await tx.updateTable('images').set(files).where('id', '=', id).execute()
  await replaceInRecords(tx, id, id)
}

/** Changes the alternative text of an image. Records that show it get a new revision. */
export async function describe(tx: Tx, id: number, changes: Pick<ImageRow, 'alt' | 'search'>): Promise<void> {
  await willUpdate(tx, 'image', id, changes)
  await tx.updateTable('images').set(changes).where('id', '=', id).execute()
  await replaceInRecords(tx, id, id)
}

export async function create(tx: Tx, image: Omit<ImageRow, 'id'>): Promise<ImageRow> {
  const row = { ...image, id: await dialectOf(tx).nextId(tx, 'records') }
  await tx.insertInto('images').values(row).execute()
  hasCreated(tx, 'image', row.id, row)
  return row
}

/** Number of records that use an image. */
export async function countUses(tx: Tx, id: number): Promise<number> {
  let uses = 0
  for (const kind of RECORD_KINDS) {
    const table = RECORD_TABLE[kind] as 'venues'
    const { count } = await tx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('image', '=', id)
      .executeTakeFirstOrThrow()
    uses += Number(count)
  }
  return uses
}

/** Removes an image, and its use in records. */
export async function remove(tx: Tx, id: number): Promise<void> {
  await willRemove(tx, 'image', id)
  await replaceInRecords(tx, id, null)
  await tx.deleteFrom('images').where('id', '=', id).execute()
}

/** Replaces an image in all records that use it. */
async function replaceInRecords(tx: Tx, id: number, image: number | null): Promise<void> {
  for (const kind of RECORD_KINDS) {
    if (image !== id)
      await willUpdateAll(tx, kind, await idsWhere(tx, RECORD_TABLE[kind], 'image', id), { image: true })
    await tx
      .updateTable(RECORD_TABLE[kind] as 'venues')
      .set({ image })
      .where('image', '=', id)
      .execute()
  }
}
