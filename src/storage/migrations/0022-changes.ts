import type { Batched, Step } from './steps.ts'

/** What the table of changes keeps of a record, as SQL over a row of its table. */
interface Source {
  readonly table: string
  readonly kind: (row: string) => string
  readonly status: (row: string) => string
  readonly author: (row: string) => string
  /** 1 unless it is hidden from those who may not edit everything. */
  readonly open: (row: string) => string
  /** Position of a record that is there already. Records share one sequence of ids, terms have another. */
  readonly first: string
  /** Whether an update changes what readers see; `differs` is the operator of the database. */
  readonly isChanged: ((differs: string) => string) | null
  /** The events that lose a row that is removed, as SQL; null for events. */
  readonly losers: string | null
}

const record = (kind: string, open: (row: string) => string): Source => ({
  table: `${kind}s`,
  kind: () => `'${kind}'`,
  status: (row) => `${row}.status`,
  author: (row) => `${row}.author`,
  open,
  first: '2 * id',
  isChanged: null,
  losers: kind === 'event' ? null : `select event from event_${kind}s where linked = old.id`,
})

const SOURCES: readonly Source[] = [
  record(
    'event',
    (row) => `case when ${row}.password_hash is null and ${row}.hide_from_listings = 0 then 1 else 0 end`,
  ),
  record('venue', () => '1'),
  record('organizer', () => '1'),
  {
    table: 'terms',
    kind: (row) => `${row}.kind`,
    status: (row) => `case when ${row}.published = 1 then 'publish' else 'draft' end`,
    author: () => '0',
    open: () => '1',
    first: '2 * id + 1',
    // The count changes with events.
    isChanged: (differs) =>
      ['name', 'slug', 'description', 'parent', 'published']
        .map((name) => `new.${name} ${differs} old.${name}`)
        .join(' or '),
    losers: `select event from event_terms where term = old.id`,
  },
]

const COLUMNS = `"kind", "record", "modified_utc", "status", "author", "is_open", "was_public", "was_live", "readers",
  "position", "changed_utc"`

/** Values of these columns but the last two. */
function values({ kind, status, author, open }: Source, row: string): string {
  const [now, isOpen] = [status(row), open(row)]
  return `${kind(row)}, ${row}.id, ${row}.modified_utc, ${now}, ${author(row)}, ${isOpen},
    case when ${now} = 'publish' and ${isOpen} = 1 then 1 else 0 end, case when ${now} = 'trash' then 0 else 1 end,
    case when ${now} <> 'trash' and ${isOpen} = 1 then ',' || ${author(row)} || ',' else '' end`
}

/** What an update of a row keeps: who has ever seen the record. `larger` and `find` are functions of the database. */
function merged(larger: string, find: string): string {
  const taken = ['modified_utc', 'status', 'author', 'is_open', 'position', 'changed_utc']
  return `${taken.map((name) => `${name} = excluded.${name}`).join(', ')},
    was_public = ${larger}(changes.was_public, excluded.was_public), was_live = ${larger}(changes.was_live, excluded.was_live),
    readers = case when excluded.readers = '' or ${find}(changes.readers, excluded.readers) > 0
      then changes.readers else changes.readers || excluded.readers end`
}

const NEXT_SQLITE = `update sequences set last = last + 1 where name = 'changes'`
const LAST_SQLITE = `(select last from sequences where name = 'changes')`

function sqliteTriggers(source: Source): string[] {
  const { table, kind, isChanged, losers } = source
  const note = `begin ${NEXT_SQLITE};
    insert into changes (${COLUMNS}) values (${values(source, 'new')}, ${LAST_SQLITE}, unixepoch())
    on conflict (kind, record) do update set ${merged('max', 'instr')}; end`
  // The revision is changed by a trigger, in an update of its own.
  const when = isChanged?.('is not') ?? 'new.revision <> old.revision'
  return [
    `drop trigger if exists "${table}_change_added"`,
    `create trigger "${table}_change_added" after insert on "${table}" ${note}`,
    `drop trigger if exists "${table}_change_made"`,
    `create trigger "${table}_change_made" after update on "${table}" when ${when} ${note}`,
    `drop trigger if exists "${table}_change_removed"`,
    `create trigger "${table}_change_removed" after delete on "${table}" begin ${NEXT_SQLITE};
      update changes set status = 'gone', position = ${LAST_SQLITE}, changed_utc = unixepoch()
      where kind = ${kind('old')} and record = old.id; end`,
    `drop trigger if exists "${table}_change_lost"`,
    // Positions of many rows at once: one for each id of a record.
    ...(losers === null
      ? []
      : [
          `create trigger "${table}_change_lost" before delete on "${table}" begin
            update changes set position = ${LAST_SQLITE} + record, changed_utc = unixepoch()
              where kind = 'event' and record in (${losers});
            update sequences set last = last + (select last from sequences where name = 'records') where name = 'changes'; end`,
        ]),
  ]
}

