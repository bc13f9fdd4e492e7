import type { WallClock } from '../calendar/zone.ts'

/** How far a write reaches: the event, it and the following ones of its series, or all of them. */
export const SERIES_SCOPES = ['this', 'following', 'all'] as const
export type SeriesScope = (typeof SERIES_SCOPES)[number]

/** What a write does to the events of a series. */
export interface SeriesReport {
  readonly created: { readonly start_date: WallClock }[]
  readonly changed: { readonly id: number; readonly start_date: WallClock }[]
  readonly removed: { readonly id: number; readonly start_date: WallClock }[]
}

export interface Reach {
  /** Null if the request does not say. */
  readonly scope: SeriesScope | null
  /** Filled by the write. */
  readonly report: SeriesReport
}

export function reaching(scope: SeriesScope | null = null): Reach {
  return { scope, report: { created: [], changed: [], removed: [] } }
}

/** Ends the transaction of a dry run. */
class Planned extends Error {}

/** Does a write to the point where it would be committed. Nothing is written. */
export async function plan(
  reach: Reach,
  write: (reach: Reach, finish: () => never) => Promise<unknown>,
): Promise<SeriesReport> {
  try {
    await write(reach, () => {
      throw new Planned('planned')
    })
  } catch (error) {
    if (!(error instanceof Planned)) throw error
  }
  return reach.report
}
