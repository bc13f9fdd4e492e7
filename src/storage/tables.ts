import type { Generated } from 'kysely'
import type { Instant, WallClock } from '../calendar/zone.ts'
import type { eventFields } from '../schema/event.ts'
import type { Columns } from '../schema/field.ts'
import type { LINKED_FIELDS, LinkedKind, RecordKind } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'

/** What events, venues and organizers keep beside their declared fields. */
export interface RecordColumns {
  id: number
  author: number
  status: Status
  /** The status that a trashed record had. */
  trashed_from: Status | null
  slug: string
  /** The slug that a trashed record gets back. */
  restore_slug: string | null
  description: string | null
  date_utc: Instant
  modified_utc: Instant
  image: number | null
  /** Everything that `search` looks into, case-folded, without markup. */
  search: string
  /** Moved by the database with every change to the row. */
  revision: Generated<number>
}

/** The tables of records that events are linked to, and of the links. */
export type LinkedTables = {
  [K in LinkedKind as `${K}s`]: RecordColumns & Columns<(typeof LINKED_FIELDS)[K]>
} & { [K in LinkedKind as `event_${K}s`]: LinkTable }

export type EventTable = RecordColumns &
  Columns<typeof eventFields> & {
    timezone: string
    start_local: WallClock
    end_local: WallClock
    start_utc: Instant
    end_utc: Instant
    /** Case-folded title alone: all that `search` may see of a protected event. */
    title_search: string
    password_hash: string | null
    /** The event that this one is part of. */
    parent: number | null
  }

export interface TermTable {
  id: number
  kind: TermKind
  name: string
  /** The name, case-folded: what terms are ordered by, and told apart by. */
  name_key: string
  slug: string
  description: string | null
  /** 0 at the top; tags have no tree. */
  parent: number
  /** How many published events have it; kept by storage/events.ts. */
  count: number
  /** 1 once a published event has had it, or if it was made by itself; 0 while it is hidden from those who do not see all. */
  published: number
}

/** An event's records of one kind, in order. */
export interface LinkTable {
  event: number
  linked: number
  position: number
  /** The event's, kept by the database. */
  start_local: Generated<WallClock>
}

export interface UserTable {
  id: Generated<number>
  name: string
  name_key: string
  email: string
  email_key: string
  role: string
  password_hash: string
  created_utc: Instant
}

export interface TokenTable {
  id: Generated<number>
  user: number
  name: string
  hash: string
  created_utc: Instant
  /** Null for one that never expires. */
  expires_utc: Instant | null
  /** When it was last used, to a minute; null for never. */
  used_utc: Instant | null
}

/** From where a user has signed in. */
export interface SignInTable {
  user: number
  /** A hash of the user and the address. */
  address: string
  last_utc: Instant
}

export interface ImageTable {
  id: number
  author: number
  /** Of the bytes that were given. */
  hash: string
  /** What the names of its files begin with; null for the hash. */
  file_base: string | null
  extension: string
  mime: string
  width: number
  height: number
  filesize: number
  /** The smaller renderings by name, as JSON. */
  sizes: string
  date_utc: Instant
}

/** A file of no image: see image-files.ts. */
export interface UnusedFileTable {
  file: string
  since_utc: Instant
  /** 1 if no image may name it any more. */
  removing: number
}

export interface TicketTable {
  id: Generated<number>
  event: number
  position: number
  name: string
  /** A decimal number. */
  price: string | null
  currency: string | null
  url: string | null
  capacity: number | null
  available_from: Instant | null
  available_until: Instant | null
}

/** What a record was imported from. */
export interface ImportTable {
  /** `ics`, `csv`, or the address of a site. */
  source: string
  kind: RecordKind | TermKind | 'image'
  /** What the source calls it. */
  uid: string
  /** Which occurrence of a recurring entry it is; empty for all else. */
  part: string
  /** The id that it has here. */
  record: number
  /** Of what was imported last, so that what has not changed is left alone. */
  hash: string
  imported_utc: Instant
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

export interface Tables extends LinkedTables {
  sequences: { name: string; last: number }
  users: UserTable
  tokens: TokenTable
  sign_ins: SignInTable
  events: EventTable
  terms: TermTable
  images: ImageTable
  unused_files: UnusedFileTable
  tickets: TicketTable
  /** On a server: see version.ts. */
  data_version: { share: number; version: number }
  limits: { key: string; window: number; count: number }
  event_terms: { event: number; term: number; start_local: Generated<WallClock> }
  imports: ImportTable
  /** How far imports have come that were interrupted, as JSON. */
  import_progress: { source: string; state: string; saved_utc: Instant }
  jobs: JobTable
}
