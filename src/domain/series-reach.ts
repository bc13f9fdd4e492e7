import type { WallClock } from '../calendar/zone.ts'
import type { Problems } from '../lib/errors.ts'
import { withRollback } from '../storage/rollback.ts'

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
  /** Problems of the parameters that say it. The write reports them with its own. */
  readonly problems: Problems
  /** Filled by the write. */
  readonly report: SeriesReport
}

export function reaching(scope: SeriesScope | null = null, problems: Problems = {}): Reach {
  return { scope, problems, report: { created: [], changed: [], removed: [] } }
}

/** Does a write to the point where it would be committed. Nothing is written. */
export function plan(
  reach: Reach,
  write: (reach: Reach, finish: () => never) => Promise<unknown>,
): Promise<SeriesReport> {
  return withRollback(async (rollBack) => {
    await write(reach, () => rollBack(reach.report))
    return reach.report
  })
}
