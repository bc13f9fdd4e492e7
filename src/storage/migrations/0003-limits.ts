import type { Step } from './steps.ts'

/** What nodes have counted together, for limits that hold for all of them. */
export const steps: readonly Step[] = [
  `create table if not exists "limits" ("key" {text} not null, "window" {whole} not null, "count" {whole} not null,
    constraint "limits_key" primary key ("key", "window"))`,
]
