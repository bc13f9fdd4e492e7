import { setTimeout as sleep } from 'node:timers/promises'
import { FetchRefused, safePost } from '../../lib/safe-fetch.ts'
import type { Tx } from '../../storage/dialect.ts'
import type { DeliveryRow } from '../../storage/webhook-deliveries.ts'
import * as deliveries from '../../storage/webhook-deliveries.ts'
import type { WebhookRow } from '../../storage/webhooks.ts'
import * as storage from '../../storage/webhooks.ts'
import type { JobKind } from '../job-run.ts'
import type { Scope } from '../scope.ts'
import { sweepingJob } from '../sweeping.ts'
import { type Sender, seal } from './outbox.ts'
import { signedHeaders } from './signature.ts'

type Store = Pick<Scope, 'db' | 'clock' | 'fetchLimits'>

/** Pauses after failed attempts, in seconds: three days together. After the last, a delivery is parked. */
export const PAUSES = [5, 30, 300, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 80_665]
/** Requests to one webhook at a time: a slow receiver does not hold up the others. */
const PER_HOOK = 4
/** How long a receiver may take, in milliseconds. */
const TIMEOUT = 15_000
/** How often it looks for new deliveries while others are under way, in milliseconds. */
const LOOK = 200
/** How long a killed process keeps others from sending, in seconds. */
const LEASE = 15
/** How long deliveries are listed after their end, in seconds. */
const KEPT = 30 * 86_400

/** Sends what is due. One node does at a time, so that the order of each record is kept. */
export function delivering(store: Store, sender: Sender): JobKind {
  return {
    name: 'deliver-webhooks',
    every: 1,
    lease: LEASE,
    next: async (tx: Tx) => ((await deliveries.hasChanges(tx)) ? 0 : deliveries.nextDue(tx)),
    run: (_, signal) => new Delivering(store, sender, signal).run(),
  }
}

/** Forgets deliveries that ended long ago. */
export function forgettingDeliveries({ db, clock }: Pick<Scope, 'db' | 'clock'>): JobKind {
  return sweepingJob(db, 'forget-deliveries', 3600, (tx, most) => deliveries.forget(tx, clock() - KEPT, most))
}

/** One run: sends until nothing is due and nothing under way. */
class Delivering {
  readonly #store: Store
  readonly #sender: Sender
  readonly #signal: AbortSignal
  /** Deliveries under way, by their ids. */
  readonly #running = new Map<number, { readonly hook: number; readonly ended: Promise<void> }>()

  constructor(store: Store, sender: Sender, signal: AbortSignal) {
    this.#store = store
    this.#sender = sender
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { db } = this.#store
    try {
      while (!this.#signal.aborted) {
        // Written by a process that does not make deliveries itself.
        if (await db.read(deliveries.hasChanges)) await db.writeWithoutInvalidating((tx) => seal(tx, this.#sender))
        const started = await this.#start()
        if (started === 0 && this.#running.size === 0) return
        const ended = [...this.#running.values()].map((one) => one.ended)
        await Promise.race([...ended, sleep(LOOK, undefined, { ref: false })])
      }
    } finally {
      await Promise.allSettled([...this.#running.values()].map((one) => one.ended))
    }
  }

  /** Starts what is due, as far as each webhook may have more requests under way. Returns how many it started. */
  async #start(): Promise<number> {
    const { db, clock } = this.#store
    const now = clock()
    // As of before the read: what ends meanwhile still looks due in its snapshot.
    const running = [...this.#running]
    const due = await db.readPrimary(async (tx) => {
      const found: { hook: WebhookRow; delivery: DeliveryRow }[] = []
      for (const hook of await storage.listActive(tx)) {
        const own = running.filter(([, one]) => one.hook === hook.id).map(([id]) => id)
        if (own.length >= PER_HOOK) continue
        for (const delivery of await deliveries.listDue(tx, hook.id, now, own, PER_HOOK - own.length))
          found.push({ hook, delivery })
      }
      return found
    })
    for (const { hook, delivery } of due) {
      // Failures to store the outcome end in another attempt.
      const ended = this.#deliver(hook, delivery)
        .catch(() => {})
        .then(() => void this.#running.delete(delivery.id))
      this.#running.set(delivery.id, { hook: hook.id, ended })
    }
    return due.length
  }

  async #deliver(hook: WebhookRow, delivery: DeliveryRow): Promise<void> {
    const { db, clock } = this.#store
    const outcome = await this.#send(hook, delivery)
    if (this.#signal.aborted && outcome.response === null) return
    const now = clock()
    const attempts = delivery.attempts + 1
    const { response, error } = outcome
    await db.writeWithoutInvalidating(async (tx) => {
      if (response !== null && response >= 200 && response < 300)
        return deliveries.end(tx, delivery.id, { status: 'delivered', attempts, ended_utc: now, response, error: null })
      const pause = PAUSES[attempts - 1]
      const failed = { status: 'failed', attempts, ended_utc: now, response, error } as const
      if (response === 410) {
        await deliveries.end(tx, delivery.id, failed)
        return storage.switchOff(tx, hook.id, now, error)
      }
      if (pause === undefined) return deliveries.end(tx, delivery.id, failed)
      return deliveries.putOff(tx, delivery, now + pause, { attempts, response, error })
    })
  }

  /** One attempt: the status of the answer, or why there is none. */
  async #send(hook: WebhookRow, delivery: DeliveryRow): Promise<{ response: number | null; error: string }> {
    const { clock, fetchLimits } = this.#store
    const body = bodyOf(delivery)
    const now = clock()
    const old = hook.old_secret !== null && (hook.old_until_utc ?? 0) > now ? [hook.old_secret] : []
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders(delivery.message, now, body, [hook.secret, ...old]),
    }
    try {
      const limits = { ...fetchLimits, timeout: TIMEOUT }
      const response = await safePost(hook.url, limits, headers, body, this.#signal)
      return { response, error: `HTTP ${response}` }
    } catch (error) {
      return { response: null, error: error instanceof FetchRefused ? error.problem : String(error) }
    }
  }
}

/** The record is JSON already. */
function bodyOf({ type, kind, record, content, created_utc }: DeliveryRow): string {
  const head = { type, timestamp: new Date(created_utc * 1000).toISOString() }
  const data = JSON.stringify({ type: kind, id: record })
  const whole = content === null ? data : `${data.slice(0, -1)},"record":${content}}`
  return `${JSON.stringify(head).slice(0, -1)},"data":${whole}}`
}
