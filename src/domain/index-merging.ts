import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../storage/database.ts'
import { dialectOf } from '../storage/dialect.ts'
import type { JobKind } from './job-run.ts'

/** Indexes with fewer parts stay as they are: merging writes them anew as a whole. */
const MANY_PARTS = 8
/** Pause after each step, as a multiple of its duration: the rest of the time is for requests. */
const PAUSE = 3
/** In seconds. Other processes on the same file take each step for a change of the data. */
const INTERVAL = 86_400

/** Merges the parts of indexes that have many. */
export function mergingIndexes({ db }: { readonly db: Database }): JobKind {
  return { name: 'merge-indexes', every: INTERVAL, run: (_, signal) => mergeIndexes(db, signal) }
}

export async function mergeIndexes(db: Database, signal?: AbortSignal): Promise<void> {
  const parted = await db.read(async (tx) => {
    const counted = dialectOf(tx).parted.map(async (index) => ({ index, parts: await index.countParts(tx) }))
    return Promise.all(counted)
  })
  for (const { index } of parted.filter(({ parts }) => parts >= MANY_PARTS)) {
    let isFirst = true
    for (;;) {
      const began = performance.now()
      if (!(await db.writeWithoutInvalidating((tx) => index.mergeSome(tx, isFirst)))) break
      isFirst = false
      await sleep(PAUSE * (performance.now() - began), undefined, { signal })
    }
  }
}
