import type { ImageUse } from '../storage/image-uses.ts'
import * as storage from '../storage/image-uses.ts'
import { need, rightsOf, visibilityOf } from './access.ts'
import type { Image, ImagePage } from './images.ts'
import * as images from './images.ts'
import type { Payload, Scope } from './scope.ts'

export type { ImageUse } from '../storage/image-uses.ts'

/** An image with the number of records that show it, also of those that the user may not see. */
export interface UsedImage {
  readonly image: Image
  readonly uses: number
}

/** One page of images, as the REST interface lists them, with their uses. */
export async function list(
  scope: Scope,
  query: Payload,
): Promise<Omit<ImagePage, 'images'> & { readonly images: readonly UsedImage[] }> {
  const page = await images.list(scope, query)
  const ids = page.images.map(({ id }) => id)
  const uses = await scope.db.readMany((tx) => storage.countUses(tx, ids))
  return { ...page, images: page.images.map((image) => ({ image, uses: uses.get(image.id) ?? 0 })) }
}

/** Limit on records of each kind that are named. */
const MAX_NAMED = 20

/** Where an image is used: the records that the user may see, and the number of all. */
export async function usesOf(
  scope: Scope,
  id: number,
): Promise<{ readonly total: number; readonly records: readonly ImageUse[] }> {
  need(rightsOf(scope.user).create)
  return scope.db.readMany(async (tx) => ({
    total: (await storage.countUses(tx, [id])).get(id) ?? 0,
    records: await storage.listUses(tx, id, visibilityOf(scope.user), MAX_NAMED),
  }))
}
