import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { seed, seedFolder } from '../../bench/seed.ts'
import { NAMESPACE } from '../../src/http/endpoint.ts'
import { freshStore, ON_POSTGRES, type Store } from '../support/store.ts'
import { type Process, startProcess } from './process.ts'
import { addNames, addVenues, COMMON_NAMES } from './venues.ts'

const EVENTS = Number(process.env.KALENDS_COST_EVENTS ?? 20_000)
/**
 * Processor time of one search, in milliseconds: 250 with 100,000 events on an idle machine, twice that on a busy one. A
 * page that corrects a search makes three: as asked, for each word, and as meant.
 */
const LONGEST = { list: 200 + (300 * EVENTS) / 100_000, page: 3 * (200 + (300 * EVENTS) / 100_000) }
/** How much longer a search for many words may take than one for a single word. */
const MOST_TIMES_ONE = 12
const TRIES = 6

/** Searches for several words of which each finds all or most events. */
const SEARCHES: Record<string, string> = {
  'words that name everything': COMMON_NAMES.join(' '),
  'their first two letters': COMMON_NAMES.map((word) => word.slice(0, 2)).join(' '),
  'words of each kind of name': 'venue organizer paris tag category',
  'single letters': 'a b c d e f g h i j k l m n o p',
  'single letters of names': 'v o p t c',
  digits: '1 2 3 4 5 6 7 8 9',
}

describe(`with ${EVENTS} events, a search by words costs little, whatever its words`, () => {
  let folder: string
  let store: Store | undefined
  let service: Process | undefined

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kalends-cost-'))
    const data = join(folder, 'data')
    store = await freshStore(data)
    if (ON_POSTGRES) await seed(store.where, EVENTS)
    else await seedFolder(data, EVENTS, EVENTS >= 100_000, () => {})
    await addVenues(store.where, EVENTS)
    await addNames(store.where)
    service = await startProcess(store.where, folder)
  })
  after(async () => {
    await service?.stop()
    await store?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Processor time of all threads of the service, in milliseconds. A server of its own is timed by the clock. */
  const spent = () => {
    if (ON_POSTGRES) return performance.now()
    // After the name: user and system time are the 12th and 13th field, in hundredths of a second.
    const fields = readFileSync(`/proc/${service?.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return 10 * (Number(fields[11]) + Number(fields[12]))
  }

  let asked = 0
  const costOf = async (path: string, search: string) => {
    let least = Number.POSITIVE_INFINITY
    for (let n = 0; n < TRIES; n++) {
      const before = spent()
      // Another address each time: no search is cached.
      const query = new URLSearchParams({ search: `${search} ${'!'.repeat(asked++)}`, search_mode: 'words' })
      const response = await fetch(`${service?.url}${path}?${query}`)
      assert.equal(response.status, 200, await response.text())
      least = Math.min(least, spent() - before)
    }
    return least
  }

  const check = async (kind: 'list' | 'page', path: string, searches: Record<string, string>) => {
    const one = await costOf(path, COMMON_NAMES[0] ?? '')
    const most = ON_POSTGRES ? MOST_TIMES_ONE * one : LONGEST[kind]
    const found: string[] = []
    for (const [name, search] of Object.entries(searches)) {
      const cost = await costOf(path, search)
      if (cost > most) found.push(`${name}: ${cost.toFixed(0)} ms, and one word ${one.toFixed(0)} ms`)
    }
    assert.deepEqual(found, [])
  }

  it('in the REST interface', () => check('list', `/${NAMESPACE}/events`, SEARCHES))

  it('on a page that corrects words', () =>
    check('page', '/events/', {
      'a wrong letter': 'harbour concert summer night jazz markxt',
      'wrong letters': 'hrbour cncert smmer',
      'wrong letters of names': 'venua organizar cattegory',
      'no such word': 'venue organizer paris tag qqzzqq',
    }))
})
