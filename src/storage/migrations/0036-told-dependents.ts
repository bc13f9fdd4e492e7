import type { Step } from './steps.ts'

/** Records that show something of a row of another table, and when an update of that row changes what they show. */
interface Dependents {
  readonly table: string
  /** Columns that decide it. */
  readonly columns: string
  /** Whether it changes; `differs` is the operator of the database. */
  readonly isChanged: (differs: string) => string
  /** Ids of events that show the row, as SQL. */
  readonly events: string
}

/** Whether other readers see the record than before. Its author sees it, too, while it is neither public nor in the trash. */
const IS_SEEN_BY_OTHERS = `new.status <> old.status
    and (new.status in ('publish', 'trash') or old.status in ('publish', 'trash'))
  or new.author <> old.author and new.status <> 'publish'`

const seen = (table: string, events: string): Dependents => ({
  table,
  columns: 'status, author',
  isChanged: () => IS_SEEN_BY_OTHERS,
  events,
})

const OF_SERIES = ['rule', 'dates', 'except_dates', 'timezone', 'start_local', 'end_local', 'occurrences']

const DEPENDENTS: readonly Dependents[] = [
  seen('events', 'select id from events where parent = new.id'),
  ...['venue', 'organizer'].map((kind) => seen(`${kind}s`, `select event from event_${kind}s where linked = new.id`)),
  {
    table: 'series',
    columns: OF_SERIES.join(', '),
    isChanged: (differs) => OF_SERIES.map((name) => `new.${name} ${differs} old.${name}`).join(' or '),
    events: 'select id from events where series = new.id',
  },
]

function sqliteTriggers({ table, columns, isChanged, events }: Dependents): string[] {
  return [
    `drop trigger if exists "${table}_dependents_told"`,
    // Positions of many rows at once: one for each id of a record.
    `create trigger "${table}_dependents_told" after update of ${columns} on "${table}"
      when (${isChanged('is not')}) and exists (${events}) begin
      update changes set position = (select last from sequences where name = 'changes') + record, changed_utc = unixepoch()
        where kind = 'event' and record in (${events});
      update sequences set last = last + (select last from sequences where name = 'records') where name = 'changes'; end`,
  ]
}

function postgresTriggers({ table, columns, isChanged, events }: Dependents): string[] {
  return [
    `create or replace function kalends_tell_dependents_of_${table}() returns trigger language plpgsql as $$ begin
      update changes set position = nextval('kalends_changes'), changed_utc = floor(extract(epoch from clock_timestamp()))::bigint,
          xid = pg_current_xact_id()::text::bigint
        where changes.kind = 'event' and changes.record in (${events});
      return null; end $$`,
    `create or replace trigger "${table}_dependents_told" after update of ${columns} on "${table}"
      for each row when (${isChanged('is distinct from')}) execute function kalends_tell_dependents_of_${table}()`,
  ]
}

/** Statements of the databases that tell of a term which was given a time of change, though its row may be as before. */
const TERMS_SQLITE = [
  'drop trigger if exists "terms_change_touched"',
  `create trigger "terms_change_touched" after update of modified_utc on "terms" begin
    update sequences set last = last + 1 where name = 'changes';
    update changes set position = (select last from sequences where name = 'changes'), changed_utc = unixepoch(),
      modified_utc = new.modified_utc where kind = new.kind and record = new.id; end`,
]
const TERMS_POSTGRES = [
  `create or replace trigger "terms_change_touched" after update of modified_utc on "terms"
    for each row execute function kalends_change_terms()`,
]

/**
 * Changes also tell of events that show another record, which readers see or no longer see: their parent, a venue or an
 * organizer; of the occurrences of a series that changes; and of categories below one that has another address.
 */
export const steps: readonly Step[] = [
  {
    sqlite: [...DEPENDENTS.flatMap(sqliteTriggers), ...TERMS_SQLITE],
    postgres: [...DEPENDENTS.flatMap(postgresTriggers), ...TERMS_POSTGRES],
  },
]
