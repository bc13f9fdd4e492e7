import type { Step } from './steps.ts'

/** Rate-limit counters that nodes share. */
export const steps: readonly Step[] = [
  `create table if not exists "limits" ("key" {text} not null, "window" {whole} not null, "count" {whole} not null,
    constraint "limits_key" primary key ("key", "window"))`,
]
