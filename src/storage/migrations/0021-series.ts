import type { Step } from './steps.ts'

/** Series: the rule of a recurring event, its exceptions, and the fields of the events that are made of it. */
export const steps: readonly Step[] = [
  `create table if not exists "series" (
    "id" {whole} not null primary key, "author" {whole} not null, "slug" {text} not null,
    "rule" {text}, "dates" {text} not null, "except_dates" {text} not null,
    "timezone" {text} not null, "start_local" {text} not null, "end_local" {text} not null,
    "template" {text} not null, "occurrences" {whole}, "made_until" {text}, "trashed" {whole} default 0 not null,
    "modified_utc" {whole} not null, "sequence" {whole} default 0 not null)`,
  `create index if not exists "series_made" on "series" ("made_until") where "made_until" is not null`,
  `create index if not exists "series_author" on "series" ("author")`,
  `alter table "events" add column if not exists "series" {whole}`,
  `alter table "events" add column if not exists "original_start" {text}`,
  `alter table "events" add column if not exists "own_fields" {text}`,
  `create index if not exists "events_series" on "events" ("series", "start_local") where "series" is not null`,
]
