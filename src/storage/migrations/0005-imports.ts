import type { Step } from './steps.ts'

/** Where records were imported from, so that importing again finds them; and how far long imports have come. */
export const steps: readonly Step[] = [
  `create table if not exists "imports" ("source" {text} not null, "kind" {text} not null, "uid" {text} not null,
    "part" {text} not null, "record" {whole} not null, "hash" {text} not null, "imported_utc" {whole} not null,
    constraint "imports_key" primary key ("source", "kind", "uid", "part"))`,
  `create index if not exists "imports_record" on "imports" ("kind", "record")`,
  `create table if not exists "import_progress" ("source" {text} not null primary key, "state" {text} not null,
    "saved_utc" {whole} not null)`,
]
