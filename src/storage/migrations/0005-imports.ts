import type { Step } from './steps.ts'

/** Sources of imported records, so that a repeated import finds them, and the state of long imports. */
export const steps: readonly Step[] = [
  `create table if not exists "imports" ("source" {text} not null, "kind" {text} not null, "uid" {text} not null,
    "part" {text} not null, "record" {whole} not null, "hash" {text} not null, "imported_utc" {whole} not null,
    constraint "imports_key" primary key ("source", "kind", "uid", "part"))`,
  `create index if not exists "imports_record" on "imports" ("kind", "record")`,
  `create table if not exists "import_progress" ("source" {text} not null primary key, "state" {text} not null,
    "saved_utc" {whole} not null)`,
]
