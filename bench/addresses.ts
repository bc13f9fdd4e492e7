import { sql } from 'kysely'
import { openDatabase } from '../src/storage/database.ts'
import type { Request } from './load.ts'
import { CATEGORIES, FIRST_EVENT, ORGANIZERS, TAGS, VENUES } from './rows.ts'
import { commonTerms, generator, rareWord, rareWords, shuffled } from './words.ts'

export const API = '/calendar/events/v1'
/** How many requests a work has at most, before it begins anew. */
const MOST = 100_000
/** How many different addresses a work asks for, so that the bench does not take hours. */
const MOST_DIFFERENT = 20_000
const SEARCHES = 40_000
const CREATES = 50_000
const PER_PAGE = 10

/** Requests, and how many of them differ. */
export interface Requests {
  readonly requests: readonly Request[]
  readonly different: number
}

/** Every page that exists of a category and a month; of the months of the two years ahead that begin after today, or of those before. */
async function pages(where: string, time: 'ahead' | 'past' = 'ahead'): Promise<string[]> {
  const db = openDatabase(where)
  const today = new Date().toISOString().slice(0, 10)
  const rows = await db.read((tx) =>
    tx
      .selectFrom('events')
      .innerJoin('event_terms', 'event_terms.event', 'events.id')
      .select(['term', sql<string>`substr(events.start_local, 1, 7)`.as('month'), (eb) => eb.fn.countAll().as('count')])
      .where('events.start_local', time === 'ahead' ? '>' : '<', today)
      // An event is in a month when it starts and ends in it.
      .where(sql<boolean>`substr(events.start_local, 1, 7) = substr(end_local, 1, 7)`)
      .where('term', '<=', CATEGORIES)
      .groupBy(['term', sql`substr(events.start_local, 1, 7)`])
      .orderBy('month')
      .orderBy('term')
      .execute(),
  )
  await db.close()
  return rows
    .filter(({ month }) => (time === 'ahead' ? month > today.slice(0, 7) : month < today.slice(0, 7)))
    .flatMap(({ term, month, count }) => {
      const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10)
      const window = `start_date=${month}-01&end_date=${last}`
      const path = `${API}/events?categories=category-${term}&${window}`
      return Array.from({ length: Math.ceil(Number(count) / PER_PAGE) }, (_, n) => `${path}&page=${n + 1}`)
    })
}

/** Pages of past months, in random order. */
export async function pastPages(where: string): Promise<Request[]> {
  return shuffled(await pages(where, 'past'), generator(23)).map((path) => ({ path }))
}

/** Random pages of random categories and months. */
export async function pageRequests(where: string): Promise<Requests> {
  const random = generator(11)
  const known = shuffled(await pages(where), random)
  const requests = Array.from({ length: MOST }, () => ({ path: known[random(known.length)] ?? `${API}/events` }))
  return { requests, different: known.length }
}

/** Single events: no one twice before all, or twenty thousand, had their turn. */
export function singleRequests(events: number): Requests {
  const random = generator(13)
  const ids = shuffled(
    Array.from({ length: events }, (_, n) => FIRST_EVENT + n),
    random,
  ).slice(0, MOST_DIFFERENT)
  return { requests: ids.map((id) => ({ path: `${API}/events/${id}` })), different: ids.length }
}

/** Searches, in turn for what many events have and for what five single events have. */
export function searchRequests(singles: number): Requests {
  const random = generator(17)
  const common = shuffled(commonTerms(), random)
  const numbers = Array.from({ length: rareWords(singles) }, (_, n) => n)
  const rare = shuffled(numbers, random).slice(0, MOST_DIFFERENT - common.length)
  const requests = Array.from({ length: SEARCHES }, (_, n) => {
    const half = Math.floor(n / 2)
    const word = n % 2 === 0 ? common[half % common.length] : rareWord(rare[half % rare.length] ?? 0)
    return { path: `${API}/events?search=${word}` }
  })
  return { requests, different: common.length + rare.length }
}

/** Creates of events that differ in title, time and what they are linked to. */
export function createRequests(token: string): Request[] {
  const random = generator(19)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return Array.from({ length: CREATES }, (_, n) => {
    const day = new Date(Date.now() + 86_400_000 * (1 + random(700))).toISOString().slice(0, 10)
    const body = JSON.stringify({
      title: `An evening by the river ${n}`,
      description: '<p>Music, food and light on the water, and a walk along the harbour for those who stay.</p>',
      start_date: `${day} 19:00`,
      end_date: `${day} 22:00`,
      venue: 1 + random(VENUES),
      organizer: [VENUES + 1 + random(ORGANIZERS)],
      categories: [1 + random(CATEGORIES)],
      tags: [CATEGORIES + 1 + random(TAGS)],
    })
    return { method: 'POST', path: `${API}/events`, headers, body }
  })
}
