import type { Step } from './steps.ts'

/** Shared columns of venues, organizers and events. */
const RECORD = `"id" {whole} primary key, "author" {whole} not null references "users" ("id"), "status" {text} not null,
  "trashed_from" {text}, "slug" {text} not null unique, "restore_slug" {text}, "description" {text},
  "date_utc" {whole} not null, "modified_utc" {whole} not null, "image" {whole}, "search" {text} not null`

/** Users, tokens, venues, organizers, terms, and events with their links. */
export const steps: readonly Step[] = [
  {
    sqlite: [
      `create table if not exists sequences (name text primary key, last integer not null)`,
      `insert into sequences (name, last) values ('records', 0), ('terms', 0) on conflict do nothing`,
    ],
    postgres: [`create sequence if not exists "kalends_records"`, `create sequence if not exists "kalends_terms"`],
  },
  `create table if not exists "users" ("id" {identity}, "name" {text} not null, "name_key" {text} not null unique,
    "email" {text} not null, "email_key" {text} not null unique, "role" {text} not null, "password_hash" {text} not null,
    "created_utc" {whole} not null)`,
  `create table if not exists "tokens" ("id" {identity},
    "user" {whole} not null references "users" ("id") on delete cascade, "name" {text} not null,
    "hash" {text} not null unique, "created_utc" {whole} not null)`,
  `create index if not exists "tokens_user" on "tokens" ("user")`,
  `create table if not exists "venues" (${RECORD}, "venue" {text} not null, "address" {text}, "city" {text},
    "country" {text}, "province" {text}, "state" {text}, "stateprovince" {text}, "zip" {text}, "phone" {text},
    "website" {text}, "show_map" {whole} default 0 not null, "show_map_link" {whole} default 0 not null)`,
  `create table if not exists "organizers" (${RECORD}, "organizer" {text} not null, "phone" {text}, "website" {text},
    "email" {text})`,
  `create table if not exists "events" (${RECORD}, "title" {text} not null, "title_search" {text} not null,
    "excerpt" {text}, "timezone" {text} not null, "start_local" {text} not null, "end_local" {text} not null,
    "start_utc" {whole} not null, "end_utc" {whole} not null, "all_day" {whole} default 0 not null, "cost" {text},
    "website" {text}, "show_map" {whole} default 0 not null, "show_map_link" {whole} default 0 not null,
    "hide_from_listings" {whole} default 0 not null, "sticky" {whole} default 0 not null,
    "featured" {whole} default 0 not null, "parent" {whole} references "events" ("id") on delete set null,
    "password_hash" {text})`,
  `create table if not exists "terms" ("id" {whole} primary key, "kind" {text} not null, "name" {text} not null,
    "name_key" {text} not null, "slug" {text} not null, "description" {text}, "parent" {whole} default 0 not null,
    "count" {whole} default 0 not null)`,

  `create table if not exists "event_venues" ("event" {whole} not null references "events" ("id") on delete cascade,
    "linked" {whole} not null references "venues" ("id") on delete cascade, "position" {whole} not null,
    constraint "event_venues_key" primary key ("event", "linked"))`,
  `create index if not exists "event_venues_linked" on "event_venues" ("linked", "event")`,
  `create table if not exists "event_organizers" ("event" {whole} not null references "events" ("id") on delete cascade,
    "linked" {whole} not null references "organizers" ("id") on delete cascade, "position" {whole} not null,
    constraint "event_organizers_key" primary key ("event", "linked"))`,
  `create index if not exists "event_organizers_linked" on "event_organizers" ("linked", "event")`,
  `create table if not exists "event_terms" ("event" {whole} not null references "events" ("id") on delete cascade,
    "term" {whole} not null references "terms" ("id") on delete cascade,
    constraint "event_terms_key" primary key ("event", "term"))`,

  `create index if not exists "venues_newest" on "venues" ("status", "date_utc", "id")`,
  `create index if not exists "venues_name" on "venues" ("venue")`,
  `create index if not exists "venues_author" on "venues" ("author")`,
  `create index if not exists "organizers_newest" on "organizers" ("status", "date_utc", "id")`,
  `create index if not exists "organizers_name" on "organizers" ("organizer")`,
  `create index if not exists "organizers_author" on "organizers" ("author")`,
  `create index if not exists "events_start" on "events" ("start_local", "id")`,
  // Covering indexes for public lists: counted and sorted without reading the rows.
  `create index if not exists "events_listed" on "events"
    ("status", "hide_from_listings", "start_local", "id", "end_local")`,
  `create index if not exists "events_instants" on "events"
    ("status", "hide_from_listings", "start_utc", "end_utc", "start_local", "id")`,
  `create index if not exists "events_scheduled" on "events" ("status", "date_utc")`,
  `create index if not exists "events_author" on "events" ("author")`,
  `create index if not exists "events_parent" on "events" ("parent", "start_local")`,
  `create index if not exists "event_terms_term" on "event_terms" ("term", "event")`,
  `create unique index if not exists "terms_slug" on "terms" ("kind", "slug")`,
  `create index if not exists "terms_sibling" on "terms" ("kind", "parent", "name_key")`,
  `create index if not exists "terms_name" on "terms" ("kind", "name_key", "id")`,
  {
    sqlite: [],
    postgres: [
      `create extension if not exists pg_trgm`,
      `create index if not exists events_search on events using gin (search gin_trgm_ops, title_search gin_trgm_ops)`,
    ],
  },
]
