import type { Batched, Divided, Step } from './steps.ts'

/** Adds a revision that changes with every update of a row. */
function revision(table: string): Step[] {
  const trigger: Divided = {
    sqlite: [
      `create trigger if not exists "${table}_revised" after update on "${table}" when new.revision = old.revision
        begin update "${table}" set revision = revision + 1 where id = new.id; end`,
    ],
    postgres: [
      `create trigger "${table}_revised" before update on "${table}" for each row execute function kalends_revise()`,
    ],
  }
  return [`alter table "${table}" add column if not exists "revision" {whole} default 1 not null`, trigger]
}

/**
 * Copies the start of events to their links: lists by term, venue or organizer read no event outside their date range.
 */
function startOfLinks(table: string, by: string): Step[] {
  const fill: Batched = {
    table,
    key: 'event',
    statement: `update "${table}" set start_local = (select start_local from events where events.id = "${table}".event)
      where event > {after} and event <= {last}`,
  }
  return [
    `alter table "${table}" add column if not exists "start_local" {text} default '' not null`,
    fill,
    `create index if not exists "${table}_start" on "${table}" ("${by}", "start_local", "event")`,
    `drop index if exists "${table}_${by}"`,
  ]
}

function startTriggers(table: string): string[] {
  return [
    `create trigger if not exists "${table}_start_set" after insert on "${table}" begin
      update "${table}" set start_local = (select start_local from events where id = new.event) where rowid = new.rowid; end`,
    `create trigger if not exists "${table}_start_moved" after update of start_local on events
      when new.start_local <> old.start_local begin
      update "${table}" set start_local = new.start_local where event = new.id; end`,
  ]
}

/** A trigram index of events; 0006 replaces it. */
const TRIGRAMS = [
  `drop trigger if exists event_words_added`,
  `drop trigger if exists event_words_changed`,
  `drop trigger if exists event_words_removed`,
  `drop table if exists event_words`,
  `create virtual table event_words using fts5(search, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
  {
    table: 'events',
    key: 'id',
    statement: `insert into event_words (rowid, search) select id, search from events where id > {after} and id <= {last}`,
  },
  `create trigger event_words_added after insert on events
    begin insert into event_words (rowid, search) values (new.id, new.search); end`,
  `create trigger event_words_changed after update of search on events when new.search <> old.search begin
    delete from event_words where rowid = old.id; insert into event_words (rowid, search) values (new.id, new.search); end`,
  `create trigger event_words_removed after delete on events
    begin delete from event_words where rowid = old.id; end`,
]

/** Data version and revisions for the cache, and indexes for uncached requests. */
export const steps: readonly Step[] = [
  {
    sqlite: [],
    postgres: [
      `create table data_version (share bigint primary key, version bigint not null)`,
      // One row for each part of the data version: see storage/version.ts.
      `insert into data_version select share, 0 from generate_series(0, 31) as share`,
      // Adds a random number: a revision that was lost in a failover never occurs again.
      `create function kalends_revise() returns trigger language plpgsql as
        $$ begin new.revision := old.revision + 1 + floor(random() * 1000000)::bigint; return new; end $$`,
    ],
  },
  ...revision('events'),
  ...revision('venues'),
  ...revision('organizers'),
  ...startOfLinks('event_venues', 'linked'),
  ...startOfLinks('event_organizers', 'linked'),
  ...startOfLinks('event_terms', 'term'),
  {
    sqlite: ['event_venues', 'event_organizers', 'event_terms'].flatMap(startTriggers),
    postgres: [
      `create function kalends_set_start() returns trigger language plpgsql as
        $$ begin select start_local into new.start_local from events where id = new.event; return new; end $$`,
      `create function kalends_move_starts() returns trigger language plpgsql as $$ begin
        update "event_venues" set start_local = new.start_local where event = new.id;
        update "event_organizers" set start_local = new.start_local where event = new.id;
        update "event_terms" set start_local = new.start_local where event = new.id;
        return null; end $$`,
      `create trigger "event_venues_start_set" before insert on "event_venues"
        for each row execute function kalends_set_start()`,
      `create trigger "event_organizers_start_set" before insert on "event_organizers"
        for each row execute function kalends_set_start()`,
      `create trigger "event_terms_start_set" before insert on "event_terms"
        for each row execute function kalends_set_start()`,
      `create trigger starts_moved after update of start_local on events for each row
        when (new.start_local <> old.start_local) execute function kalends_move_starts()`,
    ],
  },
  // Partial index: few events are protected.
  `create index if not exists events_secret on events (id) where password_hash is not null`,
  { sqlite: TRIGRAMS, postgres: [] },
]
