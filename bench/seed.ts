import { createHash } from 'node:crypto'
import {
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { readConfig } from '../src/config.ts'
import { renderEvents } from '../src/domain/event-rendering.ts'
import { mergeIndexes } from '../src/domain/index-merging.ts'
import * as users from '../src/domain/users.ts'
import { fold } from '../src/lib/fold.ts'
import { slugify } from '../src/lib/slug.ts'
import { eventRenderer } from '../src/rest/rendered/rendered-events.ts'
import { siteOf } from '../src/site.ts'
import { openDatabase } from '../src/storage/database.ts'
import { dialectOf, type Tx } from '../src/storage/dialect.ts'
import { fill } from '../src/storage/migrations/0014-word-search.ts'
import { type Batch, batches } from './batches.ts'
import { openBulk } from './bulk.ts'
import { CATEGORIES, FIRST_EVENT, head, ORGANIZERS, TAGS, VENUES, ZONE } from './rows.ts'

const BATCH = 5000

/** Told how many events are there, now and then. */
export type Progress = (events: number) => void

/** Fills an empty database; answers a token of its administrator. */
export async function seed(
  where: string,
  events: number,
  progress: Progress = () => {},
  hasSeries = false,
): Promise<string> {
  const clock = () => Math.floor(Date.now() / 1000)
  const now = clock()
  const db = openDatabase(where)
  try {
    await db.migrate()
    await users.create(
      { db, clock },
      { name: 'bench', email: 'bench@example.org', role: 'administrator', password: 'bench password' },
    )
    const token = await users.createToken({ db, clock }, 'bench', 'bench')
    await db.write(async (tx) => {
      await addLinked(tx, now)
      await addTerms(tx)
    })
    await addEvents(where, batches(events, BATCH, now, hasSeries), progress)
    // As an upgrade does with rows that are there.
    await db.writeMany((tx) => fill(tx as unknown as Kysely<unknown>, () => {}))
    await db.write(async (tx) => {
      await dialectOf(tx).setLastId(tx, 'records', FIRST_EVENT + events)
      await countTerms(tx)
    })
    // As the service does in the background.
    const site = siteOf(readConfig({ timezone: ZONE }, {}))
    await renderEvents({ db, clock, current: { last: site, read: async () => site } }, eventRenderer)
    await mergeIndexes(db)
    return token
  } finally {
    await db.close()
  }
}

/** Where a seeded folder is kept between runs. Another month, or other sources of seed or tables, make another one. */
function keptFolder(events: number, hasSeries: boolean): string {
  const hash = createHash('sha256')
  const sources = [
    'bench/{seed,batches,rows,series-rows,words,bulk}.ts',
    'src/storage/migrations/*.ts',
    'src/storage/dialect.ts',
    'src/rest/rendered/event-template.ts',
    'src/storage/event-entries.ts',
  ]
  const root = join(import.meta.dirname, '..')
  for (const file of globSync(sources, { cwd: root }).sort()) hash.update(readFileSync(join(root, file)))
  const month = new Date().toISOString().slice(0, 7)
  return join(
    tmpdir(),
    `kalends-seed-${events}${hasSeries ? '-series' : ''}-${month}-${hash.digest('hex').slice(0, 12)}`,
  )
}

/** Fills a folder, or copies one that an earlier run kept; with `keep`, leaves a copy for the next. */
export async function seedFolder(
  folder: string,
  events: number,
  keep: boolean,
  progress: Progress,
  hasSeries = false,
): Promise<string> {
  const kept = keptFolder(events, hasSeries)
  if (existsSync(kept)) {
    cpSync(kept, folder, { recursive: true })
    flush(folder)
    return readFileSync(join(folder, 'token'), 'utf8')
  }
  mkdirSync(folder, { recursive: true })
  const token = await seed(folder, events, progress, hasSeries)
  if (keep) {
    // Whole or not at all: an interrupted copy must not be taken for a seed.
    const unfinished = `${kept}.${process.pid}`
    cpSync(folder, unfinished, { recursive: true })
    writeFileSync(join(unfinished, 'token'), token, { mode: 0o600 })
    if (existsSync(kept)) rmSync(unfinished, { recursive: true })
    else renameSync(unfinished, kept)
  }
  flush(folder)
  return token
}

/** Waits until the files are on the disk: what is measured next would wait for them instead. */
function flush(folder: string): void {
  for (const file of globSync(join(folder, '*.sqlite*'))) {
    const opened = openSync(file, 'r')
    fsyncSync(opened)
    closeSync(opened)
  }
}

async function addEvents(where: string, all: Iterable<Batch>, progress: Progress): Promise<void> {
  const bulk = await openBulk(where)
  try {
    await bulk.withoutIndexes(async () => {
      let count = 0
      for (const batch of all) {
        await bulk.insert('events', batch.events)
        await bulk.insert('event_venues', batch.event_venues)
        await bulk.insert('event_organizers', batch.event_organizers)
        await bulk.insert('event_terms', batch.event_terms)
        if (batch.series.length > 0) await bulk.insert('series', batch.series)
        count += batch.events.length
        progress(count)
      }
    })
  } finally {
    await bulk.close()
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
    const contact = { phone: '555-0100', website: null, email: null }
    await tx
      .insertInto('organizers')
      .values({ id: VENUES + n, ...head(organizer, now), organizer, description: null, ...contact })
      .execute()
  }
}

async function addTerms(tx: Tx): Promise<void> {
  for (let n = 1; n <= CATEGORIES + TAGS; n++) {
    const kind = n <= CATEGORIES ? 'category' : 'tag'
    const name = kind === 'category' ? `Category ${n}` : `Tag ${n - CATEGORIES}`
    await tx
      .insertInto('terms')
      .values({
        id: n,
        kind,
        name,
        name_key: fold(name),
        slug: slugify(name),
        description: null,
        parent: 0,
        count: 0,
        published: 1,
        modified_utc: 0,
      })
      .execute()
  }
  await dialectOf(tx).setLastId(tx, 'terms', CATEGORIES + TAGS)
}

async function countTerms(tx: Tx): Promise<void> {
  await tx
    .updateTable('terms')
    .set((eb) => ({
      count: eb
        .selectFrom('event_terms')
        .select((e) => e.fn.countAll<number>().as('n'))
        .whereRef('event_terms.term', '=', 'terms.id'),
    }))
    .execute()
}

if (import.meta.main) {
  const [folder = join(process.cwd(), 'data'), count = '100000'] = process.argv.slice(2)
  const began = performance.now()
  await seed(folder, Number(count))
  process.stdout.write(`${count} events in ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
}
