import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instant } from '../calendar/zone.ts'
import { AppError, refuse } from '../lib/errors.ts'
import { CHANGE_KINDS, type ChangeKind, changeParameters } from '../schema/change.ts'
import { readFields } from '../schema/field.ts'
import { isLinkedKind, type LinkedKind } from '../schema/linked.ts'
import type { TermKind } from '../schema/term.ts'
import * as storage from '../storage/changes.ts'
import type { Tx } from '../storage/dialect.ts'
import * as eventStorage from '../storage/events.ts'
import * as recordStorage from '../storage/records.ts'
import * as secrets from '../storage/secrets.ts'
import * as termStorage from '../storage/terms.ts'
import { visibilityOf } from './access.ts'
import { readToken, type Token, writeToken } from './change-tokens.ts'
import { undamagedLinked } from './damage.ts'
import { assembleUndamaged, type Event } from './event-assembly.ts'
import type { JobKind } from './job-run.ts'
import { type Linked, withImages } from './linked-records.ts'
import { readingOf } from './records.ts'
import type { Payload, Scope } from './scope.ts'
import { sweep } from './sweeping.ts'
import { type Term, withPaths } from './terms.ts'

/** A record as it is shown. */
export type ShownRecord =
  | { readonly kind: 'event'; readonly shown: Event }
  | { readonly kind: LinkedKind; readonly shown: Linked }
  | { readonly kind: TermKind; readonly shown: Term }

export interface Change {
  readonly kind: ChangeKind
  readonly id: number
  /** Whether the reader does not see it, or no more. */
  readonly isRemoved: boolean
  readonly modified: Instant
  /** If asked for, and neither removed nor damaged. */
  readonly record: ShownRecord | null
}

export interface Changes {
  readonly changes: readonly Change[]
  /** Token for the next request. */
  readonly next: string
  /** Whether there are more changes by now. */
  readonly more: boolean
}

/** How long tokens are valid and removed records are remembered, in seconds. */
const LIFETIME = 90 * 86_400
/** How often, and after which pause in milliseconds, a read looks whether older transactions have ended. */
const MAX_TRIES = 10
const PAUSE = 20
/** Name of the number of this series of changes: tokens of another database, or of one before a restore, are not valid. */
const SERIES = 'changes'

/** What has changed for a reader since a token; everything there is without one. Each record once, at its last change. */
export async function list(scope: Scope, query: Payload): Promise<Changes> {
  const reading = readingOf(scope)
  const { values, problems } = readFields(changeParameters, query(), { mode: 'query', reading })
  const { since: given, types, per_page: perPage = 50, include } = values
  const token = given ? readToken(given) : null
  if (given && token === null) problems.since = { problem: 'not_a_token' }
  refuse(problems)
  const series = await seriesOf(scope)
  const now = scope.clock()
  if (token !== null) checkToken(scope, token, series, now)
  const visibility = visibilityOf(scope.user)
  const kinds = types?.length ? types : CHANGE_KINDS
  await untilTold(scope)
  return scope.db.readPrimary(async (tx) => {
    const until = await storage.last(tx)
    // One that is ahead is of a database that has lost its last changes.
    if (token !== null && isBefore(until, token)) throw new AppError('changes-token-expired')
    const silent = token === null ? until : token.silent
    const since = token ?? { xid: 0, position: 0 }
    const found = await storage.list(tx, { visibility, kinds, since, until, silent }, perPage + 1)
    const rows = found.slice(0, perPage)
    const more = found.length > perPage
    const place = (more ? rows.at(-1) : undefined) ?? until
    const isSilent = silent !== null && isBefore(place, silent)
    return {
      changes: await shown(tx, scope, rows, include?.includes('record') ?? false),
      next: writeToken({ ...place, series, issued: now, silent: isSilent ? silent : null, reader: readerOf(scope) }),
      more,
    }
  })
}

/**
 * Waits a moment for transactions that began before changes that are there already. So a client is told of its own write,
 * unless a long one runs beside it.
 */
