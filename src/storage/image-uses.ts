import { RECORD_KINDS, type RecordKind } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import type { Tx } from './dialect.ts'
import { RECORD_TABLE } from './records.ts'
import { isVisible, type Visibility } from './visibility.ts'

/** A record that shows an image. */
export interface ImageUse {
  readonly kind: RecordKind
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly status: Status
  readonly author: number
  readonly trashed_from: Status | null
}

/** Number of records of each image, whoever may see them. */
export async function countUses(tx: Tx, ids: readonly number[]): Promise<Map<number, number>> {
  const uses = new Map<number, number>()
  if (ids.length === 0) return uses
  for (const kind of RECORD_KINDS) {
    const rows = await tx
      .selectFrom(RECORD_TABLE[kind] as 'venues')
      .select('image')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('image', 'in', ids)
      .groupBy('image')
      .execute()
    for (const { image, total } of rows) uses.set(Number(image), (uses.get(Number(image)) ?? 0) + Number(total))
  }
  return uses
}

/** The newest records of each kind that show an image and that a reader may see, without the trash. */
export async function listUses(tx: Tx, id: number, visibility: Visibility, most: number): Promise<ImageUse[]> {
  const uses: ImageUse[] = []
  for (const kind of RECORD_KINDS) {
    const name = (kind === 'event' ? 'title' : kind) as 'venue'
    const rows = await tx
      .selectFrom(RECORD_TABLE[kind] as 'venues')
      .select(['id', 'slug', 'status', 'author', 'trashed_from', `${name} as name`])
      .where('image', '=', id)
      .where((eb) => isVisible(eb, visibility, null))
      .orderBy('id', 'desc')
      .limit(most)
      .execute()
    uses.push(...rows.map((row) => ({ kind, ...row })))
  }
  return uses
}
