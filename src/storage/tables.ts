import type { Generated } from 'kysely'
import type { Instant, WallClock } from '../calendar/zone.ts'
import type { eventFields } from '../schema/event.ts'
import type { Columns } from '../schema/field.ts'
import type { LINKED_FIELDS, LinkedKind } from '../schema/linked.ts'
import type { Status } from '../schema/record.ts'
import type { TermKind } from '../schema/term.ts'
import type {
  AuditTable,
  ChangeTable,
  ImportChangeTable,
  ImportFeedTable,
  ImportRunTable,
  ImportTable,
  JobTable,
  StoredBytesTable,
  UnusedFileTable,
  WebhookChangeTable,
  WebhookDeliveryTable,
  WebhookTable,
} from './service-tables.ts'
import type {
  IdempotencyTable,
  InvitationTable,
  SessionTable,
  SignInTable,
  SuggestionTable,
  TokenTable,
  UserTable,
} from './user-tables.ts'

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
  /** The user who made it; null if that is not known, or the user is gone. */
  author: number | null
}

/** An event's records of one kind, in order. */
export interface LinkTable {
  event: number
  linked: number
  position: number
  /** Start of the event, maintained by triggers. */
  start_local: Generated<WallClock>
  /** When the event ends, if public lists show it; maintained by triggers. */
  shown_end: Generated<WallClock | null>
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

/** The JSON of an event with holes, as it was at a revision: see docs/decisions/event-templates.md. */
export interface EventTemplateTable {
  event: number
  revision: number
  /** Changes with all else that the JSON depends on: the settings of the site, and this program. */
  form: number
  text: string
  /** Of its event. Null if an earlier version has written the row. */
  start_local: WallClock | null
  /** 1 if everybody may see the event. */
  is_public: number | null
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
  stored_bytes: StoredBytesTable
  webhook_changes: WebhookChangeTable
  webhook_deliveries: WebhookDeliveryTable
  images: ImageTable
  unused_files: UnusedFileTable
  old_addresses: OldAddressTable
  tickets: TicketTable
  event_templates: EventTemplateTable
  /** On SQLite: what calendars show of public events, as JSON. A change of an event removes it. */
  event_entries: { event: number; form: number; entry: string }
  /** One row: up to which change events are rendered in a form, and when that began. */
  template_progress: { form: number; xid: number; position: number; begun_utc: Instant }
  /** On a server: see version.ts. */
  data_version: { share: number; version: number }
  limits: { key: string; window: number; count: number }
  event_terms: Pick<LinkTable, 'event' | 'start_local' | 'shown_end'> & { term: number }
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
