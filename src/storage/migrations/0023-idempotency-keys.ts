import type { Step } from './steps.ts'

/** Keys of requests that must not be done twice, and the answers to them. */
export const steps: readonly Step[] = [
  `create table if not exists "idempotency_keys" ("user" {whole} not null, "key" {text} not null,
    "request" {text} not null, "claim" {text} not null, "claimed_until" {whole} not null, "status" {whole},
    "headers" {text}, "body" {text}, "created_utc" {whole} not null,
    constraint "idempotency_keys_key" primary key ("user", "key"))`,
  `create index if not exists "idempotency_keys_created" on "idempotency_keys" ("created_utc")`,
]
