// Made by scripts/generate-client.ts from the OpenAPI document: do not edit.

/** An event. One that is protected by a password shows its title and dates alone to those who do not give it. */
export interface Event {
  /** Its number. */
  id: number
  /** What tells it from the records of every other site. */
  global_id: string
  /** The global ids that it has had. */
  global_id_lineage: Array<string>
  /** The id of the user who is the author, as text. */
  author: string
  /** The status: publish, future, draft, pending, private or trash. */
  status: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash'
  /** When it was or will be published, in the site's time zone. */
  date: string
  /** The same, in UTC. */
  date_utc: string
  /** When it was last changed, in the site's time zone. */
  modified: string
  /** The same, in UTC. */
  modified_utc: string
  /** Its page. */
  url: string
  /** Where to read it. */
  rest_url: string
  /** The title of the event. */
  title: string
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug: string
  /** When it starts, by its own clock. */
  start_date: string
  /** The parts of the date. */
  start_date_details: {
    /** The year. */
    year: string
    /** The month, two digits. */
    month: string
    /** The day, two digits. */
    day: string
    /** The hour, two digits. */
    hour: string
    /** The minutes, two digits. */
    minutes: string
    /** The seconds, two digits. */
    seconds: string
  }
  /** When it ends, by its own clock. */
  end_date: string
  /** The parts of the date. */
  end_date_details: {
    /** The year. */
    year: string
    /** The month, two digits. */
    month: string
    /** The day, two digits. */
    day: string
    /** The hour, two digits. */
    hour: string
    /** The minutes, two digits. */
    minutes: string
    /** The seconds, two digits. */
    seconds: string
  }
  /** When it starts, in UTC. */
  utc_start_date: string
  /** The parts of the date. */
  utc_start_date_details: {
    /** The year. */
    year: string
    /** The month, two digits. */
    month: string
    /** The day, two digits. */
    day: string
    /** The hour, two digits. */
    hour: string
    /** The minutes, two digits. */
    minutes: string
    /** The seconds, two digits. */
    seconds: string
  }
  /** When it ends, in UTC. */
  utc_end_date: string
  /** The parts of the date. */
  utc_end_date_details: {
    /** The year. */
    year: string
    /** The month, two digits. */
    month: string
    /** The day, two digits. */
    day: string
    /** The hour, two digits. */
    hour: string
    /** The minutes, two digits. */
    minutes: string
    /** The seconds, two digits. */
    seconds: string
  }
  /** The time zone: an IANA name or an offset such as UTC+5.5. */
  timezone: string
  /** What its time zone is called at its start. */
  timezone_abbr: string
  /** The description, as HTML or plain text. */
  description: string
  /** A short summary, as HTML or plain text. */
  excerpt: string
  /** Its image, or false. */
  image: Image | false
  /** Whether the event lasts the whole day. */
  all_day: boolean | null
  /** What it costs, as free text. */
  cost: string
  /** The cost as it was written. `cost` shows it in its usual form. If both are sent, this one counts. */
  cost_text: string
  /** What the cost is made of. */
  cost_details: {
    /** The currency sign in the cost. */
    currency_symbol: string
    /** The three-letter code in the cost. */
    currency_code: string
    /** Where the sign stands. */
    currency_position: '' | 'prefix' | 'postfix'
    /** The amounts in the cost, as decimal numbers. */
    values: Array<string>
  }
  /** The address of the event's website. */
  website: string
  /** Whether to show a map. */
  show_map: boolean | null
  /** Whether to show a link to a map. */
  show_map_link: boolean | null
  /** Whether to leave the event out of lists. */
  hide_from_listings: boolean | null
  /** Whether the event comes first in calendar views. */
  sticky: boolean | null
  /** Whether the event is featured. */
  featured: boolean | null
  /** Whether the event takes place online. */
  is_virtual: boolean | null
  /** The id of the event that this one is part of; 0 for none. */
  parent?: number
  /** When the event takes place again: an iCalendar rule such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`, or an object of `rule`, `dates` and `except`. */
  recurrence: Recurrence | null
  /** Its categories, by name. */
  categories: Array<Category>
  /** Its tags, by name. */
  tags: Array<EventTag>
  /** Its venue, a list when there are several, an empty list when there is none. */
  venue: Venue | Array<Venue>
  /** Its organizers, in order. */
  organizer: Array<Organizer>
  /** Whether it has tickets. */
  ticketed: boolean | null
  /** The tickets. */
  tickets?: Array<Ticket>
  /** The way to its nearest venue, in kilometres, where a place was asked for. */
  distance?: number
  /** Always empty. */
  custom_fields: never[]
  /** What it is, for search engines, as schema.org describes it; only where it stands alone. */
  json_ld?: {
    '@context': string
    '@type': string
    [key: string]: unknown
  }
}

/** A place where events happen; what is empty is left out. */
export interface Venue {
  /** Its number. */
  id: number
  /** The id of the user who is the author, as text. */
  author: string
  /** The status: publish, future, draft, pending, private or trash. */
  status: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash'
  /** When it was or will be published, in the site's time zone. */
  date: string
  /** The same, in UTC. */
  date_utc: string
  /** When it was last changed, in the site's time zone. */
  modified: string
  /** The same, in UTC. */
  modified_utc: string
  /** Its page. */
  url: string
  /** The name of the venue. */
  venue: string
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug: string
  /** The description, as HTML or plain text. */
  description?: string
  image?: Image
  /** The street address. */
  address?: string
  /** The city. */
  city?: string
  /** The country. */
  country?: string
  /** The province, outside the United States. */
  province?: string
  /** The state, in the United States. */
  state?: string
  /** The state or province. */
  stateprovince?: string
  /** The postal code. */
  zip?: string
  /** The telephone number. */
  phone?: string
  /** The address of the venue's website. */
  website?: string
  /** The latitude, in degrees. */
  geo_lat?: number
  /** The longitude, in degrees. */
  geo_lng?: number
  /** Whether to show a map of the venue. */
  show_map: boolean
  /** Whether to show a link to a map of the venue. */
  show_map_link: boolean
  /** What tells it from the records of every other site. */
  global_id: string
  /** The global ids that it has had. */
  global_id_lineage: Array<string>
  /** What it is, for search engines, as schema.org describes it; only where it stands alone. */
  json_ld?: {
    '@context': string
    '@type': string
    [key: string]: unknown
  }
}

