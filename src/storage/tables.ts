import type { Generated } from 'kysely'
import type { Instant, WallClock } from '../calendar/zone.ts'
import type { AuditAction, AuditKind, Way } from '../schema/audit.ts'
import type { eventFields } from '../schema/event.ts'
import type { Columns } from '../schema/field.ts'
import type { LINKED_FIELDS, LinkedKind, RecordKind } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'

/** Columns of events, venues and organizers besides their declared fields. */
export interface RecordColumns {
  id: number
  author: number
  status: Status
  /** Status before the record was trashed. */
  trashed_from: Status | null
  slug: string
  /** Slug before the record was trashed. */
  restore_slug: string | null
  description: string | null
  date_utc: Instant
  modified_utc: Instant
  image: number | null
  /** Text for `search`: case-folded, without markup. */
  search: string
  /** Changed by a trigger with every update of the row. */
  revision: Generated<number>
}

/** Venues count the changes of the place that calendars show, by a trigger. */
type Counted<K extends LinkedKind> = K extends 'venue' ? { moves: Generated<number> } : object

/** The tables of records that events are linked to, and of the links. */
export type LinkedTables = {
  [K in LinkedKind as `${K}s`]: RecordColumns & Columns<(typeof LINKED_FIELDS)[K]> & Counted<K>
} & { [K in LinkedKind as `event_${K}s`]: LinkTable }

export type EventTable = RecordColumns &
  Columns<typeof eventFields> & {
    timezone: string
    start_local: WallClock
    end_local: WallClock
    start_utc: Instant
    end_utc: Instant
    /** Case-folded title: the only searchable text of a protected event. */
    title_search: string
    password_hash: string | null
    /** Parent event. */
    parent: number | null
    /** Counts the changes, by a trigger: `SEQUENCE` of iCalendar. */
    sequence: Generated<number>
    /** Series that it is an occurrence of. */
    series: number | null
    /** Start by the rule of the series: `RECURRENCE-ID` of iCalendar. */
    original_start: WallClock | null
    /** JSON: names of the fields that differ from the series by hand; null for none. */
    own_fields: string | null
  }

/** A recurring event. It outlives its first occurrence, whose id it has. */
export interface SeriesTable {
  id: number
  author: number
  /** Slugs of occurrences begin with it. */
  slug: string
  /** `FREQ=…`; null if there are only dates. */
  rule: string | null
  /** JSON: further starts. */
  dates: string
  /** JSON: starts that are left out. */
  except_dates: string
  timezone: string
  /** Start that the rule counts from, and the end of that occurrence. */
  start_local: WallClock
  end_local: WallClock
  /** JSON: the fields of new occurrences. */
  template: string
  /** Number of occurrences, with those that are not made yet; null if it never ends. */
  occurrences: number | null
  /** Occurrences after this have to be made; null if there are none. */
  made_until: WallClock | null
  /** 1 if all of it is in the trash. */
  trashed: Generated<number>
  modified_utc: Instant
  /** `SEQUENCE` of iCalendar. */
  sequence: Generated<number>
}

export interface TermTable {
  id: number
  kind: TermKind
  name: string
  /** Case-folded name, for sorting and uniqueness. */
  name_key: string
  slug: string
  description: string | null
  /** 0 for a top-level term. Tags have no hierarchy. */
  parent: number
  /** Number of published events; maintained by storage/events.ts. */
  count: number
  /**
   * 1 once a published event has had it, or if it was created by itself. 0 hides it from readers who do not see
   * everything.
   */
  published: number
  /** The last change, but of the count. */
  modified_utc: Instant
}

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

/** An event's records of one kind, in order. */
export interface LinkTable {
  event: number
  linked: number
  position: number
  /** Start of the event, maintained by a trigger. */
  start_local: Generated<WallClock>
}

export interface UserTable {
  id: Generated<number>
  name: string
  name_key: string
  email: string
  email_key: string
  role: string
  /** Empty until the user has set a password. */
  password_hash: string
  created_utc: Instant
  /** Language of the screens; null for that of the browser. */
  language: string | null
  /** Null unless the user may not sign in. */
  disabled_utc: Instant | null
}

/** Keys of requests that must not be done twice: see domain/idempotency.ts. */
export interface IdempotencyTable {
  user: number
  /** Hash of the key. */
  key: string
  /** Hash of the request. */
  request: string
  /** Names the attempt that may store an answer. */
  claim: string
  claimed_until: Instant
  /** Null while the request runs. */
  status: number | null
  /** JSON. */
  headers: string | null
  /** Compressed and encrypted, in base64. */
  body: string | null
  created_utc: Instant
}

