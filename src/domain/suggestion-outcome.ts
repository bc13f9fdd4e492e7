import type { Instant } from '../calendar/zone.ts'
import type { Tx } from '../storage/dialect.ts'
import { add } from '../storage/jobs.ts'
import * as storage from '../storage/suggestions.ts'

/** The job that follows from a decision: see suggestion-review.ts. */
export const SETTLE = 'settle-suggestion'

/** Called in the transaction that publishes an event, whichever way. */
export async function approved(tx: Tx, event: number, now: Instant): Promise<void> {
  const suggestion = await storage.get(tx, event)
  if (suggestion === undefined || suggestion.outcome === 'approved') return
  await settle(tx, event, { outcome: 'approved', reason: null, decided_utc: now })
}

/** Called in the transaction that rejects an event. */
export async function rejected(tx: Tx, event: number, reason: string | null, now: Instant): Promise<void> {
  if ((await storage.get(tx, event)) === undefined) return
  await settle(tx, event, { outcome: 'rejected', reason, decided_utc: now })
}

async function settle(tx: Tx, event: number, decision: Parameters<typeof storage.decide>[2]): Promise<void> {
  await storage.decide(tx, event, decision)
  await add(tx, { kind: SETTLE, key: String(event), payload: { event } })
}
