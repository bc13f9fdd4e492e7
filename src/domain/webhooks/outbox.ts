import { randomUUID } from 'node:crypto'
import { TimeSlice } from '../../lib/time-slices.ts'
import type { WebhookAction } from '../../schema/webhook.ts'
import type { Tx } from '../../storage/dialect.ts'
import * as deliveries from '../../storage/webhook-deliveries.ts'
import * as storage from '../../storage/webhooks.ts'
import { idOf, recordsOf, type ShownRecord } from '../changes.ts'
import type { Scope } from '../scope.ts'
import { hookOf, type Webhook } from './hooks.ts'

/**
 * Triggers note in `webhook_changes` what a transaction changes, if there is a webhook. Before the transaction is
 * committed, a delivery for each webhook that is told of it takes the place of the note. So none is lost, and none is sent
 * for what was rolled back.
 */

/** Writes a record as JSON that administrators see. */
export type Present = (record: ShownRecord) => object

export interface Sender {
  readonly scope: Pick<Scope, 'clock' | 'onDamage'>
  readonly present: Present
}

/** Records whose JSON is written with one set of queries. */
const BATCH = 100

/** What a change is called: one name for its staff, and one more if the view of the public changes. */
function actionsOf(change: deliveries.WebhookChange): WebhookAction[] {
  const { existed, was_trash, was_public, is_gone, is_trash, is_public } = change
  if (existed === 0 && is_gone === 1) return []
  const isRemoved = is_gone === 1 || (is_trash === 1 && was_trash === 0)
  const actions: WebhookAction[] = [existed === 0 ? 'created' : isRemoved ? 'removed' : 'updated']
  if (was_public !== is_public) actions.push(is_public === 1 ? 'published' : 'unpublished')
  return actions
}

/** Turns the notes of a transaction into deliveries. */
export async function seal(tx: Tx, sender: Sender): Promise<void> {
  const changes = await deliveries.takeChanges(tx)
  if (changes.length === 0) return
  const hooks = (await storage.listActive(tx)).map(hookOf)
  const now = sender.scope.clock()
  for (let at = 0; at < changes.length; at += BATCH) {
    const some = changes.slice(at, at + BATCH)
    const wanted = some.flatMap((change) =>
      actionsOf(change).flatMap((action) => {
        const type = `${change.kind}.${action}`
        return hooks.filter((hook) => isTold(hook, type)).map((hook) => ({ change, type, hook }))
      }),
    )
    const full = wanted.filter(({ hook, change }) => hook.payload === 'full' && change.is_gone === 0)
    const contents = await contentsOf(
      tx,
      sender,
      full.map(({ change }) => change),
    )
    for (const { change, type, hook } of wanted) {
      const { kind, record } = change
      const content = hook.payload === 'full' ? (contents.get(`${kind} ${record}`) ?? null) : null
      await deliveries.add(tx, { message: `msg_${randomUUID()}`, hook: hook.id, type, kind, record, content }, now)
    }
  }
}

function isTold({ events }: Webhook, type: string): boolean {
  return events.includes('*') || events.includes(type)
}

/** JSON of records as they are after the change, by kind and id. */
async function contentsOf(
  tx: Tx,
  { scope, present }: Sender,
  changes: readonly deliveries.WebhookChange[],
): Promise<Map<string, string>> {
  const contents = new Map<string, string>()
  const slice = new TimeSlice()
  // Those who make webhooks see everything.
  const all = { user: { id: 0, name: '', role: 'administrator' }, onDamage: scope.onDamage ?? (() => {}) } as const
  for (const [kind, some] of Map.groupBy(changes, (change) => change.kind)) {
    const ids = [...new Set(some.map(({ record }) => record))]
    for (const record of await recordsOf(tx, all, kind, ids)) {
      if (slice.isOver) await slice.yield()
      contents.set(`${kind} ${idOf(record)}`, JSON.stringify(present(record)))
    }
  }
  return contents
}