async function untilTold({ db }: Pick<Scope, 'db'>): Promise<void> {
  const isBehind = () => db.readPrimary(async (tx) => storage.isBehind(tx, await storage.last(tx)))
  for (let tries = 0; tries < MAX_TRIES && (await isBehind()); tries++) await sleep(PAUSE)
}

function isBefore(one: storage.Place, other: storage.Place): boolean {
  return one.xid < other.xid || (one.xid === other.xid && one.position < other.position)
}

/** A reader whose role has changed sees other records, of which no change tells. */
function readerOf({ user }: Pick<Scope, 'user'>): Token['reader'] {
  return [user?.id ?? 0, user?.role ?? '']
}

function checkToken(scope: Scope, { series, issued, reader: [id, role] }: Token, current: string, now: Instant): void {
  const [ownId, ownRole] = readerOf(scope)
  const isOther = id === ownId && role !== ownRole
  if (series !== current || now - issued > LIFETIME || isOther) throw new AppError('changes-token-expired')
}

async function shown(
  tx: Tx,
  scope: Scope,
  rows: readonly storage.ChangeRow[],
  withRecords: boolean,
): Promise<Change[]> {
  const visibility = visibilityOf(scope.user)
  const known = new Map<string, ShownRecord>()
  const seen = rows.filter((row) => storage.isShown(row, visibility))
  for (const [kind, some] of withRecords ? Map.groupBy(seen, (row) => row.kind) : [])
    for (const record of await recordsOf(
      tx,
      scope,
      kind,
      some.map((row) => row.record),
    ))
      known.set(`${kind} ${idOf(record)}`, record)
  return rows.map((row) => ({
    kind: row.kind,
    id: row.record,
    isRemoved: !storage.isShown(row, visibility),
    modified: row.status === 'gone' ? row.changed_utc : row.modified_utc,
    record: known.get(`${row.kind} ${row.record}`) ?? null,
  }))
}

/** Id of a record. */
export function idOf(record: ShownRecord): number {
  return 'row' in record.shown ? record.shown.row.id : record.shown.id
}

/** Records by id, with all that they are shown with. Damaged ones are left out. */
export async function recordsOf(
  tx: Tx,
  scope: Pick<Scope, 'user' | 'onDamage'>,
  kind: ChangeKind,
  ids: readonly number[],
): Promise<ShownRecord[]> {
  if (kind === 'event') {
    const events = await assembleUndamaged(tx, scope, await eventStorage.getAll(tx, ids, 'no reader: seen'))
    return events.map((event) => ({ kind, shown: event }))
  }
  if (isLinkedKind(kind)) {
    const rows = undamagedLinked(kind, scope, await recordStorage.getAny(tx, kind, ids, 'no reader: seen'))
    return (await withImages(tx, rows, scope.onDamage)).map((linked) => ({ kind, shown: linked }))
  }
  return (await withPaths(tx, await termStorage.getAll(tx, kind, ids, 'no reader: seen'))).map((term) => ({
    kind,
    shown: term,
  }))
}

/** Name of this series of changes, made on first use. */
async function seriesOf({ db }: Pick<Scope, 'db'>): Promise<string> {
  const known = await db.read((tx) => secrets.find(tx, SERIES))
  if (known !== undefined) return known
  return db.writeWithoutInvalidating(async (tx) => {
    await secrets.create(tx, SERIES, randomUUID())
    return (await secrets.find(tx, SERIES)) ?? ''
  })
}

/** Forgets records that are gone for longer than tokens live. */
export function forgetting({ db, clock }: Pick<Scope, 'db' | 'clock'>): JobKind {
  return {
    name: 'forget-changes',
    every: 3600,
    async run(_, signal) {
      await db.writeWithoutInvalidating(async (tx) => {
        if (await storage.renumber(tx)) await secrets.remove(tx, SERIES)
      })
      await sweep(db, signal, (tx, most) => storage.forget(tx, clock() - LIFETIME, most))
    },
  }
}
