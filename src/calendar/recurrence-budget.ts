import type { Rule } from './recurrence-rule.ts'

/** How many values of a rule are compared in the time of one step. */
export const A_STEP = 32

/** What it costs to compare a day with all that a rule says of days. */
export function dayCost({ byDay, byMonthDay, byYearDay, byWeek }: Rule): number {
  return Math.ceil((1 + byDay.length + byMonthDay.length + byYearDay.length + byWeek.length) / A_STEP)
}

export class Spent extends Error {}

/** How many steps may still be taken. */
export interface Budget {
  left: number
}

export function spend(budget: Budget, steps = 1): void {
  budget.left -= steps
  if (budget.left < 0) throw new Spent()
}
