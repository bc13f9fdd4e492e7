import { Upload } from '../lib/upload.ts'
import * as eventStorage from '../storage/records.ts'
import * as storage from '../storage/suggestions.ts'
import type { Event } from './event-assembly.ts'
import * as events from './events.ts'
import * as heldFiles from './held-files.ts'
import type { JobKind } from './job-run.ts'
import type { Scope } from './scope.ts'
import { tellSender } from './suggestion-notices.ts'
import { rejected, SETTLE } from './suggestion-outcome.ts'
import { importer } from './users.ts'

/** Longest reason, in characters. */
const MAX_REASON = 2000
/** How long the sender of a decided suggestion is kept, and one whose event is gone, in seconds. */
const KEPT = 30 * 86_400
const KEPT_WITHOUT_EVENT = 2 * 86_400
/** Suggestions per step of the sweep. */
const BATCH = 100

/** Publishes an event that waits for a review, with its picture and its draft venue. */
export async function approve(scope: Scope, id: number): Promise<Event> {
  const picture = await pictureOf(scope, id)
  const payload = {
    status: 'publish',
    date_utc: scope.clock(),
    ...(picture !== null && { image: new Upload(picture.bytes) }),
  }
  return events.update(scope, { id }, () => payload)
}

/** Moves an event that waits for a review to the trash. Its sender gets the reason. */
export async function reject(scope: Scope, id: number, reason: string): Promise<void> {
  const told = reason.trim().slice(0, MAX_REASON)
  await scope.db.writeMany(async (tx) => {
    await events.trashWithin(tx, scope, id)
    await rejected(tx, id, told === '' ? null : told, scope.clock())
  })
}

/** The picture that waits with an event; null if there is none, or if the event has another by now. */
export async function pictureOf(scope: Scope, id: number): Promise<{ bytes: Buffer; mime: string } | null> {
  const found = await scope.db.read(async (tx) => {
    const row = await eventStorage.get(tx, 'event', { id }, 'no reader: rights')
    return row === undefined || row.image !== null ? undefined : storage.get(tx, id)
  })
  if (!found?.picture) return null
  const bytes = await heldFiles.read(scope, found.picture)
  return bytes === null ? null : { bytes, mime: found.picture_mime ?? 'application/octet-stream' }
}

/**
 * The job after a decision: the sender is told, and the picture of an approved event, published whichever way, is its
 * image.
 */
export function settling(scope: Omit<Scope, 'user'>): JobKind {
  return { name: SETTLE, run: (payload) => settle(scope, (payload as { event: number }).event) }
}

async function settle(scope: Omit<Scope, 'user'>, event: number): Promise<void> {
  const suggestion = await scope.db.read((tx) => storage.get(tx, event))
  if (suggestion === undefined) return
  if (suggestion.outcome === 'approved' && suggestion.picture !== null) {
    const user = await importer(scope, null)
    const own = { ...scope, user }
    const picture = await pictureOf(own, event)
    const payload = picture && { image: new Upload(picture.bytes) }
    if (payload !== null) await events.update(own, { id: event }, () => payload)
    await dropPicture(scope, suggestion)
  }
  await scope.db.writeWithoutInvalidating((tx) => tellSender(tx, scope, suggestion))
}

async function dropPicture(
  scope: Pick<Scope, 'db' | 'files' | 'clock'>,
  { id, picture }: storage.SuggestionRow,
): Promise<void> {
  if (picture === null) return
  await scope.db.writeWithoutInvalidating(async (tx) => {
    await storage.dropPicture(tx, id)
    await heldFiles.release(tx, picture, scope.clock())
  })
  await heldFiles.drop(scope, picture)
}

/** Forgets who sent what was decided long ago, and pictures of events that are gone, every hour. */
export function forgetting(scope: Pick<Scope, 'db' | 'files' | 'clock'>): JobKind {
  return { name: 'forget-suggestions', every: 3600, run: () => forget(scope) }
}

async function forget(scope: Pick<Scope, 'db' | 'files' | 'clock'>): Promise<void> {
  const now = scope.clock()
  for (;;) {
    const old = await scope.db.read((tx) => storage.listOld(tx, now - KEPT, now - KEPT_WITHOUT_EVENT, BATCH))
    for (const suggestion of old) {
      await dropPicture(scope, suggestion)
      await scope.db.writeWithoutInvalidating((tx) => storage.remove(tx, suggestion.id))
    }
    if (old.length < BATCH) return
  }
}
