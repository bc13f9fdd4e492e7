import { need, rightsOf } from '../../domain/access.ts'
import type { JobKind } from '../../domain/jobs.ts'
import type { Scope } from '../../domain/scope.ts'
import { AppError } from '../../lib/errors.ts'
import * as storage from '../../storage/import-runs.ts'
import type { ReadingOptions } from './content.ts'
import type { Store } from './runs.ts'

/** How often an address is imported, in seconds. */
export const INTERVALS = { hourly: 3600, daily: 86_400 } as const
export type Interval = keyof typeof INTERVALS

/** Limit on addresses. */
const MAX_FEEDS = 100
/** Runs that are shown of each. */
const SHOWN = 5

export interface Feed {
  readonly row: storage.ImportFeedRow
  readonly interval: Interval
  /** The last runs, the latest first. */
  readonly runs: readonly storage.ImportRunRow[]
}

export async function listFeeds(scope: Scope): Promise<Feed[]> {
  need(rightsOf(scope.user).edit === 'all')
  return scope.db.read(async (tx) => {
    const feeds: Feed[] = []
    for (const row of await storage.listFeeds(tx)) {
      const interval = row.every <= INTERVALS.hourly ? 'hourly' : 'daily'
      feeds.push({ row, interval, runs: await storage.runsOf(tx, row.id, SHOWN) })
    }
    return feeds
  })
}

/** Imports an address again and again, for the first time after the interval. */
export async function schedule(scope: Scope, url: string, interval: Interval, options: ReadingOptions): Promise<void> {
  need(rightsOf(scope.user).edit === 'all')
  const every = INTERVALS[interval]
  const now = scope.clock()
  // An ordinary write: jobs are looked for after it.
  await scope.db.write(async (tx) => {
    const feeds = await storage.listFeeds(tx)
    if (feeds.length >= MAX_FEEDS && !feeds.some((feed) => feed.url === url))
      throw new AppError('rest_invalid_param', { params: { every: { problem: 'too_many', most: MAX_FEEDS } } })
    const stored = { user: scope.user?.id ?? 0, url, every, options: JSON.stringify(options) }
    await storage.putFeed(tx, { ...stored, next_utc: now + every, created_utc: now })
  })
}

export async function stop(scope: Scope, id: number): Promise<void> {
  need(rightsOf(scope.user).edit === 'all')
  await scope.db.writeWithoutInvalidating((tx) => storage.removeFeed(tx, id))
}

/** Imports the addresses that are due. A recurring job is run by one node at a time. */
export function importingFeeds(store: Store): JobKind {
  return { name: 'import-addresses', every: 1, next: storage.nextFeed, run: (_, signal) => importDue(store, signal) }
}

async function importDue(store: Store, signal: AbortSignal): Promise<void> {
  const now = store.clock()
  const feeds = await store.db.read((tx) => storage.listFeeds(tx))
  for (const feed of feeds.filter(({ next_utc }) => next_utc <= now)) {
    signal.throwIfAborted()
    const { perform } = await import('./runs.ts')
    const id = await store.db.writeWithoutInvalidating((tx) => begin(tx, feed, now))
    try {
      await perform(store, id)
    } catch (error) {
      // Another attempt comes by itself, after the interval.
      const problem = JSON.stringify({ problem: 'import_refused', reason: String(error).slice(0, 300) })
      const failed = { state: 'failed', error: problem, ended_utc: store.clock() } as const
      await store.db.writeWithoutInvalidating((tx) => storage.update(tx, id, failed))
    }
  }
}

/** The next time is set before the run, so that one that fails is not repeated at once. */
async function begin(tx: Parameters<typeof storage.create>[0], feed: storage.ImportFeedRow, now: number) {
  const { id, url, user, options, every } = feed
  await storage.setNext(tx, id, now + every)
  const run = { name: url, url, user, options, feed: id, file: null, bytes: 0, report: null, error: null }
  return storage.create(tx, { ...run, state: 'running', created_utc: now, ended_utc: null })
}
