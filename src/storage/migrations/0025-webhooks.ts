import type { Step } from './steps.ts'

/** What is known of a record before and after a change, as SQL over a row of its table. */
interface Source {
  readonly table: string
  readonly kind: (row: string) => string
  readonly isTrash: (row: string) => string
  readonly isPublic: (row: string) => string
  /** Whether an update is one of its content; `differs` is the operator of the database. */
  readonly isChange: { readonly sqlite: string; readonly postgres: string }
}

const flag = (condition: string) => `case when ${condition} then 1 else 0 end`

const record = (kind: string, isOpen: (row: string) => string, counters: readonly string[]): Source => ({
  table: `${kind}s`,
  kind: () => `'${kind}'`,
  isTrash: (row) => flag(`${row}.status = 'trash'`),
  isPublic: (row) => flag(`${row}.status = 'publish'${isOpen(row)}`),
  // On SQLite, triggers change these counters in updates of their own, which see the row after the change.
  isChange: { sqlite: counters.map((name) => `new.${name} = old.${name}`).join(' and '), postgres: '' },
})

const TERM_FIELDS = ['name', 'slug', 'description', 'parent', 'published']
const isTermChange = (differs: string) => TERM_FIELDS.map((name) => `new.${name} ${differs} old.${name}`).join(' or ')

const SOURCES: readonly Source[] = [
  record('event', (row) => ` and ${row}.password_hash is null and ${row}.hide_from_listings = 0`, ['revision']),
  record('venue', () => '', ['revision', 'moves']),
  record('organizer', () => '', ['revision']),
  {
    table: 'terms',
    kind: (row) => `${row}.kind`,
    isTrash: () => '0',
    isPublic: (row) => flag(`${row}.published = 1`),
    isChange: { sqlite: isTermChange('is not'), postgres: `when (${isTermChange('is distinct from')})` },
  },
]

const COLUMNS = `"kind", "record", "existed", "was_trash", "was_public", "is_gone", "is_trash", "is_public", "changed_utc"`

/** Notes a change, if there is a webhook. Of several changes in one transaction, the first before and the last after count. */
function note(source: Source, before: 'old' | null, after: 'new' | null, now: string): string {
  const row = after ?? 'old'
  const was = before === null ? '0, 0, 0' : `1, ${source.isTrash(before)}, ${source.isPublic(before)}`
  const is = after === null ? '1, 0, 0' : `0, ${source.isTrash(after)}, ${source.isPublic(after)}`
  return `insert into webhook_changes (${COLUMNS}) select ${source.kind(row)}, ${row}.id, ${was}, ${is}, ${now}
    where exists (select 1 from webhooks where active = 1)
    on conflict (kind, record) do update set is_gone = excluded.is_gone, is_trash = excluded.is_trash,
      is_public = excluded.is_public, changed_utc = excluded.changed_utc`
}

function sqliteTriggers(source: Source): string[] {
  const { table, isChange } = source
  const now = 'unixepoch()'
  return [
    `drop trigger if exists "${table}_webhook_added"`,
    `create trigger "${table}_webhook_added" after insert on "${table}" begin ${note(source, null, 'new', now)}; end`,
    `drop trigger if exists "${table}_webhook_made"`,
    `create trigger "${table}_webhook_made" after update on "${table}" when ${isChange.sqlite}
      begin ${note(source, 'old', 'new', now)}; end`,
    `drop trigger if exists "${table}_webhook_removed"`,
    `create trigger "${table}_webhook_removed" after delete on "${table}" begin ${note(source, 'old', null, now)}; end`,
  ]
}

function postgresTriggers(source: Source): string[] {
  const { table, isChange } = source
  const now = 'floor(extract(epoch from clock_timestamp()))::bigint'
  const run = `for each row ${isChange.postgres} execute function kalends_webhook_${table}()`
  return [
    `create function kalends_webhook_${table}() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then ${note(source, null, 'new', now)};
      elsif tg_op = 'UPDATE' then ${note(source, 'old', 'new', now)};
      else ${note(source, 'old', null, now)};
      end if;
      return null; end $$`,
    `create trigger "${table}_webhook_added" after insert or delete on "${table}"
      for each row execute function kalends_webhook_${table}()`,
    `create trigger "${table}_webhook_made" after update on "${table}" ${run}`,
  ]
}

/** Webhooks, what changes until the transaction that changes it ends, and what is sent. */
export const steps: readonly Step[] = [
  `create table if not exists "webhooks" ("id" {identity}, "url" {text} not null, "events" {text} not null,
    "active" {whole} not null, "description" {text} not null, "payload" {text} not null, "secret" {text} not null,
    "old_secret" {text}, "old_until_utc" {whole}, "created_utc" {whole} not null)`,
  `create table if not exists "webhook_changes" ("kind" {text} not null, "record" {whole} not null,
    "existed" {whole} not null, "was_trash" {whole} not null, "was_public" {whole} not null, "is_gone" {whole} not null,
    "is_trash" {whole} not null, "is_public" {whole} not null, "changed_utc" {whole} not null,
    constraint "webhook_changes_key" primary key ("kind", "record"))`,
  `create table if not exists "webhook_deliveries" ("id" {identity}, "message" {text} not null unique,
    "hook" {whole} not null references "webhooks" ("id") on delete cascade, "type" {text} not null, "kind" {text} not null,
    "record" {whole} not null, "content" {text}, "status" {text} not null, "attempts" {whole} not null,
    "due_utc" {whole} not null, "created_utc" {whole} not null, "ended_utc" {whole}, "response" {whole}, "error" {text})`,
  `create index if not exists "webhook_deliveries_hook" on "webhook_deliveries" ("hook", "id")`,
  `create index if not exists "webhook_deliveries_order" on "webhook_deliveries" ("hook", "kind", "record", "id")
    where status = 'pending'`,
  `create index if not exists "webhook_deliveries_due" on "webhook_deliveries" ("due_utc") where status = 'pending'`,
  `create index if not exists "webhook_deliveries_old" on "webhook_deliveries" ("ended_utc") where ended_utc is not null`,
  { sqlite: SOURCES.flatMap(sqliteTriggers), postgres: SOURCES.flatMap(postgresTriggers) },
]
