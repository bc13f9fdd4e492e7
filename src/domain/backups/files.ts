import type { Tx } from '../../storage/dialect.ts'
import * as storage from '../../storage/stored-files.ts'
import { namesOf } from '../image-files.ts'

/** Images per query. */
const BATCH = 1000

/** Names of all files that rows of a database refer to. */
export async function listFiles(tx: Tx): Promise<string[]> {
  const names = await storage.listHeld(tx)
  for (let last = 0; ; ) {
    const rows = await storage.listImages(tx, last, BATCH)
    for (const row of rows) names.push(...namesOf(row))
    if (rows.length < BATCH) return names
    last = rows.at(-1)?.id ?? last
  }
}
