import type { Step } from './steps.ts'

/** Partial index of sticky events, which are few; pages query them by date range. */
export const steps: readonly Step[] = [
  `create index if not exists events_sticky on events (start_local, id) where sticky = 1`,
]
