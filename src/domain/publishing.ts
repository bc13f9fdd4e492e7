import type { Instant } from '../calendar/zone.ts'
import { RECORD_KINDS, type RecordKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'
import { isCounted, termIds } from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import { asEvent, moveCounts, publishDrafts } from './event-writing.ts'
import type { JobKind } from './job-run.ts'
import * as records from './records.ts'
import type { Scope } from './scope.ts'
import { approved } from './suggestion-outcome.ts'

/** How many scheduled records are published in one transaction. */
const MAX_PUBLISHED = 100

/** Publishes scheduled records in the second in which they are due. */
export function publishing(scope: Pick<Scope, 'db' | 'clock'>): JobKind {
  return { name: 'publish-scheduled', every: 1, next: recordStorage.nextScheduled, run: () => publishDue(scope) }
}

/** Publishes every scheduled event, venue and organizer whose time has come; `modified` stays. Answers how many there were. */
export async function publishDue(scope: Pick<Scope, 'db' | 'clock'>): Promise<number> {
  const now = scope.clock()
  let published = 0
  for (const kind of RECORD_KINDS) {
    while ((await scope.db.read((tx) => recordStorage.due(tx, kind, now, 1))).length > 0) {
      // Events that show them are told, too.
      const some = await scope.db.writeMany((tx) => publishSome(tx, scope, kind, now))
      // Another node was faster.
      if (some === 0) break
      published += some
    }
  }
  return published
}

async function publishSome(tx: Tx, scope: Pick<Scope, 'clock'>, kind: RecordKind, now: Instant): Promise<number> {
  await recordStorage.lockPublishing(tx)
  let published = 0
  for (const { id } of await recordStorage.due(tx, kind, now, MAX_PUBLISHED)) {
    const row = await recordStorage.getLocked(tx, kind, { id }, 'no reader: job')
    if (row?.status !== 'future') continue
    await recordStorage.update(tx, kind, id, { status: 'publish' })
    if (kind === 'event') {
      const event = asEvent(await records.find(tx, 'event', { id }, 'no reader: job'))
      await moveCounts(tx, [], isCounted(event) ? await termIds(tx, id) : [])
      await publishDrafts(tx, scope, event)
      await approved(tx, id, now)
    }
    published++
  }
  return published
}
