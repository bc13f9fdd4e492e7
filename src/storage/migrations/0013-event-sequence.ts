import type { Step } from './steps.ts'

/**
 * The number of an event's change in iCalendar, from 0 to 2^31 - 1, as SQL: the functions are those for the larger and the
 * smaller of two values. It was the time of the change, in seconds since 2020: that is where a number which is not stored
 * yet goes on, and what a number is at least, so that none occurs again when a change was lost.
 */
function next(larger: string, smaller: string): string {
  const seconds = (row: string) => `${smaller}(${larger}(${row}.modified_utc, 1577836800), 3725320447) - 1577836800`
  return `${smaller}(${larger}(${larger}(old.sequence, ${seconds('old')}) + 1, ${seconds('new')}), 2147483647)`
}

/** A number that grows with every change of an event, also with several in one second. */
export const steps: readonly Step[] = [
  `alter table "events" add column if not exists "sequence" {whole} default 0 not null`,
  {
    sqlite: [
      `drop trigger if exists "events_revised"`,
      `create trigger "events_revised" after update on "events" when new.revision = old.revision
        begin update "events" set revision = revision + 1, sequence = ${next('max', 'min')} where id = new.id; end`,
    ],
    postgres: [
      `create function kalends_count_change() returns trigger language plpgsql as
        $$ begin new.sequence := ${next('greatest', 'least')}; return new; end $$`,
      `create trigger "events_counted" before update on "events" for each row execute function kalends_count_change()`,
    ],
  },
]
