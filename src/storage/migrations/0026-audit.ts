import type { Step } from './steps.ts'

/** Who changed what. Of many rows with the same change, the first has it, and the others name that one in `same_as`. */
export const steps: readonly Step[] = [
  `create table if not exists "audit" ("id" {identity}, "at_utc" {whole} not null, "user" {whole}, "user_name" {text},
    "address" {text}, "way" {text} not null, "action" {text} not null, "kind" {text} not null, "record" {whole} not null,
    "title" {text} not null, "before" {text}, "after" {text}, "same_as" {whole})`,
  `create index if not exists "audit_time" on "audit" ("at_utc", "id")`,
  `create index if not exists "audit_record" on "audit" ("kind", "record", "id")`,
  `create index if not exists "audit_user" on "audit" ("user_name", "at_utc", "id")`,
]
