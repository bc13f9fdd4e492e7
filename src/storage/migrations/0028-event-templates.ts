import type { Step } from './steps.ts'

/** The JSON of events, rendered in the background, and how far that has got. Both can be made anew at any time. */
export const steps: readonly Step[] = [
  `create table if not exists "event_templates" ("event" {whole} primary key references "events" ("id") on delete cascade,
    "revision" {whole} not null, "form" {whole} not null, "text" {text} not null)`,
  `create table if not exists "template_progress" ("form" {whole} primary key, "xid" {whole} not null, "position" {whole} not null,
    "begun_utc" {whole} not null)`,
]
