import type { Step } from './steps.ts'

/** Runs of imports with what each changed, and addresses that are imported again and again. */
export const steps: readonly Step[] = [
  `create table if not exists "import_feeds" ("id" {identity}, "user" {whole} not null, "url" {text} not null unique,
    "every" {whole} not null, "options" {text} not null, "next_utc" {whole} not null, "created_utc" {whole} not null)`,
  `create table if not exists "import_runs" ("id" {identity}, "user" {whole} not null, "name" {text} not null,
    "url" {text}, "file" {text}, "bytes" {whole} not null, "options" {text} not null, "feed" {whole}, "state" {text} not null,
    "report" {text}, "error" {text}, "created_utc" {whole} not null, "ended_utc" {whole})`,
  `create index if not exists "import_runs_feed" on "import_runs" ("feed", "id")`,
  `create table if not exists "import_changes" ("run" {whole} not null references "import_runs" ("id") on delete cascade,
    "kind" {text} not null, "record" {whole} not null, "action" {text} not null, "before" {text}, "revision" {whole} not null,
    "source" {text} not null, "uid" {text} not null, "part" {text} not null, "hash" {text},
    constraint "import_changes_key" primary key ("run", "kind", "record"))`,
]
