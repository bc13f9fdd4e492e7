import type { Selectable } from 'kysely'
import type { RecordKind } from '../schema/record.ts'
import { dialectOf, type Tx } from './dialect.ts'
import { type Page, RECORD_TABLE } from './records.ts'
import type { ImageTable } from './tables.ts'

export type ImageRow = Selectable<ImageTable>

/** Images, the newest first. */
export async function list(tx: Tx, limit: number, offset: number): Promise<Page<ImageRow>> {
  const { total } = await tx
    .selectFrom('images')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await tx.selectFrom('images').selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  return { rows, total: Number(total) }
}

export async function get(tx: Tx, id: number): Promise<ImageRow | undefined> {
  return tx.selectFrom('images').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Those of the given images that exist, by id. */
export async function getAll(tx: Tx, ids: readonly number[]): Promise<Map<number, ImageRow>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('images')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The image with this hash. */
export async function find(tx: Tx, hash: string): Promise<ImageRow | undefined> {
  return tx.selectFrom('images').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** The image with this hash, which may be new. */
export async function findOrCreate(tx: Tx, image: Omit<ImageRow, 'id'>): Promise<ImageRow> {
  const known = await find(tx, image.hash)
  if (known !== undefined) return known
  const row = { ...image, id: await dialectOf(tx).nextId(tx, 'records') }
  await tx.insertInto('images').values(row).execute()
  return row
}

/** How many records show an image. */
export async function countUses(tx: Tx, id: number): Promise<number> {
  let uses = 0
  for (const kind of Object.keys(RECORD_TABLE) as RecordKind[]) {
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

/** Removes an image, also from every record that shows it. */
export async function remove(tx: Tx, id: number): Promise<void> {
  for (const kind of Object.keys(RECORD_TABLE) as RecordKind[]) {
    await tx
      .updateTable(RECORD_TABLE[kind] as 'venues')
      .set({ image: null })
      .where('image', '=', id)
      .execute()
  }
  await tx.deleteFrom('images').where('id', '=', id).execute()
}
