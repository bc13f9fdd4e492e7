import type { Step } from './steps.ts'

/** What calendars show of events, written in the background: see docs/decisions/month-grid.md. A change of the event removes it. */
export const steps: readonly Step[] = [
  {
    sqlite: [
      `create table if not exists "event_entries" ("event" integer primary key references "events" ("id") on delete cascade,
    "form" integer not null, "entry" text not null)`,
      'drop trigger if exists "event_entries_outdated"',
      `create trigger "event_entries_outdated" after update on "events" when new.revision <> old.revision
    begin delete from "event_entries" where event = new.id; end`,
    ],
    postgres: [],
  },
]
