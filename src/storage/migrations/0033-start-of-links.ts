import type { Step } from './steps.ts'

/** The indexes of 0032 have all of these. By itself, as it waits for all readers of the links, and they for it. */
export const steps: readonly Step[] = ['event_venues', 'event_organizers', 'event_terms'].map(
  (table) => `drop index if exists "${table}_start"`,
)
