import type { Step } from './steps.ts'

/** Secrets that all nodes share, and who sent the events that strangers suggested. */
export const steps: readonly Step[] = [
  `create table if not exists "secrets" ("name" {text} primary key, "value" {text} not null)`,
  `create table if not exists "suggestions" ("id" {identity}, "event" {whole} not null unique, "sender_name" {text} not null,
    "sender_email" {text} not null, "language" {text} not null, "form" {text} not null unique, "network" {text} not null,
    "picture" {text}, "picture_mime" {text}, "picture_bytes" {whole} default 0 not null, "created_utc" {whole} not null,
    "outcome" {text}, "reason" {text}, "decided_utc" {whole})`,
  `create index if not exists "suggestions_network" on "suggestions" ("network", "created_utc")`,
]