const NOW_POSTGRES = 'floor(extract(epoch from clock_timestamp()))::bigint'
/** The transaction that made the change: see storage/changes.ts. */
const XID = 'pg_current_xact_id()::text::bigint'

function postgresTriggers(source: Source): string[] {
  const { table, kind, isChanged, losers } = source
  const when = isChanged === null ? '' : `when (${isChanged('is distinct from')})`
  return [
    `create function kalends_change_${table}() returns trigger language plpgsql as $$ begin
      if tg_op = 'DELETE' then
        update changes set status = 'gone', position = nextval('kalends_changes'), changed_utc = ${NOW_POSTGRES}, xid = ${XID}
          where changes.kind = ${kind('old')} and changes.record = old.id;
      else
        insert into changes (${COLUMNS}, "xid")
          values (${values(source, 'new')}, nextval('kalends_changes'), ${NOW_POSTGRES}, ${XID})
          on conflict (kind, record) do update set ${merged('greatest', 'strpos')}, xid = excluded.xid;
      end if;
      return null; end $$`,
    `create trigger "${table}_change_added" after insert or delete on "${table}"
      for each row execute function kalends_change_${table}()`,
    `create trigger "${table}_change_made" after update on "${table}" for each row ${when}
      execute function kalends_change_${table}()`,
    ...(losers === null
      ? []
      : [
          `create function kalends_lose_${table}() returns trigger language plpgsql as $$ begin
            update changes set position = nextval('kalends_changes'), changed_utc = ${NOW_POSTGRES}, xid = ${XID}
              where changes.kind = 'event' and changes.record in (${losers});
            return old; end $$`,
          `create trigger "${table}_change_lost" before delete on "${table}"
            for each row execute function kalends_lose_${table}()`,
        ]),
  ]
}

/** Notes the records that are there already. */
function fill(source: Source): Batched {
  return {
    table: source.table,
    key: 'id',
    statement: `insert into changes (${COLUMNS}) select ${values(source, source.table)}, ${source.first}, modified_utc
      from ${source.table} where id > {after} and id <= {last} on conflict do nothing`,
  }
}

/** Larger than every position of a record that is there already. */
const BEGIN = `(select 2 * coalesce(max(id), 0) + 1000000 from (select max(id) as id from events union all
  select max(id) from venues union all select max(id) from organizers union all select max(id) from terms) as ids)`

/** The time of the last change of terms, and a table with each record once, in the order of their last changes. */
export const steps: readonly Step[] = [
  `alter table "terms" add column if not exists "modified_utc" {whole} default 0 not null`,
  // When terms were changed is not known: not after the last event, as nearly all are.
  `update terms set modified_utc = (select coalesce(max(modified_utc), 0) from events) where modified_utc = 0`,
  `create index if not exists "events_modified" on "events" ("modified_utc", "id")`,
  `create table if not exists "changes" ("kind" {text} not null, "record" {whole} not null, "modified_utc" {whole} not null,
    "status" {text} not null, "author" {whole} not null, "is_open" {whole} not null, "was_public" {whole} not null,
    "was_live" {whole} not null, "readers" {text} not null, "position" {whole} not null, "changed_utc" {whole} not null,
    "xid" {whole} default 0 not null, constraint "changes_key" primary key ("kind", "record"))`,
  `create index if not exists "changes_order" on "changes" ("xid", "position")`,
  `create index if not exists "changes_gone" on "changes" ("changed_utc") where status = 'gone'`,
  {
    sqlite: [
      `insert into sequences (name, last) values ('changes', ${BEGIN}) on conflict do nothing`,
      ...SOURCES.flatMap(sqliteTriggers),
      ...SOURCES.map(fill),
    ],
    postgres: [
      `create sequence "kalends_changes"`,
      `select setval('kalends_changes', ${BEGIN})`,
      ...SOURCES.flatMap(postgresTriggers),
      ...SOURCES.map(fill),
    ],
  },
]
