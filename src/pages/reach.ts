import { AppError } from '../lib/errors.ts'
import type { Context } from './context.ts'

/** Years around today that have links, so that crawlers come to an end. */
const YEARS_BACK = 20
const YEARS_AHEAD = 10
/** Pages beyond this distance have `noindex`. */
const YEARS_LISTED = 2

type Today = Pick<Context, 'today'>

/** First and last day that pages show. */
export function reachOf({ today }: Today): { readonly first: string; readonly last: string } {
  const year = Number(today.slice(0, 4))
  const written = (years: number) => String(Math.min(Math.max(years, 1), 9999)).padStart(4, '0')
  return { first: `${written(year - YEARS_BACK)}-01-01`, last: `${written(year + YEARS_AHEAD)}-12-31` }
}

export function isInReach(context: Today, day: string): boolean {
  const { first, last } = reachOf(context)
  return first <= day && day <= last
}

export function checkReach(context: Today, day: string): void {
  if (!isInReach(context, day)) throw new AppError('rest_no_route')
}

export function isFar({ today }: Today, day: string): boolean {
  return Math.abs(Number(day.slice(0, 4)) - Number(today.slice(0, 4))) > YEARS_LISTED
}
