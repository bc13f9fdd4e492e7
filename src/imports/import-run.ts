import { createHash } from 'node:crypto'
import { need, rightsOf } from '../domain/access.ts'
import type { Scope } from '../domain/scope.ts'
import { AppError, type Problem } from '../lib/errors.ts'
import type { LinkedKind } from '../schema/linked.ts'
import type { Tx } from '../storage/dialect.ts'

/** Result of an import, so far or final. */
export interface ImportReport {
  created: number
  updated: number
  unchanged: number
  /** Events moved to the trash: cancelled, or no longer part of their series. */
  removed: number
  skipped: number
  /** The first notes: skipped entries and warnings. */
  readonly notes: Note[]
}

/** Note about one entry. */
export interface Note {
  /** Line at which the entry begins; 0 without a file. */
  readonly line: number
  readonly uid: string
  readonly problem: Problem
}

/** State of a running import. */
export interface ImportRun {
  readonly source: string
  /** Whether all changes are rolled back. */
  readonly dryRun: boolean
  readonly report: ImportReport
  /** Records and terms that stored batches have found or created. */
  readonly found: FoundIds
  /** Events whose parents did not exist yet when they were stored. */
  readonly orphans: Orphan[]
  /** Called after every batch. */
  readonly onProgress: (report: ImportReport) => void
  /** Run whose changes are recorded, so that they can be undone; null if they are not. */
  readonly journal: number | null
  /** Called for every record, with what became of it. */
  readonly list: (item: ListedItem) => void
}

/** A record of an import, for a list of what it does. */
export interface ListedItem {
  readonly name: string
  /** Start of an event, as it was read. */
  readonly start: string
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'removed' | Problem
}

/** Event to import. */
export interface Item {
  readonly uid: string
  /** Occurrence of a recurring entry; empty for other entries. */
  readonly part: string
  readonly line: number
  /** Hash of the whole entry. Unchanged events are skipped. */
  readonly hash: string
  /** Whether it was cancelled. If it exists, it is moved to the trash. */
  readonly cancelled: boolean
  /** Identity of its parent: the first occurrence of its series, or another entry. */
  readonly parent: { readonly uid: string; readonly part: string } | null
  /** Fields in the form of a request, without links. */
  readonly fields: Record<string, unknown>
  /** Slug for a new event whose title is shared by others. An existing event keeps its slug. */
  readonly slug?: string
  /** Existing event that it updates, if it was not imported before. */
  readonly adopts?: { readonly slug: string | null; readonly id: number | null }
  /** Resolves its links, inside the transaction. */
  links(tx: Tx, found: FoundIds): Promise<ItemLinks>
  /** Address of its image. */
  readonly image?: string
}

/** Event whose parent may follow in the same file. */
export type Orphan = Pick<Item, 'uid' | 'part' | 'line'> & { readonly parent: NonNullable<Item['parent']> }

/** Ids of linked records and terms. Absent ones stay unchanged. */
export interface ItemLinks extends Readonly<Partial<Record<LinkedKind, readonly number[]>>> {
  readonly categories?: readonly number[]
  readonly tags?: readonly number[]
}

/** Ids by name that a transaction has found or created, so that each is looked up once. */
export type FoundIds = Map<string, number>

/** Limit on kept notes. All are counted. */
const MAX_NOTES = 1000

/** Options of every import. */
export interface BeginOptions {
  readonly dryRun: boolean
  readonly onProgress?: (report: ImportReport) => void
  readonly journal?: number | null
  readonly list?: (item: ListedItem) => void
}

/** Starts an import. It needs the right to change every event. */
export function begin(scope: Scope, source: string, options: BeginOptions): ImportRun {
  need(rightsOf(scope.user).edit === 'all')
  const report = { created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, notes: [] }
  const { dryRun, onProgress = () => {}, journal = null, list = () => {} } = options
  return { source, report, found: new Map(), orphans: [], dryRun, onProgress, journal, list }
}

/** Adds a note about an entry. With `skip` it counts as skipped. */
export function note({ report }: ImportRun, { line, uid, problem }: Note, skip = true): void {
  if (skip) report.skipped++
  if (report.notes.length < MAX_NOTES) report.notes.push({ line, uid: uid.slice(0, 200), problem })
}

/** Short hash of a text, as an identity. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}

/** Problem of a refused entry, for a note. Other errors are rethrown. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof AppError) || error.cause !== undefined) throw error
  const { params } = error.details
  return params === undefined
    ? { problem: 'import_refused', reason: error.code }
    : { problem: 'bad_data', details: params }
}
