import type { Generated } from 'kysely'
import type { Instant } from '../calendar/zone.ts'
import type { AuditAction, AuditKind, Way } from '../schema/audit.ts'
import type { RecordKind } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'

/** The last change of each record and term, written by triggers: see changes.ts. */
export interface ChangeTable {
  kind: RecordKind | TermKind
  record: number
  /** Its order among the changes, with `xid`. */
  position: number
  /** On a server, the transaction that made it; else 0. */
  xid: number
  changed_utc: Instant
  /** Columns of the record; a term has the status `publish` or `draft`. */
  modified_utc: Instant
  status: Status | 'gone'
  author: number
  /** 0 for an event that is protected, or hidden from lists. */
  is_open: number
  /** 1 if it ever was published and open, and if it ever was outside the trash. */
  was_public: number
  was_live: number
  /** Its authors while it was open, each between commas. */
  readers: string
}

/** A file without an image row: see image-files.ts. */
export interface UnusedFileTable {
  file: string
  since_utc: Instant
  /** 1 if it is to be removed, so that no image may claim it. */
  removing: number
}

/** Source of an imported record. */
export interface ImportTable {
  /** `ics`, `csv`, or the address of a site. */
  source: string
  kind: RecordKind | TermKind | 'image'
  /** Identifier in the source. */
  uid: string
  /** Occurrence of a recurring entry; empty for everything else. */
  part: string
  /** Our id of the record. */
  record: number
  /** Hash of the last imported data, to skip unchanged items. */
  hash: string
  imported_utc: Instant
}

/** A run of an import. */
export interface ImportRunTable {
  id: Generated<number>
  user: number
  /** Name of the file, or the address. */
  name: string
  url: string | null
  /** Held file with the content; null when it is no longer needed. */
  file: string | null
  bytes: number
  /** JSON. */
  options: string
  /** Schedule that it belongs to. */
  feed: number | null
  state: 'checked' | 'queued' | 'running' | 'done' | 'failed' | 'undoing' | 'undone'
  /** JSON: counts and notes, so far or final. */
  report: string | null
  error: string | null
  created_utc: Instant
  ended_utc: Instant | null
}

/** What a run did with a record. */
export interface ImportChangeTable {
  run: number
  kind: RecordKind | TermKind | 'series'
  record: number
  action: 'created' | 'updated' | 'removed'
  /** JSON: the content before. */
  before: string | null
  /** Revision that the run left. Another one means that somebody has changed the record since. */
  revision: number
  /** Key of the row in `imports`, and its hash before; null if there was none. */
  source: string
  uid: string
  part: string
  hash: string | null
}

/** An address that is imported again and again. */
export interface ImportFeedTable {
  id: Generated<number>
  user: number
  url: string
  /** Seconds. */
  every: number
  /** JSON. */
  options: string
  next_utc: Instant
  created_utc: Instant
}

/** Background work: see storage/jobs.ts. */
export interface JobTable {
  id: Generated<number>
  kind: string
  /** Names the job among those of its kind; empty for a recurring one. */
  key: string
  /** JSON. */
  payload: string
  /** When it may be claimed: for a claimed job, when its lease ends. Null if it has failed for good. */
  due_utc: Instant | null
  /** When `due_utc` was set: later than now if the clock was set back since. */
  set_utc: Instant
  /** The process that runs it; null if none does. */
  claimed_by: string | null
  attempts: number
  /** How often it was added, so that one that is added while it runs is run again. */
  requests: number
  /** Of the last attempt, if that failed. */
  error: string | null
  created_utc: Instant
  /** When an attempt last ended. */
  ended_utc: Instant | null
}

export interface WebhookTable {
  id: Generated<number>
  url: string
  /** JSON: names of what it is told of. */
  events: string
  active: number
  description: string
  payload: 'thin' | 'full'
  secret: string
  /** The secret before the last rotation, and until when it is used as well. */
  old_secret: string | null
  old_until_utc: Instant | null
  created_utc: Instant
}

/** Changes of the transaction that writes them, by triggers, if there is a webhook: see domain/webhooks/outbox.ts. */
export interface WebhookChangeTable {
  kind: RecordKind | TermKind
  record: number
  /** 1 if it was there before the transaction, in the trash, and in the view of the public. */
  existed: number
  was_trash: number
  was_public: number
  /** The same after it. */
  is_gone: number
  is_trash: number
  is_public: number
  changed_utc: Instant
}

export interface WebhookDeliveryTable {
  id: Generated<number>
  /** `webhook-id`. */
  message: string
  hook: number
  type: string
  kind: RecordKind | TermKind
  record: number
  /** JSON: the record, if the webhook is sent it. */
  content: string | null
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  due_utc: Instant
  created_utc: Instant
  ended_utc: Instant | null
  /** Status and error of the last attempt. */
  response: number | null
  error: string | null
}

/** Who changed what: see audit/. */
export interface AuditTable {
  id: Generated<number>
  at_utc: Instant
  /** Null if nobody was signed in; the user may be gone, so that their name is kept. */
  user: number | null
  user_name: string | null
  address: string | null
  way: Way
  action: AuditAction
  kind: AuditKind
  record: number
  /** Name of the record at that time. */
  title: string
  /** JSON: the changed fields. */
  before: string | null
  after: string | null
  /** The row that has the content of this one, too. */
  same_as: number | null
  /** 1 if the next save of a long text may be added to it: see audit/merging.ts. */
  merges: Generated<number>
}

/** How much a user has stored: see stored-bytes.ts. */
export interface StoredBytesTable {
  user: number
  kind: 'history' | 'answers'
  /** The last entry that is counted. */
  upto: number
  /** Since the row before. */
  bytes: number
}
