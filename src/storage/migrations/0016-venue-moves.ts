import type { Step } from './steps.ts'

/** Fields of a venue that calendars show as the place of its events. */
const PLACE = ['venue', 'address', 'city', 'country', 'province', 'state', 'stateprovince', 'zip', 'geo_lat', 'geo_lng']

/** Whether readers see another place, as SQL. A change that only few may see is not counted: everybody sees the number. */
function isMoved(differs: string): string {
  const changes = [...PLACE, 'status'].map((name) => `new."${name}" ${differs} old."${name}"`)
  return `(new.status = 'publish' or old.status = 'publish') and (${changes.join(' or ')})`
}

/** Moves of the venues of an event, as SQL. */
const MOVES = `coalesce((select sum(venues.moves) from event_venues
  join venues on venues.id = event_venues.linked where event_venues.event = new.id), 0)`

/**
 * The next number of an event's change, as in migration 0013, but counted on from the number that calendars show: with the
 * moves of the venues that the event had until now.
 */
function next(larger: string, smaller: string): string {
  const seconds = (row: string) => `${smaller}(${larger}(${row}.modified_utc, 1577836800), 3725320447) - 1577836800`
  return `${smaller}(${larger}(${larger}(old.sequence, ${seconds('old')}) + ${MOVES} + 1, ${seconds('new')}), 2147483647)`
}

/**
 * A number that grows with every change of a venue's place. Calendars add it to the numbers of its events: a venue may have
 * thousands of them, which are not written.
 */
export const steps: readonly Step[] = [
  `alter table "venues" add column if not exists "moves" {whole} default 0 not null`,
  {
    sqlite: [
      `drop trigger if exists "venues_moved"`,
      `create trigger "venues_moved" after update on "venues" when new.moves = old.moves and ${isMoved('is not')}
        begin update "venues" set moves = moves + 1 where id = new.id; end`,
      `drop trigger if exists "events_revised"`,
      `create trigger "events_revised" after update on "events" when new.revision = old.revision
        begin update "events" set revision = revision + 1, sequence = ${next('max', 'min')} where id = new.id; end`,
    ],
    postgres: [
      `create function kalends_move_venue() returns trigger language plpgsql as
        $$ begin new.moves := old.moves + 1; return new; end $$`,
      `create trigger "venues_moved" before update on "venues" for each row
        when (${isMoved('is distinct from')}) execute function kalends_move_venue()`,
      `create or replace function kalends_count_change() returns trigger language plpgsql as
        $$ begin new.sequence := ${next('greatest', 'least')}; return new; end $$`,
    ],
  },
]
