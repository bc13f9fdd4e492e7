import { AppError } from '../lib/errors.ts'
import { isLinkedKind, type LinkedKind, type RecordKind } from '../schema/linked.ts'
import type { Content } from '../storage/audit/entry.ts'
import type { Tx } from '../storage/dialect.ts'
import * as imageStorage from '../storage/images.ts'
import type { Ref } from '../storage/records.ts'
import * as userStorage from '../storage/users.ts'
import { mayEdit, need, rightsOf } from './access.ts'
import { apart } from './acting.ts'
import { findTerm, isShown, linkedById } from './event-links.ts'
import type { Event } from './events.ts'
import * as events from './events.ts'
import type { Linked } from './linked-records.ts'
import * as linkedRecords from './linked-records.ts'
import * as records from './records.ts'
import type { Check, Payload, Scope } from './scope.ts'
import { find, findEditable, type Version } from './versions.ts'

/** Brings a version of a record back, by an ordinary update: its rights, rules and log apply. */

/** Times go together: each is read in the time zone. */
const TIMES = ['start_date', 'end_date', 'timezone', 'all_day']
/** Fields that no update sets. */
const NOT_SENT = ['series']
/** Attempts, if others change the record meanwhile. */
const ATTEMPTS = 5

/** What an update has to send to bring a version back, and what it cannot. */
interface Plan {
  readonly payload: Content
  /** Names of the fields that stay as they are, in whole or in part: what they name is gone, or secret. */
  readonly missing: readonly string[]
}

/** The record has changed since the plan was made. */
class Moved extends Error {}

/** A record that was brought back, and the names of the fields that were not. */
export interface Restored<Shown> {
  readonly shown: Shown
  readonly missing: readonly string[]
}

type Revised = { readonly row: { readonly revision: number } }
type Update<Shown> = (payload: Payload, check: Check<Shown>) => Promise<Shown>

export function restoreEvent(
  scope: Scope,
  ref: Ref,
  version: number,
  check: Check<Event> = null,
): Promise<Restored<Event>> {
  return restore(scope, { kind: 'event', ref, version }, check, (payload, checkAll) =>
    events.update(apart(scope), ref, payload, checkAll),
  )
}

export function restoreLinked(
  scope: Scope,
  kind: LinkedKind,
  ref: Ref,
  version: number,
  check: Check<Linked> = null,
): Promise<Restored<Linked>> {
  return restore(scope, { kind, ref, version }, check, (payload, checkAll) =>
    linkedRecords.update(apart(scope), kind, ref, payload, checkAll),
  )
}

/** Plans, and updates; plans anew if somebody changed the record in between. */
async function restore<Shown extends Revised>(
  scope: Scope,
  { kind, ref, version }: { readonly kind: RecordKind; readonly ref: Ref; readonly version: number },
  check: Check<Shown>,
  update: Update<Shown>,
): Promise<Restored<Shown>> {
  for (let n = 1; ; n++) {
    const { plan, revision } = await planFor(scope, kind, ref, version)
    const { payload, missing } = plan
    try {
      const shown = await update(
        () => payload,
        (current) => {
          check?.(current)
          if (current.row.revision !== revision) throw new Moved()
          return Object.keys(payload).length === 0 ? {} : undefined
        },
      )
      return { shown, missing }
    } catch (error) {
      if (!(error instanceof Moved)) throw error
      if (n === ATTEMPTS) throw new AppError('rest_precondition_failed')
    }
  }
}

async function planFor(
  scope: Scope,
  kind: RecordKind,
  ref: Ref,
  version: number,
): Promise<{ plan: Plan; revision: number }> {
  return scope.db.readPrimary(async (tx) => {
    // A write that is refused is refused alike, whether the record may be read or not.
    const row = await records.find(tx, kind, ref, 'no reader: rights')
    need(mayEdit(scope.user, row))
    const found = await find(tx, kind, row, version)
    return { plan: await planOf(tx, scope, kind, found), revision: row.revision }
  })
}

/** A version, and what of it cannot be brought back. */
export async function getWithPlan(
  scope: Scope,
  kind: RecordKind,
  ref: Ref,
  version: number,
): Promise<{ found: Version; missing: readonly string[] }> {
  return scope.db.readMany(async (tx) => {
    const found = await find(tx, kind, await findEditable(tx, scope, kind, ref), version)
    return { found, missing: (await planOf(tx, scope, kind, found)).missing }
  })
}

/** Plans how a version is brought back. */
async function planOf(
  tx: Tx,
  scope: Pick<Scope, 'user'>,
  kind: RecordKind,
  { fields, now }: Pick<Version, 'fields' | 'now'>,
): Promise<Plan> {
  const changed = Object.keys(now).filter((name) => !NOT_SENT.includes(name))
  const names = changed.some((name) => TIMES.includes(name)) ? [...new Set([...changed, ...TIMES])] : changed
  const { categories = [], tags = [] } = { ...fields, ...now } as Partial<Record<string, readonly number[]>>
  const had = [...categories, ...tags]
  const payload: Content = {}
  const missing: string[] = []
  for (const name of names.filter((one) => one in fields)) {
    const { value, isLost } = await restorable(tx, scope, kind, name, fields[name], had)
    if (value !== undefined) payload[name] = value
    if (isLost) missing.push(name)
  }
  return { payload, missing }
}

interface Restorable {
  /** None if the field stays as it is. */
  readonly value?: unknown
  /** Whether some of it is gone. */
  readonly isLost: boolean
}

async function restorable(
  tx: Tx,
  scope: Pick<Scope, 'user'>,
  kind: RecordKind,
  name: string,
  value: unknown,
  had: readonly number[],
): Promise<Restorable> {
  if (name === 'password') return value === null ? { value: '', isLost: false } : { isLost: true }
  // A venue has its name in the field in which an event has its venues.
  if (kind === 'event' && isLinkedKind(name))
    return some(value, async (id) => {
      const row = await linkedById(tx, name, id, 'no reader: rights')
      return row !== undefined && isShown(scope, row) ? row.id : null
    })
  if (name === 'categories' || name === 'tags') {
    const kind = name === 'tags' ? 'tag' : 'category'
    return some(value, async (id) => (await findTerm(tx, scope.user, kind, { id }, had))?.id ?? null)
  }
  if (name === 'image') return one(value, async (id) => (await imageStorage.get(tx, id)) !== undefined)
  if (name === 'author')
    return one(
      value,
      async (id) => rightsOf(scope.user).edit === 'all' && (await userStorage.get(tx, id)) !== undefined,
    )
  if (name === 'parent')
    return one(value, async (id) => (await records.findIfReadable(tx, scope, 'event', { id })) !== undefined)
  return { value, isLost: false }
}

async function some(value: unknown, find: (id: number) => Promise<number | null>): Promise<Restorable> {
  const ids = (value ?? []) as number[]
  const found: number[] = []
  let isLost = false
  for (const id of ids) {
    const current = await find(id)
    if (current === null) isLost = true
    else if (!found.includes(current)) found.push(current)
  }
  return { value: found, isLost }
}

async function one(value: unknown, isThere: (id: number) => Promise<boolean>): Promise<Restorable> {
  const id = Number(value ?? 0)
  if (id === 0) return { value: 0, isLost: false }
  return (await isThere(id)) ? { value: id, isLost: false } : { isLost: true }
}
