import { type Kysely, sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Tables } from './tables.ts'

/** The database holds an unfinished copy of another: it is neither served nor changed. */
export class UnfinishedCopyError extends Error {
  readonly code = 'UNFINISHED_COPY'

  constructor(source: string) {
    super(
      `the database holds an unfinished copy of ${source}: run "kalends copy" with the same --from and --to to finish it, with --restart to begin anew`,
    )
  }
}

/** Source of an unfinished copy into this database; null if there is none. */
export async function unfinishedCopy(db: Kysely<Tables>): Promise<string | null> {
  if (!(await dialectOf(db).hasTable(db as unknown as Kysely<unknown>, 'copying'))) return null
  const { rows } = await sql<{ source: string }>`select source from copying`.execute(db)
  return rows[0]?.source ?? ''
}

/** Throws if the database holds an unfinished copy. */
export async function refuseUnfinished(db: Kysely<Tables>): Promise<true> {
  const source = await unfinishedCopy(db)
  if (source !== null) throw new UnfinishedCopyError(source)
  return true
}
