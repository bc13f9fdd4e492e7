import type { Step } from './steps.ts'

const TABLES = ['event_venues', 'event_organizers', 'event_terms']

/** When an event ends, if public lists show it; else null. */
const shownEnd = (event: string) =>
  `case when ${event}.status = 'publish' and ${event}.hide_from_listings = 0 and ${event}.password_hash is null
    then ${event}.end_local end`

const OF_EVENT = `select start_local, ${shownEnd('events')}`

/** The service gives both with the links of a new event that is shown. */
const IS_MISSING = `new.start_local = '' or new.shown_end is null`

const IS_MOVED = `new.start_local <> old.start_local or ${shownEnd('new')} is distinct from ${shownEnd('old')}`
const MOVED_BY = 'start_local, end_local, status, hide_from_listings, password_hash'

const move = (table: string) =>
  `update "${table}" set start_local = new.start_local, shown_end = ${shownEnd('new')} where event = new.id`

/**
 * Links tell whether public lists show their event, and when it ends, so that such a list is read from an index of links alone.
 * On PostgreSQL this takes an instant: 0032 fills the column, while others read on.
 */
export const steps: readonly Step[] = [
  // First, as others read and write events before their links.
  { sqlite: [], postgres: ['do $$ begin lock table events in share row exclusive mode; end $$'] },
  ...TABLES.map((table) => `alter table "${table}" add column if not exists "shown_end" {text}`),
  {
    sqlite: TABLES.flatMap((table) => [
      `drop trigger if exists "${table}_start_set"`,
      `create trigger "${table}_start_set" after insert on "${table}" when ${IS_MISSING} begin
      update "${table}" set (start_local, shown_end) = (${OF_EVENT} from events where id = new.event)
        where rowid = new.rowid; end`,
      `drop trigger if exists "${table}_start_moved"`,
      `create trigger "${table}_start_moved" after update of ${MOVED_BY} on events when ${IS_MOVED} begin
      ${move(table)}; end`,
    ]),
    postgres: [
      `create or replace function kalends_set_start() returns trigger language plpgsql as
        $$ begin ${OF_EVENT} into new.start_local, new.shown_end from events where id = new.event; return new; end $$`,
      ...TABLES.map(
        (table) => `create or replace trigger "${table}_start_set" before insert on "${table}"
        for each row when (${IS_MISSING}) execute function kalends_set_start()`,
      ),
      `create or replace function kalends_move_starts() returns trigger language plpgsql as
        $$ begin ${TABLES.map(move).join('; ')}; return null; end $$`,
      `create or replace trigger starts_moved after update of ${MOVED_BY} on events
        for each row when (${IS_MOVED}) execute function kalends_move_starts()`,
    ],
  },
]
