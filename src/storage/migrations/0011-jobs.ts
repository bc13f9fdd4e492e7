import type { Step } from './steps.ts'

/** Background jobs, which one process at a time claims. */
export const steps: readonly Step[] = [
  `create table if not exists "jobs" ("id" {identity}, "kind" {text} not null, "key" {text} not null,
    "payload" {text} not null, "due_utc" {whole}, "set_utc" {whole} not null, "claimed_by" {text},
    "attempts" {whole} not null, "requests" {whole} not null, "error" {text}, "created_utc" {whole} not null,
    "ended_utc" {whole})`,
  `create unique index if not exists "jobs_key" on "jobs" ("kind", "key")`,
  `create index if not exists "jobs_due" on "jobs" ("due_utc")`,
  `create index if not exists "jobs_set" on "jobs" ("set_utc")`,
]
