import { type Kysely, sql } from 'kysely'
import type { PartedIndex } from '../parted-index.ts'
import type { Tables } from '../tables.ts'

/** How much of an index is merged at once, in its pages. */
const PAGES = 24

/** The full-text indexes: see migrations 0006 and 0014. */
export const fullTextIndexes: readonly PartedIndex[] = ['event_words', 'word_parts', 'event_texts'].map(fullTextIndex)

function fullTextIndex(name: string): PartedIndex {
  return {
    async countParts(tx) {
      const { rows } = await sql<{ parts: number }>`select count(distinct segid) as parts
        from ${sql.table(`${name}_idx`)}`.execute(tx)
      return rows[0]?.parts ?? 0
    },
    async mergeSome(tx, isFirst) {
      const before = await countChanges(tx)
      // A negative number of pages begins, a positive one goes on with what was begun.
      await sql`insert into ${sql.table(name)} (${sql.ref(name)}, rank)
        values ('merge', ${isFirst ? -PAGES : PAGES})`.execute(tx)
      // The command by itself counts as one change.
      return (await countChanges(tx)) - before > 1
    },
  }
}

async function countChanges(tx: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(tx)
  return rows[0]?.changes ?? 0
}
