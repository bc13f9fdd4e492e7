import type { Step } from './steps.ts'

/** The user who made a category or tag. Of those that are there already it is not known: only editors change them. */
export const steps: readonly Step[] = [`alter table "terms" add column if not exists "author" {whole}`]
