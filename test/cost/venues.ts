import { sql } from 'kysely'
import { head, VENUES } from '../../bench/rows.ts'
import { TITLE_WORDS } from '../../bench/words.ts'
import { fold } from '../../src/lib/fold.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { dialectOf } from '../../src/storage/dialect.ts'
import { indexName } from '../../src/storage/word-search.ts'

/** How many more venues there are, each with an event of its own that is over. */
const MORE = 8000
const BATCH = 500

/** Adds venues to a seeded database: many, with few events to come. */
export async function addVenues(where: string, events: number): Promise<void> {
  const db = openDatabase(where)
  try {
    const now = Math.floor(Date.now() / 1000)
    for (let from = 0; from < MORE; from += BATCH) {
      await db.writeMany(async (tx) => {
        const ids = await dialectOf(tx).nextIds(tx, 'records', BATCH)
        const rows = ids.map((id) => {
          const venue = `Further venue ${id}`
          const place = { geo_lat: (id % 90) + 0.5, geo_lng: (id % 180) + 0.5, show_map: 1, show_map_link: 1 }
          return { id, ...head(venue, now), venue, search: fold(venue), ...place }
        })
        await tx
          .insertInto('venues')
          .values(rows as never)
          .execute()
        for (const id of ids) await indexName(tx, 'venue', id, [`Further venue ${id}`], true)
        await sql`insert into event_venues (event, linked, position)
          select events.id, venues.id, 1 from venues join events on events.id = venues.id % ${sql.lit(events)} + ${sql.lit(2 * VENUES + 1)}
          where venues.id in (${sql.join(ids)})`.execute(tx)
      })
    }
  } finally {
    await db.close()
  }
}

/** Words that the name of every venue, organizer and term has in `addNames`; texts of events have them too. */
export const COMMON_NAMES = TITLE_WORDS.slice(0, 16)

/** Adds words to all names, so that each of them finds all events. */
export async function addNames(where: string): Promise<void> {
  const db = openDatabase(where)
  try {
    await db.writeMany(async (tx) => {
      for (const word of COMMON_NAMES)
        await sql`insert into linked_words (word, kind, linked) select ${sql.lit(word)}, kind, linked from linked_words
          group by kind, linked on conflict do nothing`.execute(tx)
    })
  } finally {
    await db.close()
  }
}