/** Who holds events; what is empty is left out. */
export interface Organizer {
  /** Its number. */
  id: number
  /** The id of the user who is the author, as text. */
  author: string
  /** The status: publish, future, draft, pending, private or trash. */
  status: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash'
  /** When it was or will be published, in the site's time zone. */
  date: string
  /** The same, in UTC. */
  date_utc: string
  /** When it was last changed, in the site's time zone. */
  modified: string
  /** The same, in UTC. */
  modified_utc: string
  /** Its page. */
  url: string
  /** The name of the organizer. */
  organizer: string
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug: string
  /** The description, as HTML or plain text. */
  description?: string
  image?: Image
  /** The telephone number. */
  phone?: string
  /** The address of the organizer's website. */
  website?: string
  /** The e-mail address. */
  email?: string
  /** What tells it from the records of every other site. */
  global_id: string
  /** The global ids that it has had. */
  global_id_lineage: Array<string>
  /** What it is, for search engines, as schema.org describes it; only where it stands alone. */
  json_ld?: {
    '@context': string
    '@type': string
    [key: string]: unknown
  }
}

/** A category. */
export interface Category {
  /** Its number. */
  id: number
  /** The name. */
  name: string
  /** The slug, the name used in addresses; made from the name when absent. */
  slug: string
  /** The description, as HTML. */
  description: string
  /** The id of the category above this one; 0 for none. */
  parent: number
  /** How many published events have it. */
  count: number
  /** Its page. */
  url: string
  /** Where to read it. */
  urls: {
    /** The term itself. */
    self: string
    /** The list that it is in. */
    collection: string
    /** The category above it. */
    up?: string
  }
}

/** A tag. */
export interface Tag {
  /** Its number. */
  id: number
  /** The name. */
  name: string
  /** The slug, the name used in addresses; made from the name when absent. */
  slug: string
  /** The description, as HTML. */
  description: string
  /** How many published events have it. */
  count: number
  /** Its page. */
  url: string
  /** Where to read it. */
  urls: {
    /** The term itself. */
    self: string
    /** The list that it is in. */
    collection: string
    /** The category above it. */
    up?: string
  }
}

/** A tag of an event. */
export interface EventTag {
  /** Its number. */
  id: number
  /** The name. */
  name: string
  /** The slug, the name used in addresses; made from the name when absent. */
  slug: string
  /** The description, as HTML. */
  description: string
  /** Tags have no tree: always 0. */
  parent: 0
  /** How many published events have it. */
  count: number
  /** Its page. */
  url: string
  /** Where to read it. */
  urls: {
    /** The term itself. */
    self: string
    /** The list that it is in. */
    collection: string
    /** The category above it. */
    up?: string
  }
}

/** An image. */
export interface Image {
  /** Where the file is. */
  url: string
  /** In pixels. */
  width: number
  /** In pixels. */
  height: number
  /** In bytes. */
  filesize: number
  /** Its number. */
  id: number
  /** What the image shows, for those who do not see it. */
  alt: string
  /** What the name of the file ends in. */
  extension: string
  /** Smaller renderings by name: thumbnail, medium and large, those that are smaller than the image. */
  sizes: {
    [key: string]: {
      /** Where the file is. */
      url: string
      /** In pixels. */
      width: number
      /** In pixels. */
      height: number
      /** In bytes. */
      filesize: number
      /** The type of the file. */
      'mime-type': string
    }
  }
}

/** What admits to an event; its dates are by the event's clock. */
export interface Ticket {
  /** Its number. */
  id: number
  /** The name of the ticket. */
  name: string
  /** The price, as a decimal number. */
  price: string | null
  /** The currency of the price, as a three-letter code. */
  currency: string | null
  /** Where the ticket is sold. */
  url: string | null
  /** How many there are. */
  capacity: number | null
  /** When the sale begins. */
  available_from: string | null
  /** When the sale ends. */
  available_until: string | null
}

/** Recurrence of an event. */
export interface Recurrence {
  /** Id of the first event of the series. */
  series: number
  /** Start by the rule, in the time zone of the event. */
  original_start_date: string
  /** Whether this event differs from its series. */
  changed: boolean
  /** Rule of iCalendar; null if there are only dates. */
  rule: string | null
  /** The rule in words. */
  text: string
  /** Number of all events of the series; null if it never ends. */
  count: number | null
  /** Further starts. Only in the single response of the first event. */
  dates?: Array<string>
  /** Starts that are left out. Only in the single response of the first event. */
  except?: Array<string>
}

