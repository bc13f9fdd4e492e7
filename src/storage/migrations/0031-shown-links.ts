import type { Step } from './steps.ts'

const LINKS = [
  ['event_venues', 'linked'],
  ['event_organizers', 'linked'],
  ['event_terms', 'term'],
] as const

/** When an event ends, if public lists show it; else null. */
function shownEnd(event: string): string {
  return `case when ${event}.status = 'publish' and ${event}.hide_from_listings = 0 and ${event}.password_hash is null
    then ${event}.end_local end`
}

const ofEvent = (table: string) => `select start_local, ${shownEnd('events')} from events where id = ${table}`

/** The service gives both to the links of events that are shown. */
const IS_MISSING = `new.start_local = '' or new.shown_end is null`

const isMoved = `new.start_local <> old.start_local or ${shownEnd('new')} is distinct from ${shownEnd('old')}`

/** Links tell whether public lists show their event, and when it ends: such a list by one link is read from an index of links alone. */
export const steps: readonly Step[] = [
  ...LINKS.flatMap(([table, by]): Step[] => [
    `alter table "${table}" add column if not exists "shown_end" {text}`,
    {
      table,
      key: 'event',
      statement: `update "${table}" set shown_end = (select ${shownEnd('events')} from events where events.id = "${table}".event)
      where event > {after} and event <= {last}`,
    },
    `create index if not exists "${table}_shown" on "${table}" ("${by}", "start_local", "event", "shown_end")`,
    `drop index if exists "${table}_start"`,
  ]),
  {
    sqlite: LINKS.flatMap(([table]) => [
      `drop trigger if exists "${table}_start_set"`,
      `create trigger "${table}_start_set" after insert on "${table}" when ${IS_MISSING} begin
      update "${table}" set (start_local, shown_end) = (${ofEvent('new.event')}) where rowid = new.rowid; end`,
      `drop trigger if exists "${table}_start_moved"`,
      `create trigger "${table}_start_moved"
      after update of start_local, end_local, status, hide_from_listings, password_hash on events when ${isMoved} begin
      update "${table}" set start_local = new.start_local, shown_end = ${shownEnd('new')} where event = new.id; end`,
    ]),
    postgres: [
      `create or replace function kalends_set_start() returns trigger language plpgsql as
        $$ begin select start_local, ${shownEnd('events')} into new.start_local, new.shown_end from events where id = new.event;
        return new; end $$`,
      ...LINKS.flatMap(([table]) => [
        `drop trigger if exists "${table}_start_set" on "${table}"`,
        `create trigger "${table}_start_set" before insert on "${table}"
        for each row when (${IS_MISSING}) execute function kalends_set_start()`,
      ]),
      `create or replace function kalends_move_starts() returns trigger language plpgsql as $$ begin
        ${LINKS.map(
          ([table]) =>
            `update "${table}" set start_local = new.start_local, shown_end = ${shownEnd('new')} where event = new.id;`,
        ).join('\n        ')}
        return null; end $$`,
      'drop trigger if exists starts_moved on events',
      `create trigger starts_moved after update of start_local, end_local, status, hide_from_listings, password_hash on events
        for each row when (${isMoved}) execute function kalends_move_starts()`,
    ],
  },
]
