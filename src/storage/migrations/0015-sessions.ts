import type { Step } from './steps.ts'

/** Sessions of browsers. Users have a language, and can be disabled. */
export const steps: readonly Step[] = [
  `create table if not exists "sessions" ("id" {identity}, "user" {whole} not null references "users" ("id") on delete cascade,
    "hash" {text} not null unique, "agent" {text} not null, "created_utc" {whole} not null, "used_utc" {whole} not null,
    "expires_utc" {whole} not null)`,
  `create index if not exists "sessions_user" on "sessions" ("user")`,
  `create index if not exists "sessions_expiry" on "sessions" ("expires_utc")`,
  `alter table "users" add column if not exists "language" {text}`,
  `alter table "users" add column if not exists "disabled_utc" {whole}`,
]
