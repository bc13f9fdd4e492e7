import { join } from 'node:path'
import type { Insertable } from 'kysely'
import { toInstant, toWallClock } from '../src/calendar/zone.ts'
import * as users from '../src/domain/users.ts'
import { fold } from '../src/lib/fold.ts'
import { slugify } from '../src/lib/slug.ts'
import { openDatabase } from '../src/storage/database.ts'
import { dialectOf, type Tx } from '../src/storage/dialect.ts'
import type { Tables } from '../src/storage/tables.ts'

export const ZONE = 'Europe/Paris'
const VENUES = 50
const ORGANIZERS = 50
const CATEGORIES = 20
const TAGS = 30
const BATCH = 200

const WORDS =
  'harbour concert summer night jazz market theatre lecture festival garden open film poetry dance workshop family morning choir exhibition walk history science street food winter light river castle museum library radio circus opera puppet chess craft ceramics photography swimming marathon cycling lantern parade'.split(
    ' ',
  )
const COMMON = 'music'

/** Numbers that look random and are the same in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Fills a folder's database: half of the events are past, the others lie in the two years ahead; each has a venue, an organizer, a category and two tags. */
export async function seed(folder: string, events: number): Promise<{ token: string; seconds: number }> {
  const started = performance.now()
  const db = openDatabase(folder)
  await db.migrate()
  const clock = () => Math.floor(Date.now() / 1000)
  await users.create(
    { db, clock },
    { name: 'bench', email: 'bench@example.org', role: 'administrator', password: 'bench password' },
  )
  const token = await users.createToken({ db, clock }, 'bench', 'bench')
  const now = clock()
  await db.write(async (tx) => {
    await addLinked(tx, now)
    await addTerms(tx)
  })
  const random = generator(7)
  const first = VENUES + ORGANIZERS + 1
  for (let from = 0; from < events; from += BATCH * 50) {
    await db.write(async (tx) => {
      for (let at = from; at < Math.min(events, from + BATCH * 50); at += BATCH)
        await addEvents(tx, first + at, Math.min(BATCH, events - at), now, random)
      await dialectOf(tx).setLastId(tx, 'records', first + events)
    })
  }
  await db.write(async (tx) => {
    await tx
      .updateTable('terms')
      .set((eb) => ({
        count: eb
          .selectFrom('event_terms')
          .select((e) => e.fn.countAll<number>().as('n'))
          .whereRef('event_terms.term', '=', 'terms.id'),
      }))
      .execute()
  })
  await db.close()
  return { token, seconds: (performance.now() - started) / 1000 }
}

function head(name: string, now: number) {
  const date = now - 86_400 * 365
  return {
    author: 1,
    status: 'publish' as const,
    trashed_from: null,
    restore_slug: null,
    date_utc: date,
    modified_utc: date,
    image: null,
    slug: slugify(name),
    search: fold(name),
  }
}

async function addLinked(tx: Tx, now: number): Promise<void> {
  for (let n = 1; n <= VENUES; n++) {
    const venue = `Venue ${n}`
    const row = {
      id: n,
      ...head(venue, now),
      venue,
      description: '<p>A place.</p>',
      address: `${n} Main Street`,
      city: 'Paris',
      country: 'France',
      province: null,
      state: null,
      stateprovince: null,
      zip: '75001',
      phone: null,
      website: null,
      show_map: 1,
      show_map_link: 1,
    }
    await tx.insertInto('venues').values(row).execute()
  }
  for (let n = 1; n <= ORGANIZERS; n++) {
    const organizer = `Organizer ${n}`
    await tx
      .insertInto('organizers')
      .values({
        id: VENUES + n,
        ...head(organizer, now),
        organizer,
        description: null,
        phone: '555-0100',
        website: null,
        email: null,
      })
      .execute()
  }
}

async function addTerms(tx: Tx): Promise<void> {
  for (let n = 1; n <= CATEGORIES + TAGS; n++) {
    const kind = n <= CATEGORIES ? 'category' : 'tag'
    const name = kind === 'category' ? `Category ${n}` : `Tag ${n - CATEGORIES}`
    await tx
      .insertInto('terms')
      .values({ id: n, kind, name, name_key: fold(name), slug: slugify(name), description: null, parent: 0, count: 0 })
      .execute()
  }
  await dialectOf(tx).setLastId(tx, 'terms', CATEGORIES + TAGS)
}

async function addEvents(
  tx: Tx,
  from: number,
  count: number,
  now: number,
  random: (below: number) => number,
): Promise<void> {
  const rows: Insertable<Tables['events']>[] = []
  const venues: Tables['event_venues'][] = []
  const organizers: Tables['event_organizers'][] = []
  const terms: Tables['event_terms'][] = []
  for (let id = from; id < from + count; id++) {
    const wall = toWallClock(now + (id % 2 === 0 ? -1 : 1) * random(86_400 * 729), ZONE)
    const start = `${wall.slice(0, 14)}00:00`
    const start_utc = toInstant(start, ZONE)
    const end_utc = start_utc + 7200
    const title = `${WORDS[random(WORDS.length)]} ${WORDS[random(WORDS.length)]} ${id}`
    const text = `${Array.from({ length: 30 }, () => WORDS[random(WORDS.length)]).join(' ')}${id % 2 === 0 ? '' : ` ${COMMON}`}`
    rows.push({
      id,
      ...head(title, now),
      title,
      title_search: fold(title),
      search: fold(`${title}\n${text}`),
      description: `<p>${text}</p>`,
      excerpt: null,
      timezone: ZONE,
      start_local: start,
      end_local: toWallClock(end_utc, ZONE),
      start_utc,
      end_utc,
      all_day: 0,
      cost: String(random(40)),
      website: null,
      show_map: 1,
      show_map_link: 1,
      hide_from_listings: 0,
      sticky: 0,
      featured: id % 50 === 0 ? 1 : 0,
      parent: null,
      password_hash: null,
    })
    venues.push({ event: id, linked: 1 + random(VENUES), position: 0 })
    organizers.push({ event: id, linked: VENUES + 1 + random(ORGANIZERS), position: 0 })
    const tag = random(TAGS)
    for (const term of [1 + random(CATEGORIES), CATEGORIES + 1 + tag, CATEGORIES + 1 + ((tag + 7) % TAGS)])
      terms.push({ event: id, term })
  }
  await tx.insertInto('events').values(rows).execute()
  await tx.insertInto('event_venues').values(venues).execute()
  await tx.insertInto('event_organizers').values(organizers).execute()
  await tx.insertInto('event_terms').values(terms).execute()
}

if (import.meta.main) {
  const [folder = join(process.cwd(), 'data'), count = '100000'] = process.argv.slice(2)
  const { seconds } = await seed(folder, Number(count))
  process.stdout.write(`${count} events in ${seconds.toFixed(1)} s\n`)
}
