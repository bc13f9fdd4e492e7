import type { Step } from './steps.ts'

/** The index of lists has the revisions, too: then lists read no rows of events. */
export const steps: readonly Step[] = [
  `create index if not exists "events_shown" on "events"
    ("status", "hide_from_listings", "start_local", "id", "end_local", "revision")`,
  `drop index if exists "events_listed"`,
]
