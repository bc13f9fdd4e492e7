import { randomInt } from 'node:crypto'
import { withSuffix } from '../lib/slug.ts'
import type { Tx } from '../storage/dialect.ts'
import * as storage from '../storage/series.ts'

/** Suffixes that are tried in turn before one is drawn. */
const MAX_TRIED = 4

/** Free slugs for events that are stored together. */
export async function freeSlugs(tx: Tx, wanted: readonly string[]): Promise<string[]> {
  const used = new Set<string>()
  const free: string[] = []
  let open = wanted.map((base, place) => ({ base, place, slug: base }))
  for (let attempt = 2; open.length > 0; attempt++) {
    const taken = await storage.takenSlugs(
      tx,
      open.map(({ slug }) => slug),
    )
    const left: typeof open = []
    for (const one of open) {
      if (taken.has(one.slug) || used.has(one.slug)) {
        const number = attempt <= MAX_TRIED ? attempt : randomInt(1000, 2 ** 47)
        left.push({ ...one, slug: withSuffix(one.base, `-${number}`) })
      } else {
        used.add(one.slug)
        free[one.place] = one.slug
      }
    }
    open = left
  }
  return free
}
