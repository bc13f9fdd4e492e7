import type { Step } from './steps.ts'

/** How much each user has stored, and which entries of the log take the next save of a long text. */
export const steps: readonly Step[] = [
  `alter table "audit" add column if not exists "merges" {whole} not null default 0`,
  `create index if not exists "audit_own" on "audit" ("user", "id")`,
  `create index if not exists "idempotency_keys_own" on "idempotency_keys" ("user", "created_utc")`,
  `create table if not exists "stored_bytes" ("user" {whole} not null, "kind" {text} not null, "upto" {whole} not null,
    "bytes" {whole} not null, constraint "stored_bytes_key" primary key ("user", "kind", "upto"))`,
]
