import type { Step } from './steps.ts'

/** Whether an event takes place online; exact look-up by title. */
export const steps: readonly Step[] = [
  `alter table "events" add column if not exists "is_virtual" {whole} default 0 not null`,
  `create index if not exists "events_title" on "events" ("title")`,
]
