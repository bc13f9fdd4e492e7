import type { Kysely } from 'kysely'
import * as foundation from './0001-foundation.ts'
import * as imagesPlacesTickets from './0002-images-places-tickets.ts'
import * as limits from './0003-limits.ts'
import * as speed from './0004-speed.ts'
import * as imports from './0005-imports.ts'
import * as words from './0006-words.ts'
import * as tokenExpiry from './0007-token-expiry.ts'
import * as termVisibility from './0008-term-visibility.ts'
import * as sticky from './0009-sticky.ts'
import * as imageFiles from './0010-image-files.ts'
import * as jobs from './0011-jobs.ts'
import * as virtualEvents from './0012-virtual-events.ts'
import * as eventSequence from './0013-event-sequence.ts'
import * as wordSearch from './0014-word-search.ts'
import * as sessions from './0015-sessions.ts'
import * as venueMoves from './0016-venue-moves.ts'
import * as mergesAndAlternativeTexts from './0017-merges-and-alternative-texts.ts'
import * as accounts from './0018-accounts.ts'
import * as suggestions from './0019-suggestions.ts'
import * as importRuns from './0020-import-runs.ts'
import * as series from './0021-series.ts'
import * as changes from './0022-changes.ts'
import * as idempotencyKeys from './0023-idempotency-keys.ts'
import * as webhooks from './0025-webhooks.ts'
import * as audit from './0026-audit.ts'
import * as listIndex from './0027-list-index.ts'
import { perform, type Step, type Watch } from './steps.ts'

export interface Migration {
  readonly steps: readonly Step[]
  /** Fills tables after these steps, where SQL cannot. It must be repeatable, and frozen, too. */
  fill?(db: Kysely<unknown>, watch: Watch): Promise<void>
}

/**
 * All migrations, in order. A released migration is never changed: it contains its own SQL, and imports nothing that
 * can change.
 */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-images-places-tickets': imagesPlacesTickets,
  '0003-limits': limits,
  '0004-speed': speed,
  '0005-imports': imports,
  '0006-words': words,
  '0007-token-expiry': tokenExpiry,
  '0008-term-visibility': termVisibility,
  '0009-sticky': sticky,
  '0010-image-files': imageFiles,
  '0011-jobs': jobs,
  '0012-virtual-events': virtualEvents,
  '0013-event-sequence': eventSequence,
  '0014-word-search': wordSearch,
  '0015-sessions': sessions,
  '0016-venue-moves': venueMoves,
  '0017-merges-and-alternative-texts': mergesAndAlternativeTexts,
  '0018-accounts': accounts,
  '0019-suggestions': suggestions,
  '0020-import-runs': importRuns,
  '0021-series': series,
  '0022-changes': changes,
  '0023-idempotency-keys': idempotencyKeys,
  '0025-webhooks': webhooks,
  '0026-audit': audit,
  '0027-list-index': listIndex,
}

/**
 * Migrations that contract: they remove or change what an earlier version reads or writes, so that it must not use the database
 * any more. All others expand: they add tables, columns with defaults and indexes, and earlier versions go on beside them.
 * A change that contracts takes two releases: one that no longer uses the old part, and a later one that removes it.
 */
export const CONTRACTING: ReadonlySet<string> = new Set([
  // Indexes that earlier versions ask, or whose triggers they rely on, are made anew in another form.
  '0004-speed',
  '0006-words',
  // Earlier versions write events without the words that searches need.
  '0014-word-search',
])

export async function runMigration(db: Kysely<unknown>, { steps, fill }: Migration, watch?: Watch): Promise<void> {
  await perform(db, steps, watch)
  await fill?.(db, (_, __, part) => watch?.(steps.length, steps.length + 1, part))
}
