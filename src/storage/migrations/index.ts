import type { Kysely } from 'kysely'
import { perform, type Step, type Watch } from './steps.ts'

export interface Migration {
  readonly steps: readonly Step[]
  /** Fills tables after these steps, where SQL cannot. It must be repeatable, and frozen, too. */
  fill?(db: Kysely<unknown>, watch: Watch): Promise<void>
}

/**
 * All migrations, in order, each loaded when it runs. A released migration is never changed: it contains its own SQL,
 * and imports nothing that can change.
 */
export const migrations: Record<string, () => Promise<Migration>> = {
  '0001-foundation': () => import('./0001-foundation.ts'),
  '0002-images-places-tickets': () => import('./0002-images-places-tickets.ts'),
  '0003-limits': () => import('./0003-limits.ts'),
  '0004-speed': () => import('./0004-speed.ts'),
  '0005-imports': () => import('./0005-imports.ts'),
  '0006-words': () => import('./0006-words.ts'),
  '0007-token-expiry': () => import('./0007-token-expiry.ts'),
  '0008-term-visibility': () => import('./0008-term-visibility.ts'),
  '0009-sticky': () => import('./0009-sticky.ts'),
  '0010-image-files': () => import('./0010-image-files.ts'),
  '0011-jobs': () => import('./0011-jobs.ts'),
  '0012-virtual-events': () => import('./0012-virtual-events.ts'),
  '0013-event-sequence': () => import('./0013-event-sequence.ts'),
  '0014-word-search': () => import('./0014-word-search.ts'),
  '0015-sessions': () => import('./0015-sessions.ts'),
  '0016-venue-moves': () => import('./0016-venue-moves.ts'),
  '0017-merges-and-alternative-texts': () => import('./0017-merges-and-alternative-texts.ts'),
  '0018-accounts': () => import('./0018-accounts.ts'),
  '0019-suggestions': () => import('./0019-suggestions.ts'),
  '0020-import-runs': () => import('./0020-import-runs.ts'),
  '0021-series': () => import('./0021-series.ts'),
  '0022-changes': () => import('./0022-changes.ts'),
  '0023-idempotency-keys': () => import('./0023-idempotency-keys.ts'),
  '0025-webhooks': () => import('./0025-webhooks.ts'),
  '0026-audit': () => import('./0026-audit.ts'),
  '0027-list-index': () => import('./0027-list-index.ts'),
  '0028-event-templates': () => import('./0028-event-templates.ts'),
  '0029-event-entries': () => import('./0029-event-entries.ts'),
  '0030-exact-templates': () => import('./0030-exact-templates.ts'),
  '0031-shown-links': () => import('./0031-shown-links.ts'),
  '0032-shown-links-index': () => import('./0032-shown-links-index.ts'),
  '0033-start-of-links': () => import('./0033-start-of-links.ts'),
  '0034-authors-of-terms': () => import('./0034-authors-of-terms.ts'),
  '0035-bounded-history': () => import('./0035-bounded-history.ts'),
  '0036-told-dependents': () => import('./0036-told-dependents.ts'),
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
