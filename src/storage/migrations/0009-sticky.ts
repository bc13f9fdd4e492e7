import type { Step } from './steps.ts'

/** Lists on pages look for the sticky events of the days they show, of which there are few. */
export const steps: readonly Step[] = [
  `create index if not exists events_sticky on events (start_local, id) where sticky = 1`,
]
