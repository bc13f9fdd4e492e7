import type { Step } from './steps.ts'

/** The index of lists has the revisions, too: then lists read no rows of events. Another one has the events of over a week. */
export const steps: readonly Step[] = [
  `create index if not exists "events_shown" on "events"
    ("status", "hide_from_listings", "start_local", "id", "end_local", "revision")`,
  `drop index if exists "events_listed"`,
  'create index if not exists "events_long" on "events" ("start_utc", "end_utc") where end_utc - start_utc > 604800',
]