/** Sign-ins of browsers. */
export interface SessionTable {
  id: Generated<number>
  user: number
  /** Hash of the secret in the cookie. */
  hash: string
  /** The browser, by the name that it gives itself. */
  agent: string
  created_utc: Instant
  /** Last use, to the hour. */
  used_utc: Instant
  expires_utc: Instant
}

/** Links by which users set a password, one for each user at most. */
export interface InvitationTable {
  user: number
  /** Hash of the secret in the link. */
  hash: string
  expires_utc: Instant
}

export interface TokenTable {
  id: Generated<number>
  user: number
  name: string
  hash: string
  created_utc: Instant
  /** Null for a token that never expires. */
  expires_utc: Instant | null
  /** Last use, to the minute; null for never. */
  used_utc: Instant | null
}

/** Addresses that users have signed in from. */
export interface SignInTable {
  user: number
  /** Hash of user and address. */
  address: string
  last_utc: Instant
}

export interface ImageTable {
  id: number
  author: number
  /** Hash of the uploaded bytes. */
  hash: string
  /** Base of the file names; null means the hash. */
  file_base: string | null
  extension: string
  mime: string
  width: number
  height: number
  filesize: number
  /** Smaller renderings by name, as JSON. */
  sizes: string
  date_utc: Instant
  /** Alternative text: what the image shows, for those who do not see it. */
  alt: string
  /** Name of the uploaded file, if it is known. */
  name: string
  /** Name and alternative text, case-folded. */
  search: string
}

/** A record or term that was merged into another one. */
export interface OldAddressTable {
  kind: LinkedKind | TermKind
  /** Its id. */
  id: number
  slug: string
  /** The id of the other one. */
  target: number
  merged_utc: Instant
}

/** A file without an image row: see image-files.ts. */
export interface UnusedFileTable {
  file: string
  since_utc: Instant
  /** 1 if it is to be removed, so that no image may claim it. */
  removing: number
}

export interface TicketTable {
  id: Generated<number>
  event: number
  position: number
  name: string
  /** Decimal number. */
  price: string | null
  currency: string | null
  url: string | null
  capacity: number | null
  available_from: Instant | null
  available_until: Instant | null
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
  kind: RecordKind | TermKind
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

/** Sender of an event that was suggested on the public form. The event may be gone. */
export interface SuggestionTable {
  id: Generated<number>
  event: number
  /** Empty if they were not given. */
  sender_name: string
  sender_email: string
  language: string
  /** Nonce of the form: each is taken once. */
  form: string
  /** Keyed hash of the network that it was sent from, for the limit. */
  network: string
  /** File of a picture that waits for the review; null without one, or when it is settled. */
  picture: string | null
  picture_mime: string | null
  picture_bytes: number
  created_utc: Instant
  outcome: 'approved' | 'rejected' | null
  reason: string | null
  decided_utc: Instant | null
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
}

export interface Tables extends LinkedTables {
  sequences: { name: string; last: number }
  users: UserTable
  tokens: TokenTable
  sign_ins: SignInTable
  sessions: SessionTable
  idempotency_keys: IdempotencyTable
  invitations: InvitationTable
  /** Settings of the site, by name. */
  settings: { name: string; value: string }
  events: EventTable
  series: SeriesTable
  terms: TermTable
  changes: ChangeTable
  webhooks: WebhookTable
  audit: AuditTable
  webhook_changes: WebhookChangeTable
  webhook_deliveries: WebhookDeliveryTable
  images: ImageTable
  unused_files: UnusedFileTable
  old_addresses: OldAddressTable
  tickets: TicketTable
  /** On a server: see version.ts. */
  data_version: { share: number; version: number }
  limits: { key: string; window: number; count: number }
  event_terms: { event: number; term: number; start_local: Generated<WallClock> }
  imports: ImportTable
  /** State of interrupted imports, as JSON. */
  import_progress: { source: string; state: string; saved_utc: Instant }
  import_runs: ImportRunTable
  import_changes: ImportChangeTable
  import_feeds: ImportFeedTable
  jobs: JobTable
  /** Words of the names of venues, organizers and terms: see word-search.ts. */
  linked_words: { word: string; kind: LinkedKind | 'term'; linked: number }
  /** Words that may be suggested. */
  search_words: { word: string; reversed: string }
  /** Events that are free of charge. */
  free_events: { event: number }
  /** Keys that all nodes share. */
  secrets: { name: string; value: string }
  suggestions: SuggestionTable
}