/** A page of a list. */
export interface EventList {
  /** The records of this page. */
  events: Array<Event>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** The place after this page, for `cursor`; absent at the end. */
  next_cursor?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A page of a list. */
export interface VenueList {
  /** The records of this page. */
  venues: Array<Venue>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** The place after this page, for `cursor`; absent at the end. */
  next_cursor?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A page of a list. */
export interface OrganizerList {
  /** The records of this page. */
  organizers: Array<Organizer>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** The place after this page, for `cursor`; absent at the end. */
  next_cursor?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A page of a list. */
export interface CategoryList {
  /** The records of this page. */
  categories: Array<Category>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** The place after this page, for `cursor`; absent at the end. */
  next_cursor?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A page of a list. */
export interface TagList {
  /** The records of this page. */
  tags: Array<Tag>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** The place after this page, for `cursor`; absent at the end. */
  next_cursor?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A page of a list. */
export interface ImageList {
  /** The records of this page. */
  images: Array<Image>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** What became of an import. */
export interface ImportReport {
  /** How many events were created. */
  created: number
  /** How many events were changed. */
  updated: number
  /** How many events were as they are here already. */
  unchanged: number
  /** How many events were moved to the trash, as they were cancelled or are no longer part of their series. */
  removed: number
  /** How many entries were not taken. */
  skipped: number
  /** What was skipped and why, and what else is worth knowing: the first thousand of them. */
  notes: Array<{
    /** The line of the file where the entry begins; 0 where there is none. */
    line: number
    /** What the source calls the entry. */
    uid: string
    /** What there is to know, in words. */
    message: string
  }>
}

/** What has changed for the reader. */
export interface Changes {
  /** Each record once, oldest change first. */
  changes: Array<{
    /** The kind of record. */
    type: 'event' | 'venue' | 'organizer' | 'category' | 'tag'
    /** Its number. */
    id: number
    /** `removed` if the reader no longer sees it. */
    action: 'changed' | 'removed'
    /** When the record was last changed, or removed, in UTC. */
    modified_utc: string
    /** The record as it is now, if asked for. */
    record?: Event | Venue | Organizer | Category | Tag
  }>
  /** The token for the next request. It is valid for 90 days. */
  next: string
  /** Whether there are more changes: ask again at once. */
  more: boolean
}

/** One change. */
export interface AuditEntry {
  /** Its number. */
  id: number
  /** When, in UTC. */
  date_utc: string
  /** Who; null if nobody was signed in. */
  user: {
    /** Its number. */
    id: number
    /** Name of the user at that time. */
    name: string
  } | null
  /** How: `rest`, `screen`, `command`, `import` or `job`. */
  way: 'rest' | 'screen' | 'command' | 'import' | 'job'
  /** What was done with the record. */
  action: 'created' | 'changed' | 'removed'
  /** The changed fields before, in the form of a request; null for a new record. `(secret)` stands for a secret. */
  before: {
    [key: string]: unknown
  } | null
  /** The same fields after; null for a record that was removed. */
  after: {
    [key: string]: unknown
  } | null
  /** Address that the request came from; null without a request. */
  address: string | null
  /** The record. */
  record: {
    /** Its kind. */
    type: 'event' | 'venue' | 'organizer' | 'category' | 'tag' | 'series' | 'image' | 'user' | 'token' | 'webhook' | 'feed' | 'setting'
    /** Its id; 0 for the settings. */
    id: number
    /** Its name at that time. */
    title: string
  }
}

/** A page of a list. */
export interface AuditList {
  /** The records of this page. */
  audit: Array<AuditEntry>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** The place after this page, for `cursor`; absent at the end. */
  next_cursor?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A list of versions. */
export interface Versions {
  /** The versions, newest first. */
  versions: Array<{
    /** Number of the version. 0 is the record before the oldest change that is known. */
    version: number
    /** When it began, in UTC; null for version 0. */
    date_utc: string | null
    /** Who; null if nobody was signed in. */
    user: {
      /** Its number. */
      id: number
      /** Name of the user at that time. */
      name: string
    } | null
    /** How: `rest`, `screen`, `command`, `import` or `job`. */
    way: 'rest' | 'screen' | 'command' | 'import' | 'job' | null
    /** What was done with the record. */
    action: 'created' | 'changed' | 'removed' | null
    /** The changed fields before, in the form of a request; null for a new record. `(secret)` stands for a secret. */
    before: {
      [key: string]: unknown
    } | null
    /** The same fields after; null for a record that was removed. */
    after: {
      [key: string]: unknown
    } | null
  }>
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A record at a version. */
export interface Version {
  /** Number of the version. 0 is the record before the oldest change that is known. */
  version: number
  /** When it began, in UTC; null for version 0. */
  date_utc: string | null
  /** Who; null if nobody was signed in. */
  user: {
    /** Its number. */
    id: number
    /** Name of the user at that time. */
    name: string
  } | null
  /** How: `rest`, `screen`, `command`, `import` or `job`. */
  way: 'rest' | 'screen' | 'command' | 'import' | 'job' | null
  /** The fields as they were, in the form of a request. */
  fields: {
    [key: string]: unknown
  }
  /** The fields that differ, as they are now. */
  now: {
    [key: string]: unknown
  }
  /** Names of fields that cannot be brought back, or not wholly: what they name is gone, or secret. */
  not_restorable: Array<string>
}

/** The answers to the requests of a batch. */
export interface Batch {
  /** Whether a request of an atomic batch was refused, so that nothing was written. */
  rolled_back: boolean
  /** One answer for each request, in the same order. */
  responses: Array<{
    /** The HTTP status. */
    status: number
    /** The body, as of a single request. */
    body: {
      [key: string]: unknown
    }
  }>
}

/** A webhook. */
export interface Webhook {
  /** Its number. */
  id: number
  /** The address that requests are sent to. */
  url: string
  /** What it is told of, such as `event.published`; `*` for everything. */
  events: Array<'*' | 'event.created' | 'event.updated' | 'event.removed' | 'event.published' | 'event.unpublished' | 'venue.created' | 'venue.updated' | 'venue.removed' | 'venue.published' | 'venue.unpublished' | 'organizer.created' | 'organizer.updated' | 'organizer.removed' | 'organizer.published' | 'organizer.unpublished' | 'category.created' | 'category.updated' | 'category.removed' | 'category.published' | 'category.unpublished' | 'tag.created' | 'tag.updated' | 'tag.removed' | 'tag.published' | 'tag.unpublished'>
  /** Whether anything is sent. */
  active: boolean
  /** A note for administrators. */
  description: string
  /** With `full`, requests contain the record; with `thin`, its type and id. */
  payload: 'thin' | 'full'
  /** When it was created, in UTC. */
  created_utc: string
}

/** A page of a list. */
export interface WebhookList {
  /** The records of this page. */
  webhooks: Array<Webhook>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A webhook with its new secret. */
export interface NewWebhook {
  /** Its number. */
  id: number
  /** The address that requests are sent to. */
  url: string
  /** What it is told of, such as `event.published`; `*` for everything. */
  events: Array<'*' | 'event.created' | 'event.updated' | 'event.removed' | 'event.published' | 'event.unpublished' | 'venue.created' | 'venue.updated' | 'venue.removed' | 'venue.published' | 'venue.unpublished' | 'organizer.created' | 'organizer.updated' | 'organizer.removed' | 'organizer.published' | 'organizer.unpublished' | 'category.created' | 'category.updated' | 'category.removed' | 'category.published' | 'category.unpublished' | 'tag.created' | 'tag.updated' | 'tag.removed' | 'tag.published' | 'tag.unpublished'>
  /** Whether anything is sent. */
  active: boolean
  /** A note for administrators. */
  description: string
  /** With `full`, requests contain the record; with `thin`, its type and id. */
  payload: 'thin' | 'full'
  /** When it was created, in UTC. */
  created_utc: string
  /** Signs requests, as in Standard Webhooks. It is shown once. */
  secret: string
}

/** A message to a webhook. */
export interface Delivery {
  /** The id that the request has as `webhook-id`. */
  id: string
  /** What happened, such as `event.published`. */
  type: string
  /** Whether it was delivered, waits, or has failed for good. */
  status: 'pending' | 'delivered' | 'failed'
  /** How often it was sent. */
  attempts: number
  /** The record that it tells of. */
  data: {
    /** The kind of record. */
    type: 'event' | 'venue' | 'organizer' | 'category' | 'tag'
    /** Its number. */
    id: number
  }
  /** When the change was made, in UTC. */
  created_utc: string
  /** When it is sent next, in UTC; null if it is not. */
  next_attempt_utc: string | null
  /** When it was delivered or given up, in UTC. */
  ended_utc: string | null
  /** The status of the last answer. */
  response_status: number | null
  /** Why the last attempt failed. */
  error: string | null
}

/** A page of deliveries. */
export interface Deliveries {
  /** Deliveries, newest first. */
  deliveries: Array<Delivery>
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** One's own account. */
export interface OwnAccount {
  /** Its number. */
  id: number
  /** The name to sign in with. */
  name: string
  /** The e-mail address, with which one can sign in as well. */
  email: string
  /** What the user may do. */
  role: 'subscriber' | 'contributor' | 'author' | 'editor' | 'administrator'
}

/** A user. */
export interface User {
  /** Its number. */
  id: number
  /** The name to sign in with. */
  name: string
  /** The e-mail address, with which one can sign in as well. */
  email: string
  /** What the user may do. */
  role: 'subscriber' | 'contributor' | 'author' | 'editor' | 'administrator'
  /** Whether the user is kept from signing in. */
  disabled: boolean
  /** Whether the user has set a password yet. */
  has_password: boolean
}

/** A page of a list. */
export interface UserList {
  /** The records of this page. */
  users: Array<User>
  /** This page. */
  rest_url: string
  /** The next page; absent on the last. */
  next_rest_url?: string
  /** The previous page; absent on the first. */
  previous_rest_url?: string
  /** How many there are on all pages. */
  total: number
  /** How many pages there are. */
  total_pages: number
}

/** A user who was invited. */
export interface Invitation {
  /** Its number. */
  id: number
  /** The name to sign in with. */
  name: string
  /** The e-mail address, with which one can sign in as well. */
  email: string
  /** What the user may do. */
  role: 'subscriber' | 'contributor' | 'author' | 'editor' | 'administrator'
  /** Whether the user is kept from signing in. */
  disabled: boolean
  /** Whether the user has set a password yet. */
  has_password: boolean
  /** The link to set a password, for seven days and once. */
  invitation_url: string
}

/** A token, without its secret. */
export interface Token {
  /** Its number. */
  id: number
  /** Where the token is used. */
  token_name: string
  /** When it was created, in UTC. */
  created_utc: string
  /** When it stops working, in UTC; null for never. */
  expires_utc: string | null
  /** When it was last used, in UTC; null for never. */
  used_utc: string | null
}

/** One's own tokens. */
export interface Tokens {
  /** The tokens, the oldest first. */
  tokens: Array<Token>
}

/** A token that was created. */
export interface NewToken {
  /** Its number. */
  id: number
  /** Where the token is used. */
  token_name: string
  /** When it was created, in UTC. */
  created_utc: string
  /** When it stops working, in UTC; null for never. */
  expires_utc: string | null
  /** When it was last used, in UTC; null for never. */
  used_utc: string | null
  /** The token itself, shown only this once. */
  token: string
}

/** What the interface offers. */
export interface Index {
  /** The namespace. */
  namespace: string
  /** Every path, with its methods and their arguments. */
  routes: {
    [key: string]: unknown
  }
}

/** An OpenAPI document. */
export interface Document {
  [key: string]: unknown
}

/** A request that failed. */
export interface Error {
  /** What went wrong, for programs. */
  code: string
  /** What went wrong, for people. */
  message: string
  /** More about it. */
  data: {
    /** The HTTP status again. */
    status: number
    /** The refused parameters, each with the reason; or the names of the missing ones. */
    params?: Array<string> | {
      [key: string]: string
    }
    /** What is wrong with others, where some are missing. */
    invalid_params?: {
      [key: string]: string
    }
    /** The number under which the failure is in the log. */
    request_id?: string
    /** The term that has this name already. */
    term_id?: number
  }
}

/** An error as problem details (RFC 9457). */
export interface Problem {
  /** Always about:blank. */
  type: string
  /** The name of the status. */
  title: string
  /** The HTTP status again. */
  status: number
  /** What went wrong, for people. */
  detail: string
  /** What went wrong, for programs. */
  code: string
  /** The reason for each refused or missing parameter. */
  params: {
    [key: string]: string
  }
  /** The number under which the failure is in the log. */
  request_id?: string
  /** The term that has this name already. */
  term_id?: number
}

export interface EventInput {
  /** The title of the event. */
  title: string
  /** When the event starts, in its own time zone unless an offset is given. */
  start_date: string
  /** When the event ends, in its own time zone unless an offset is given. */
  end_date: string
  /** The id of the user who is the author. */
  author?: number | null
  /** The date of publication, in the site's time zone. */
  date?: string | null
  /** The date of publication, in UTC; it wins over date. */
  date_utc?: string | null
  /** The description, as HTML or plain text. */
  description?: string | null
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug?: string | null
  /** The status: publish, future, draft, pending, private or trash. */
  status?: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash' | null
  /** The image: the id of one, or an address to fetch one from. */
  image?: number | string | false | {
    id: number | string
    [key: string]: unknown
  } | null
  /** A short summary, as HTML or plain text. */
  excerpt?: string | null
  /** The time zone: an IANA name or an offset such as UTC+5.5. */
  timezone?: string | null
  /** Whether the event lasts the whole day. */
  all_day?: boolean | null
  /** What it costs, as free text. */
  cost?: string | null
  /** The cost as it was written. `cost` shows it in its usual form. If both are sent, this one counts. */
  cost_text?: string | null
  /** The address of the event's website. */
  website?: string | null
  /** Whether to show a map. */
  show_map?: boolean | null
  /** Whether to show a link to a map. */
  show_map_link?: boolean | null
  /** Whether to leave the event out of lists. */
  hide_from_listings?: boolean | null
  /** Whether the event comes first in calendar views. */
  sticky?: boolean | null
  /** Whether the event is featured. */
  featured?: boolean | null
  /** Whether the event takes place online. */
  is_virtual?: boolean | null
  /** The categories, by id or name. */
  categories?: Array<number | string | {
    id: number | string
    [key: string]: unknown
  } | null | ''> | number | string | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The tags, by id or name. */
  tags?: Array<number | string | {
    id: number | string
    [key: string]: unknown
  } | null | ''> | number | string | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The venues: ids, or data of new ones. */
  venue?: number | false | {
    [key: string]: unknown
  } | string | Array<number | false | {
    [key: string]: unknown
  } | string | null | ''> | null
  /** The organizers: ids, or data of new ones. */
  organizer?: number | false | {
    [key: string]: unknown
  } | string | Array<number | false | {
    [key: string]: unknown
  } | string | null | ''> | null
  /** The id of the event that this one is part of; 0 for none. */
  parent?: number | null
  /** When the event takes place again: an iCalendar rule such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`, or an object of `rule`, `dates` and `except`. */
  recurrence?: {
    rule?: string | null
    dates?: Array<string>
    except?: Array<string>
    [key: string]: unknown
  } | null
  /** The tickets. */
  tickets?: Array<{
    id?: number | string | null
    name: string
    price?: string | number | null
    currency?: string | null
    url?: string | null
    capacity?: number | string | null
    available_from?: string | number | null
    available_until?: string | number | null
  }> | null
  /** The password that protects the event. */
  password?: string | null
  /** How far a write reaches in a series: `this` event, this one and the `following`, or `all`. */
  scope?: 'this' | 'following' | 'all' | null
  /** If true, nothing is written: the response says which events would be created, changed and removed. */
  dry_run?: boolean | null
}

export interface EventUpdate {
  /** The title of the event. */
  title?: string | null
  /** When the event starts, in its own time zone unless an offset is given. */
  start_date?: string | null
  /** When the event ends, in its own time zone unless an offset is given. */
  end_date?: string | null
  /** The id of the user who is the author. */
  author?: number | null
  /** The date of publication, in the site's time zone. */
  date?: string | null
  /** The date of publication, in UTC; it wins over date. */
  date_utc?: string | null
  /** The description, as HTML or plain text. */
  description?: string | null
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug?: string | null
  /** The status: publish, future, draft, pending, private or trash. */
  status?: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash' | null
  /** The image: the id of one, or an address to fetch one from. */
  image?: number | string | false | {
    id: number | string
    [key: string]: unknown
  } | null
  /** A short summary, as HTML or plain text. */
  excerpt?: string | null
  /** The time zone: an IANA name or an offset such as UTC+5.5. */
  timezone?: string | null
  /** Whether the event lasts the whole day. */
  all_day?: boolean | null
  /** What it costs, as free text. */
  cost?: string | null
  /** The cost as it was written. `cost` shows it in its usual form. If both are sent, this one counts. */
  cost_text?: string | null
  /** The address of the event's website. */
  website?: string | null
  /** Whether to show a map. */
  show_map?: boolean | null
  /** Whether to show a link to a map. */
  show_map_link?: boolean | null
  /** Whether to leave the event out of lists. */
  hide_from_listings?: boolean | null
  /** Whether the event comes first in calendar views. */
  sticky?: boolean | null
  /** Whether the event is featured. */
  featured?: boolean | null
  /** Whether the event takes place online. */
  is_virtual?: boolean | null
  /** The categories, by id or name. */
  categories?: Array<number | string | {
    id: number | string
    [key: string]: unknown
  } | null | ''> | number | string | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The tags, by id or name. */
  tags?: Array<number | string | {
    id: number | string
    [key: string]: unknown
  } | null | ''> | number | string | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The venues: ids, or data of new ones. */
  venue?: number | false | {
    [key: string]: unknown
  } | string | Array<number | false | {
    [key: string]: unknown
  } | string | null | ''> | null
  /** The organizers: ids, or data of new ones. */
  organizer?: number | false | {
    [key: string]: unknown
  } | string | Array<number | false | {
    [key: string]: unknown
  } | string | null | ''> | null
  /** The id of the event that this one is part of; 0 for none. */
  parent?: number | null
  /** When the event takes place again: an iCalendar rule such as `FREQ=WEEKLY;BYDAY=TU;COUNT=10`, or an object of `rule`, `dates` and `except`. */
  recurrence?: {
    rule?: string | null
    dates?: Array<string>
    except?: Array<string>
    [key: string]: unknown
  } | null
  /** The tickets. */
  tickets?: Array<{
    id?: number | string | null
    name: string
    price?: string | number | null
    currency?: string | null
    url?: string | null
    capacity?: number | string | null
    available_from?: string | number | null
    available_until?: string | number | null
  }> | null
  /** The password that protects the event. */
  password?: string | null
  /** How far a write reaches in a series: `this` event, this one and the `following`, or `all`. */
  scope?: 'this' | 'following' | 'all' | null
  /** If true, nothing is written: the response says which events would be created, changed and removed. */
  dry_run?: boolean | null
}

export interface VenueInput {
  /** The name of the venue. */
  venue: string
  /** The id of the user who is the author. */
  author?: number | null
  /** The date of publication, in the site's time zone. */
  date?: string | null
  /** The date of publication, in UTC; it wins over date. */
  date_utc?: string | null
  /** The description, as HTML or plain text. */
  description?: string | null
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug?: string | null
  /** The status: publish, future, draft, pending, private or trash. */
  status?: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash' | null
  /** The image: the id of one, or an address to fetch one from. */
  image?: number | string | false | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The street address. */
  address?: string | null
  /** The city. */
  city?: string | null
  /** The country. */
  country?: string | null
  /** The province, outside the United States. */
  province?: string | null
  /** The state, in the United States. */
  state?: string | null
  /** The state or province. */
  stateprovince?: string | null
  /** The postal code. */
  zip?: string | null
  /** The telephone number. */
  phone?: string | null
  /** The address of the venue's website. */
  website?: string | null
  /** The latitude, in degrees. */
  geo_lat?: number | null
  /** The longitude, in degrees. */
  geo_lng?: number | null
  /** Whether to show a map of the venue. */
  show_map?: boolean | null
  /** Whether to show a link to a map of the venue. */
  show_map_link?: boolean | null
}

export interface VenueUpdate {
  /** The name of the venue. */
  venue?: string | null
  /** The id of the user who is the author. */
  author?: number | null
  /** The date of publication, in the site's time zone. */
  date?: string | null
  /** The date of publication, in UTC; it wins over date. */
  date_utc?: string | null
  /** The description, as HTML or plain text. */
  description?: string | null
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug?: string | null
  /** The status: publish, future, draft, pending, private or trash. */
  status?: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash' | null
  /** The image: the id of one, or an address to fetch one from. */
  image?: number | string | false | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The street address. */
  address?: string | null
  /** The city. */
  city?: string | null
  /** The country. */
  country?: string | null
  /** The province, outside the United States. */
  province?: string | null
  /** The state, in the United States. */
  state?: string | null
  /** The state or province. */
  stateprovince?: string | null
  /** The postal code. */
  zip?: string | null
  /** The telephone number. */
  phone?: string | null
  /** The address of the venue's website. */
  website?: string | null
  /** The latitude, in degrees. */
  geo_lat?: number | null
  /** The longitude, in degrees. */
  geo_lng?: number | null
  /** Whether to show a map of the venue. */
  show_map?: boolean | null
  /** Whether to show a link to a map of the venue. */
  show_map_link?: boolean | null
}

export interface OrganizerInput {
  /** The name of the organizer. */
  organizer: string
  /** The id of the user who is the author. */
  author?: number | null
  /** The date of publication, in the site's time zone. */
  date?: string | null
  /** The date of publication, in UTC; it wins over date. */
  date_utc?: string | null
  /** The description, as HTML or plain text. */
  description?: string | null
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug?: string | null
  /** The status: publish, future, draft, pending, private or trash. */
  status?: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash' | null
  /** The image: the id of one, or an address to fetch one from. */
  image?: number | string | false | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The telephone number. */
  phone?: string | null
  /** The address of the organizer's website. */
  website?: string | null
  /** The e-mail address. */
  email?: string | null
}

export interface OrganizerUpdate {
  /** The name of the organizer. */
  organizer?: string | null
  /** The id of the user who is the author. */
  author?: number | null
  /** The date of publication, in the site's time zone. */
  date?: string | null
  /** The date of publication, in UTC; it wins over date. */
  date_utc?: string | null
  /** The description, as HTML or plain text. */
  description?: string | null
  /** The slug, the record's name in addresses; made from the title when absent. */
  slug?: string | null
  /** The status: publish, future, draft, pending, private or trash. */
  status?: 'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash' | null
  /** The image: the id of one, or an address to fetch one from. */
  image?: number | string | false | {
    id: number | string
    [key: string]: unknown
  } | null
  /** The telephone number. */
  phone?: string | null
  /** The address of the organizer's website. */
  website?: string | null
  /** The e-mail address. */
  email?: string | null
}

export interface ImageUpdate {
  /** What the image shows, for those who do not see it. */
  alt?: string | null
}

export interface CategoryInput {
  /** The name. */
  name: string
  /** The description, as HTML. */
  description?: string | null
  /** The slug, the name used in addresses; made from the name when absent. */
  slug?: string | null
  /** The id of the category above this one; 0 for none. */
  parent?: number | null
}

export interface CategoryUpdate {
  /** The name. */
  name?: string | null
  /** The description, as HTML. */
  description?: string | null
  /** The slug, the name used in addresses; made from the name when absent. */
  slug?: string | null
  /** The id of the category above this one; 0 for none. */
  parent?: number | null
}

export interface TagInput {
  /** The name. */
  name: string
  /** The description, as HTML. */
  description?: string | null
  /** The slug, the name used in addresses; made from the name when absent. */
  slug?: string | null
}

export interface TagUpdate {
  /** The name. */
  name?: string | null
  /** The description, as HTML. */
  description?: string | null
  /** The slug, the name used in addresses; made from the name when absent. */
  slug?: string | null
}

export interface WebhookInput {
  /** The address that requests are sent to. */
  url: string
  /** What it is told of, such as `event.published`; `*` for everything. */
  events?: Array<'*' | 'event.created' | 'event.updated' | 'event.removed' | 'event.published' | 'event.unpublished' | 'venue.created' | 'venue.updated' | 'venue.removed' | 'venue.published' | 'venue.unpublished' | 'organizer.created' | 'organizer.updated' | 'organizer.removed' | 'organizer.published' | 'organizer.unpublished' | 'category.created' | 'category.updated' | 'category.removed' | 'category.published' | 'category.unpublished' | 'tag.created' | 'tag.updated' | 'tag.removed' | 'tag.published' | 'tag.unpublished'> | null
  /** Whether anything is sent. */
  active?: boolean | null
  /** A note for administrators. */
  description?: string | null
  /** With `full`, requests contain the record; with `thin`, its type and id. */
  payload?: 'thin' | 'full' | null
}

export interface WebhookUpdate {
  /** The address that requests are sent to. */
  url?: string | null
  /** What it is told of, such as `event.published`; `*` for everything. */
  events?: Array<'*' | 'event.created' | 'event.updated' | 'event.removed' | 'event.published' | 'event.unpublished' | 'venue.created' | 'venue.updated' | 'venue.removed' | 'venue.published' | 'venue.unpublished' | 'organizer.created' | 'organizer.updated' | 'organizer.removed' | 'organizer.published' | 'organizer.unpublished' | 'category.created' | 'category.updated' | 'category.removed' | 'category.published' | 'category.unpublished' | 'tag.created' | 'tag.updated' | 'tag.removed' | 'tag.published' | 'tag.unpublished'> | null
  /** Whether anything is sent. */
  active?: boolean | null
  /** A note for administrators. */
  description?: string | null
  /** With `full`, requests contain the record; with `thin`, its type and id. */
  payload?: 'thin' | 'full' | null
}

export interface EventImport {
  /** The address of a calendar or a table, in place of the file itself. */
  url?: string | null
  /** Report what would happen, and change nothing. */
  dry_run?: boolean | null
  /** Which comes first in dates such as 03/04/2031: day-first or month-first. By default the table shows it. */
  dates?: 'day-first' | 'month-first' | null
}

export interface BatchInput {
  /** Up to 100 requests, done in order. Each has a `method`, a `path` below the namespace and a `body`. */
  requests: Array<{
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    path: string
    body?: {
      [key: string]: unknown
    }
  }>
  /** Whether nothing is written if one of them is refused. */
  atomic?: boolean | null
}

export interface UserInput {
  /** The name to sign in with. */
  name: string
  /** The e-mail address, with which one can sign in as well. */
  email: string
  /** What the user may do. */
  role: 'subscriber' | 'contributor' | 'author' | 'editor' | 'administrator'
}

export interface UserUpdate {
  /** The name to sign in with. */
  name?: string | null
  /** The e-mail address, with which one can sign in as well. */
  email?: string | null
  /** What the user may do. */
  role?: 'subscriber' | 'contributor' | 'author' | 'editor' | 'administrator' | null
  /** Whether the user is kept from signing in. */
  disabled?: boolean | null
}

export interface TokenInput {
  /** Where the token is used. */
  token_name?: string | null
  /** How long it works, such as 12h, 90d or 8w; without it, until revoked. */
  expires?: string | null
}

/** What a list of events may be asked for. */
export interface EventListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** Continues a list: the `next_cursor` of its last response. It replaces `page`, and stays right while others write. */
  cursor?: string
  /** Only records that were changed after this time. */
  modified_after?: string
  /** Only records that were last changed before this time. */
  modified_before?: string
  /** Refuses parameters that this list does not know, by name. Without it they are ignored. */
  strict?: boolean
  /** Only events that start at or after this date. */
  start_date?: string
  /** Only events that end at or before this date. */
  end_date?: string
  /** Only events that start before this date. */
  starts_before?: string
  /** Only events that start after this date. */
  starts_after?: string
  /** Only events that end before this date. */
  ends_before?: string
  /** Only events that end after this date. */
  ends_after?: string
  /** Whether dates are used at their exact times instead of as whole days. */
  strict_dates?: boolean
  /** Whether events that began before start_date and are still on then are included. */
  include_running?: boolean
  /** Only events whose title or description contains this text. */
  search?: string
  /** How `search` is read: `text` finds the text as it is written, in titles and descriptions; `words` finds all words, in any order, also in excerpts and in the names of venues, cities, organizers, categories and tags, whatever their accents, by their beginnings, and lists those with all words in the title first. */
  search_mode?: 'text' | 'words'
  /** Only the events with this slug, or with one of several, comma-separated; whatever their dates. */
  slug?: string
  /** Only events with exactly this title, whatever their dates. */
  title?: string
  /** Only events with one of these categories, or of those below them, by id, slug or name. */
  categories?: Array<string>
  /** Only events with one of these tags, by id, slug or name. */
  tags?: Array<string>
  /** Only events at one of the venues with these ids. */
  venue?: Array<number>
  /** Only events of one of the organizers with these ids. */
  organizer?: Array<number>
  /** Only events that are featured (true) or are not (false). */
  featured?: boolean
  /** Only events that take place online (true) or do not (false). */
  is_virtual?: boolean
  /** Only events with this status, or one of these, comma-separated. */
  status?: Array<'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash'>
  /** Only the events with these ids, whatever their dates. */
  include?: Array<number>
  /** Leaves out the events with these ids. */
  exclude?: Array<number>
  /** Only events of the users with these ids. */
  author?: Array<number>
  /** What the list is sorted by: the start unless given. With a place it is the distance. */
  orderby?: 'start_date' | 'modified' | 'title' | 'id'
  /** Ascending or descending, in any case. */
  order?: 'asc' | 'desc'
  /** Only the events that are part of the event with this id. */
  post_parent?: number
  /** Only the events of this series. The default range of dates does not apply. */
  series?: number
  /** With `series`, only the first matching event of each series. */
  collapse?: 'series'
  /** Only events with tickets (true) or without (false). */
  ticketed?: boolean
  /** Only events that are free: amounts are known from the cost or the tickets, and all are 0. */
  free?: boolean
  /** Only events with a category or tag for families, as the site names them. */
  family?: boolean
  /** Only events that begin today from 17:00 on (`tonight`), or on this Saturday or Sunday (`weekend`), by the clock of the site. */
  when?: 'tonight' | 'weekend'
  /** Only events at a venue with coordinates (true) or at none (false). */
  geoloc?: boolean
  /** The latitude of a place to search near; needs geoloc_lng. */
  geoloc_lat?: number
  /** The longitude of a place to search near; needs geoloc_lat. */
  geoloc_lng?: number
  /** How near, in kilometres; 40 when absent. */
  geoloc_radius?: number
}

/** What a list of venues may be asked for. */
export interface VenueListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** Continues a list: the `next_cursor` of its last response. It replaces `page`, and stays right while others write. */
  cursor?: string
  /** Only records that were changed after this time. */
  modified_after?: string
  /** Only records that were last changed before this time. */
  modified_before?: string
  /** Refuses parameters that this list does not know, by name. Without it they are ignored. */
  strict?: boolean
  /** Only records whose name, description or details contain this text. */
  search?: string
  /** Only the records with this slug, or with one of several, comma-separated. */
  slug?: string
  /** Only records with exactly this name. */
  title?: string
  /** Only records that are linked to the event with this id. */
  event?: number
  /** Only records that have events (true) or have none (false). */
  has_events?: boolean
  /** Only records that have an event whose end is still to come. */
  only_with_upcoming?: boolean
  /** Only records with this status, or one of these, comma-separated. */
  status?: Array<'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash'>
}

/** What a list of organizers may be asked for. */
export interface OrganizerListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** Continues a list: the `next_cursor` of its last response. It replaces `page`, and stays right while others write. */
  cursor?: string
  /** Only records that were changed after this time. */
  modified_after?: string
  /** Only records that were last changed before this time. */
  modified_before?: string
  /** Refuses parameters that this list does not know, by name. Without it they are ignored. */
  strict?: boolean
  /** Only records whose name, description or details contain this text. */
  search?: string
  /** Only the records with this slug, or with one of several, comma-separated. */
  slug?: string
  /** Only records with exactly this name. */
  title?: string
  /** Only records that are linked to the event with this id. */
  event?: number
  /** Only records that have events (true) or have none (false). */
  has_events?: boolean
  /** Only records that have an event whose end is still to come. */
  only_with_upcoming?: boolean
  /** Only records with this status, or one of these, comma-separated. */
  status?: Array<'publish' | 'future' | 'draft' | 'pending' | 'private' | 'trash'>
}

/** What a list of images may be asked for. */
export interface ImageListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** Only images whose alternative text, file name or a record that uses them contains this text. */
  search?: string
}

/** What a list of categories may be asked for. */
export interface CategoryListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** Continues a list: the `next_cursor` of its last response. It replaces `page`, and stays right while others write. */
  cursor?: string
  /** Only records that were changed after this time. */
  modified_after?: string
  /** Only records that were last changed before this time. */
  modified_before?: string
  /** Refuses parameters that this list does not know, by name. Without it they are ignored. */
  strict?: boolean
  /** Only terms whose name contains this text. */
  search?: string
  /** Leave out the terms with these ids. */
  exclude?: Array<number>
  /** Only the terms with these ids. */
  include?: Array<number>
  /** The direction of the order: asc or desc. */
  order?: 'asc' | 'desc'
  /** What to order by: id, name, slug, count, description or include. */
  orderby?: 'id' | 'name' | 'slug' | 'count' | 'description' | 'include'
  /** Whether to leave out terms that no published event has. */
  hide_empty?: boolean
  /** Only the terms of the event with this id. */
  post?: number
  /** Another name for post. */
  event?: number
  /** Only the terms with this slug, or with one of several, comma-separated. */
  slug?: string
  /** Only the terms with exactly this name, in upper or lower case. */
  title?: string
  /** Only the categories directly below the one with this id; 0 for the top level. */
  parent?: number
}

/** What a list of tags may be asked for. */
export interface TagListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** Continues a list: the `next_cursor` of its last response. It replaces `page`, and stays right while others write. */
  cursor?: string
  /** Only records that were changed after this time. */
  modified_after?: string
  /** Only records that were last changed before this time. */
  modified_before?: string
  /** Refuses parameters that this list does not know, by name. Without it they are ignored. */
  strict?: boolean
  /** Only terms whose name contains this text. */
  search?: string
  /** Leave out the terms with these ids. */
  exclude?: Array<number>
  /** Only the terms with these ids. */
  include?: Array<number>
  /** The direction of the order: asc or desc. */
  order?: 'asc' | 'desc'
  /** What to order by: id, name, slug, count, description or include. */
  orderby?: 'id' | 'name' | 'slug' | 'count' | 'description' | 'include'
  /** Whether to leave out terms that no published event has. */
  hide_empty?: boolean
  /** Only the terms of the event with this id. */
  post?: number
  /** Another name for post. */
  event?: number
  /** Only the terms with this slug, or with one of several, comma-separated. */
  slug?: string
  /** Only the terms with exactly this name, in upper or lower case. */
  title?: string
}

/** What a list of changes may be asked for. */
export interface ChangeListParameters {
  /** The `next` of the last response. Without it, everything there is. */
  since?: string
  /** Only these kinds of records, comma-separated. */
  types?: Array<'event' | 'venue' | 'organizer' | 'category' | 'tag'>
  /** How many changes a response holds. The site sets the most, 50 by default. */
  per_page?: number
  /** With `record`, the records as they are now. */
  include?: Array<'record'>
}

/** What a list of audit may be asked for. */
export interface AuditListParameters {
  /** Only one kind of record, such as `event`, or one record, such as `event:12`. */
  record?: string
  /** Only changes by the user with this name. */
  user?: string
  /** Only changes made in this way. */
  way?: 'rest' | 'screen' | 'command' | 'import' | 'job'
  /** Only records that were created, changed or removed. */
  action?: 'created' | 'changed' | 'removed'
  /** Only changes at this time or later. */
  after?: string
  /** Only changes at this time or earlier. */
  before?: string
  /** Page of the list. */
  page?: number
  /** How many changes a page holds. The site sets the most, 50 by default. */
  per_page?: number
  /** The `next_cursor` of the last response: the list goes on there, however long it is. */
  cursor?: string
}

/** What a list of webhooks may be asked for. */
export interface WebhookListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
}

/** What a list of users may be asked for. */
export interface UserListParameters {
  /** The page of the list to return. */
  page?: number
  /** How many records a page holds. The site sets the most, 50 by default. */
  per_page?: number
}
